// SPDX-License-Identifier: ISC

package dispatch

import (
	"math"
	"testing"
)

// TestDoors checks the thresholds, and that a door can be forced.
func TestDoors(t *testing.T) {
	sizes := []int{0, 1, DirectMax, DirectMax + 1, HeldMax, HeldMax + 1, math.MaxInt}
	chosen := func(cgo bool, want ...Door) {
		t.Helper()
		for i, n := range sizes {
			if got := DoorFor(n, cgo); got != want[i] {
				t.Errorf("%d bytes, cgo %v, take the door %s, want %s", n, cgo, Doors[got], Doors[want[i]])
			}
		}
	}
	byLength := func() {
		t.Helper()
		chosen(true, Direct, Direct, Direct, Cgo, Cgo, Cgo, Cgo)
		chosen(false, Direct, Direct, Direct, Direct, Direct, Pieces, Pieces)
	}
	all := func(d Door) {
		t.Helper()
		chosen(true, d, d, d, d, d, d, d)
		chosen(false, d, d, d, d, d, d, d)
	}
	byLength()
	undo := Force(Cgo)
	all(Cgo)
	inner := Force(Direct)
	all(Direct)
	inner()
	all(Cgo)
	undo()
	byLength()
}
