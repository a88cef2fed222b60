// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"sync"
	"testing"
)

// TestConcurrency shares one AEAD among goroutines that seal and open messages
// of several lengths: scratch memory in it would show.
func TestConcurrency(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		rounds := 300
		if testing.Short() {
			rounds = 20
		}
		for _, o := range []Options{{}, {NonceSize: 16, TagSize: 13}} {
			o.Kernel = kernel
			a := make1(t, randomBytes(32), o)
			nonceSize := a.NonceSize()
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					nonce := pool[g:][:nonceSize]
					text, aad := pool[:100+g*333], pool[:g*9]
					want := a.Seal(nil, nonce, text, aad)
					buf := make([]byte, len(want))
					for range rounds {
						copy(buf, text)
						if got := a.Seal(buf[:0], nonce, buf[:len(text)], aad); !bytes.Equal(got, want) {
							t.Error("Seal differs under load")
							return
						}
						if got, err := a.Open(buf[:0], nonce, buf, aad); err != nil || !bytes.Equal(got, text) {
							t.Error("Open differs under load")
							return
						}
					}
				})
			}
			wg.Wait()
		}
	})
}

// TestCopy checks that an AEAD may be copied and keeps no reference to its key.
func TestCopy(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		key := randomBytes(32)
		a := make1(t, key, Options{Kernel: kernel})
		want := a.Seal(nil, pool[:12], pool[:99], nil)
		b := *a
		clear(key)
		*a = *make1(t, key, Options{Kernel: kernel})
		if got := b.Seal(nil, pool[:12], pool[:99], nil); !bytes.Equal(got, want) {
			t.Error("a copy differs")
		}
	})
}
