// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"testing"
)

// TestGuardPagesDetached puts text, output and tag against unreadable pages, at
// their ends and at their starts, with what is only read in read-only memory.
func TestGuardPagesDetached(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		inGuard, outGuard, tagGuard := newGuarded(t, 5000), newGuarded(t, 5000), newGuarded(t, 16)
		nonce, aad := randomBytes(12), randomBytes(20)
		for tagSize := 12; tagSize <= 16; tagSize++ {
			a := make1(t, key, Options{TagSize: tagSize, Kernel: kernel})
			for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 1023, 1350, 5000} {
				want := a.Seal(nil, nonce, pool[:n], aad)
				for mask := range 8 { // which of the three lie at the end of their memory
					in, out, tag := inGuard.take(n, mask&1 == 1), outGuard.take(n, mask&2 == 2), tagGuard.take(tagSize, mask&4 == 4)
					copy(in, pool)
					inGuard.readOnly(t, true)
					got := a.SealDetached(out[:0], tag, nonce, in, aad)
					inGuard.readOnly(t, false)
					if !bytes.Equal(got, want[:n]) || !bytes.Equal(tag, want[n:]) {
						t.Fatalf("text of %d, tag of %d bytes: SealDetached differs", n, tagSize)
					}
					copy(in, want)
					inGuard.readOnly(t, true)
					tagGuard.readOnly(t, true)
					got, err := a.OpenDetached(out[:0], tag, nonce, in, aad)
					inGuard.readOnly(t, false)
					tagGuard.readOnly(t, false)
					if err != nil || !bytes.Equal(got, pool[:n]) {
						t.Fatalf("text of %d, tag of %d bytes: OpenDetached differs: %v", n, tagSize, err)
					}
				}
			}
		}
	})
}
