// SPDX-License-Identifier: ISC

package dispatch

import "math"

// A Door is a way to call a kernel. Every kernel has the direct door, and where
// package cshim is linked the cgo door too; both lead to the same program.
type Door uint8

// The doors. Through the direct one, Go assembly, a call costs next to nothing,
// but the goroutine cannot be preempted meanwhile, and the garbage collector
// waits for it. Through the cgo one a call costs as much as sealing some 500
// bytes, and the collector does not wait.
const (
	Direct Door = iota
	Cgo
)

// Doors are the names of the doors.
var Doors = [...]string{Direct: "direct", Cgo: "cgo"}

// DirectMax is the most bytes of text, AAD and nonce together that take the
// direct door where there are both: a few microseconds of work.
const DirectMax = 16 << 10

// directMax is DirectMax, unless a door is forced.
var directMax = DirectMax

// DoorFor returns the door for a message of n bytes of text, AAD and nonce
// together.
func DoorFor(n int) Door {
	if n <= directMax {
		return Direct
	}
	return Cgo
}

// Force sends all messages through one door, until undo is called. It is for
// tests and measurements; no message may be on its way meanwhile.
func Force(d Door) (undo func()) {
	was := directMax
	directMax = math.MaxInt
	if d == Cgo {
		directMax = -1
	}
	return func() { directMax = was }
}
