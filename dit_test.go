// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"
	"runtime"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestDIT checks that calls leave the thread as they found it: with instructions
// whose time does not depend on data if the caller asked for them, and without
// them otherwise.
func TestDIT(t *testing.T) {
	if !dispatch.DITSupported() {
		t.Skip("this processor has no DIT")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	onEveryKernel(t, func(t *testing.T, kernel string) {
		calls := func(want bool) {
			a := make1(t, randomBytes(16), Options{Kernel: kernel})
			for _, n := range []int{0, 100, 20000} {
				sealed := a.Seal(nil, pool[:12], pool[:n], pool[:20])
				if dispatch.DITEnabled() != want {
					t.Errorf("%d bytes: behind Seal DIT is %v", n, !want)
				}
				if _, err := a.Open(nil, pool[:12], sealed, pool[:20]); err != nil || dispatch.DITEnabled() != want {
					t.Errorf("%d bytes: behind Open DIT is %v, error %v", n, dispatch.DITEnabled(), err)
				}
				batch := make([]Packet, 5)
				for i := range batch {
					batch[i] = Packet{Nonce: pool[:12], Text: sealed, AAD: pool[:20]}
				}
				if a.OpenBatch(batch) != len(batch) || dispatch.DITEnabled() != want {
					t.Errorf("%d bytes: behind OpenBatch DIT is %v", n, dispatch.DITEnabled())
				}
				if a.SealBatch(batch); dispatch.DITEnabled() != want {
					t.Errorf("%d bytes: behind SealBatch DIT is %v", n, !want)
				}
			}
		}
		before := dispatch.DITEnabled()
		calls(before)
		subtle.WithDataIndependentTiming(func() {
			if !dispatch.DITEnabled() {
				t.Error("the caller has no DIT")
			}
			calls(true)
		})
		calls(before)
	})
}
