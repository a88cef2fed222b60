// SPDX-License-Identifier: ISC

//go:build race

package gcm

import (
	"runtime"
	"unsafe"
)

// raceEnabled reports whether the race detector is on. It sees no assembly and no
// C, so it is told what a call does to the caller's slices.
const raceEnabled = true

// raceCall announces that a call reads some slices and writes others.
func raceCall(reads, writes [][]byte) {
	for _, b := range reads {
		if len(b) > 0 {
			runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
		}
	}
	for _, b := range writes {
		if len(b) > 0 {
			runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
		}
	}
}
