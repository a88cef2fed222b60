// SPDX-License-Identifier: ISC

package dispatch

// A Door is a way into a kernel. Every kernel has the direct door, and where
// package cshim is linked the cgo door too; both lead to the same program.
type Door uint8

// The doors. Through the direct one, Go assembly, a call costs next to nothing,
// but the goroutine cannot be preempted meanwhile, and the garbage collector
// waits for it. Through the cgo one a call costs as much as sealing some 500
// bytes, and the collector does not wait. In pieces, a message is made of many
// short calls through the direct door, and the collector waits for one of them.
const (
	Direct Door = iota
	Cgo
	Pieces
)

// Doors are the names of the doors.
var Doors = [...]string{Direct: "direct", Cgo: "cgo", Pieces: "pieces"}

// Bytes of text, AAD and nonce together. docs/PERFORMANCE.md has the
// measurements behind them.
const (
	// DirectMax is the most that take the direct door at once, as a message or as
	// a piece of one: some ten microseconds of work.
	DirectMax = 128 << 10
	// HeldMax is the most that take the direct door at once where pieces are slow
	// and there is no cgo door: a millisecond or so, for which the collector may
	// have to wait.
	HeldMax = 4 << 20
)

// forced is a door that all messages take, or byLength.
var forced = byLength

const byLength = Door(len(Doors))

// AtOnce reports whether a message of n bytes of text, AAD and nonce together takes
// the direct door as one that is not longer than DirectMax.
func AtOnce(n int) bool { return n <= DirectMax && (forced == byLength || forced == Direct) }

// DoorFor returns the door for a message of n bytes of text, AAD and nonce
// together, of which nonce are the nonce's. It depends on whether the program has
// the cgo door, and a kernel from third_party behind that, which is not made for
// pieces.
func DoorFor(n, nonce int, cgo, foreign bool) Door {
	switch {
	case AtOnce(n):
		return Direct
	case forced != byLength:
		return forced
	}
	return long(n, nonce, cgo, foreign)
}

// long is DoorFor for what is too long for one call through the direct door.
// Pieces are fast where the counter of J0 is known to be 1.
func long(n, nonce int, cgo, foreign bool) Door {
	switch {
	case nonce == 12 && !foreign:
		return Pieces
	case cgo:
		return Cgo
	case n <= HeldMax:
		return Direct
	}
	return Pieces
}

// Force sends all messages through one door, until undo is called. It is for
// tests and measurements; no message may be on its way meanwhile.
func Force(d Door) (undo func()) {
	was := forced
	forced = d
	return func() { forced = was }
}
