// SPDX-License-Identifier: ISC

package dispatch

import (
	"math"
	"testing"
)

// TestDoors checks the threshold, and that a door can be forced.
func TestDoors(t *testing.T) {
	sizes := []int{0, 1, DirectMax, DirectMax + 1, math.MaxInt}
	chosen := func(want ...Door) {
		t.Helper()
		for i, n := range sizes {
			if got := DoorFor(n); got != want[i] {
				t.Errorf("%d bytes take the door %s, want %s", n, Doors[got], Doors[want[i]])
			}
		}
	}
	chosen(Direct, Direct, Direct, Cgo, Cgo)
	undo := Force(Cgo)
	chosen(Cgo, Cgo, Cgo, Cgo, Cgo)
	inner := Force(Direct)
	chosen(Direct, Direct, Direct, Direct, Direct)
	inner()
	chosen(Cgo, Cgo, Cgo, Cgo, Cgo)
	undo()
	chosen(Direct, Direct, Direct, Cgo, Cgo)
}
