// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"sync"
	"testing"
	"time"
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

// TestNeighbours lets two goroutines seal to outputs that touch, in one array, at
// all kinds of places: who reads what lies behind its output and writes it back
// undoes what the other has written meanwhile.
func TestNeighbours(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{TagSize: 13, Kernel: kernel})
		nonce := pool[:12]
		both := make([]byte, 4096)
		for cut := 1000; cut < 1032; cut++ {
			end := time.Now().Add(2 * time.Millisecond)
			var wg sync.WaitGroup
			for _, out := range [][]byte{both[:cut:cut], both[cut : cut+50 : cut+50]} {
				text := pool[:len(out)-13]
				want := a.Seal(nil, nonce, text, nil)
				wg.Go(func() {
					for time.Now().Before(end) {
						clear(out)
						if a.Seal(out[:0], nonce, text, nil); !bytes.Equal(out, want) {
							t.Errorf("cut at %d: an output of %d bytes was changed by its neighbour", cut, len(out))
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
