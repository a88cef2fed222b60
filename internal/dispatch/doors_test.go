// SPDX-License-Identifier: ISC

package dispatch

import (
	"math"
	"testing"
)

// TestDoors checks the thresholds, and that a door can be forced.
func TestDoors(t *testing.T) {
	sizes := []int{0, 1, DirectMax, DirectMax + 1, HeldMax, HeldMax + 1, math.MaxInt}
	chosen := func(nonce int, cgo, foreign bool, want ...Door) {
		t.Helper()
		for i, n := range sizes {
			if got := DoorFor(n, nonce, cgo, foreign); got != want[i] {
				t.Errorf("%d bytes, of which nonce %d, cgo %v, foreign %v, take the door %s, want %s", n, nonce, cgo, foreign, Doors[got], Doors[want[i]])
			}
			if got, want := AtOnce(n), n <= DirectMax && want[i] == Direct; got != want {
				t.Errorf("%d bytes at once: %v, want %v", n, got, want)
			}
		}
	}
	byLength := func() {
		t.Helper()
		chosen(12, true, false, Direct, Direct, Direct, Pieces, Pieces, Pieces, Pieces)
		chosen(12, false, false, Direct, Direct, Direct, Pieces, Pieces, Pieces, Pieces)
		chosen(12, true, true, Direct, Direct, Direct, Cgo, Cgo, Cgo, Cgo)
		for _, nonce := range []int{1, 11, 13, 16} {
			chosen(nonce, true, false, Direct, Direct, Direct, Cgo, Cgo, Cgo, Cgo)
			chosen(nonce, false, false, Direct, Direct, Direct, Direct, Direct, Pieces, Pieces)
			chosen(nonce, true, true, Direct, Direct, Direct, Cgo, Cgo, Cgo, Cgo)
		}
	}
	all := func(d Door) {
		t.Helper()
		for _, nonce := range []int{12, 16} {
			chosen(nonce, true, false, d, d, d, d, d, d, d)
			chosen(nonce, false, false, d, d, d, d, d, d, d)
			chosen(nonce, true, true, d, d, d, d, d, d, d)
		}
	}
	byLength()
	undo := Force(Cgo)
	all(Cgo)
	inner := Force(Direct)
	all(Direct)
	inner()
	all(Cgo)
	inner = Force(Pieces)
	all(Pieces)
	inner()
	undo()
	byLength()
}
