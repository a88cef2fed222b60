// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"crypto/cipher"
	"testing"

	"github.com/stitchgcm/gcm/internal/guard"
)

// guarded is memory between two pages that nobody may touch.
type guarded struct{ guard.Memory }

// newGuarded returns at least size bytes of it.
func newGuarded(t *testing.T, size int) guarded {
	t.Helper()
	m, free, err := guard.New(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { free() })
	return guarded{m}
}

// take returns n bytes of g that touch the page after it, or the page before.
func (g guarded) take(n int, end bool) []byte { return g.Take(n, end) }

// readOnly forbids writing to g, or allows it again.
func (g guarded) readOnly(t *testing.T, on bool) {
	t.Helper()
	if err := g.ReadOnly(on); err != nil {
		t.Fatal(err)
	}
}

// TestGuardPages puts every slice against an unreadable page, once at its end
// and once at its start, with the inputs in read-only memory: nothing outside
// the slices may be read, nothing but the output written, not even with the
// bytes that were there.
func TestGuardPages(t *testing.T) {
	sizes := textSizes()
	if testing.Short() {
		sizes = sizes[:600]
	}
	limit := sizes[len(sizes)-1] + 16
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		inGuard, outGuard := newGuarded(t, limit), newGuarded(t, limit)
		aadGuard, nonceGuard, keyGuard := newGuarded(t, 10000), newGuarded(t, 1000), newGuarded(t, 32)
		copy(aadGuard.Memory, bytes.Repeat(key, len(aadGuard.Memory)/len(key)))
		copy(nonceGuard.Memory, bytes.Repeat(key, len(nonceGuard.Memory)/len(key)))
		aadGuard.readOnly(t, true)
		nonceGuard.readOnly(t, true)
		want := make([]byte, 0, limit)
		type aead struct {
			*AEAD
			std cipher.AEAD // with 16-byte tags
		}
		var aeads []aead
		for i, o := range []Options{{12, 16, kernel}, {16, 12, kernel}, {1, 13, kernel}, {12, 15, kernel}, {33, 16, kernel}} {
			k := keyGuard.take(len(key), i%2 == 0)
			copy(k, key)
			aeads = append(aeads, aead{make1(t, k, o), stdlib(t, key, o.NonceSize, 16)})
		}
		for i, n := range sizes {
			for _, end := range []bool{true, false} {
				a := aeads[0]
				if i%2 == 1 {
					a = aeads[i/2%len(aeads)]
				}
				nonce := nonceGuard.take(a.NonceSize(), end)
				aad := aadGuard.take(aadSizes[i%len(aadSizes)], end)
				sealedSize := n + a.Overhead()
				sealed := a.std.Seal(want[:0], nonce, pool[i%99:][:n], aad)[:sealedSize]

				in, out := inGuard.take(n, end), outGuard.take(sealedSize, end)
				inGuard.readOnly(t, false)
				copy(in, pool[i%99:])
				inGuard.readOnly(t, true)
				if got := a.Seal(out[:0], nonce, in, aad); !bytes.Equal(got, sealed) {
					t.Fatalf("text of %d, AAD of %d bytes: Seal differs", n, len(aad))
				}

				copy(out, in)
				if got := a.Seal(out[:0], nonce, out[:n], aad); !bytes.Equal(got, sealed) {
					t.Fatalf("text of %d, AAD of %d bytes: Seal in place differs", n, len(aad))
				}
				if got, err := a.Open(out[:0], nonce, out, aad); err != nil || !bytes.Equal(got, in) {
					t.Fatalf("text of %d, AAD of %d bytes: Open in place differs", n, len(aad))
				}

				in, out = inGuard.take(sealedSize, end), outGuard.take(n, end)
				for _, forged := range []byte{0, 0x80} {
					inGuard.readOnly(t, false)
					copy(in, sealed)
					in[sealedSize-1] ^= forged
					inGuard.readOnly(t, true)
					got, err := a.Open(out[:0], nonce, in, aad)
					if forged != 0 && err == nil || forged == 0 && (err != nil || !bytes.Equal(got, pool[i%99:][:n])) {
						t.Fatalf("text of %d, AAD of %d bytes: Open differs", n, len(aad))
					}
				}
			}
		}
	})
}

// TestWideLoads puts nonces, AAD and texts of 0 to 33 bytes against unreadable
// pages, so that no field is loaded 16 bytes at a time whatever its length.
func TestWideLoads(t *testing.T) {
	const limit = 33 // bytes
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		nonceGuard, aadGuard := newGuarded(t, limit), newGuarded(t, limit)
		in, out := newGuarded(t, limit+16), newGuarded(t, limit+16)
		for nonceSize := 1; nonceSize <= limit; nonceSize++ {
			tagSize := 12 + nonceSize%5
			a, std := make1(t, key, Options{nonceSize, tagSize, kernel}), stdlib(t, key, nonceSize, 16)
			for n := range limit + 1 {
				for _, end := range []bool{true, false} {
					nonce, aad := nonceGuard.take(nonceSize, end), aadGuard.take((n*nonceSize+n)%(limit+1), end)
					copy(nonce, pool[n:])
					copy(aad, pool[nonceSize:])
					text := in.take(n, end)
					copy(text, pool)
					want := std.Seal(nil, nonce, text, aad)[:n+tagSize]
					if got := a.Seal(out.take(n+tagSize, end)[:0], nonce, text, aad); !bytes.Equal(got, want) {
						t.Fatalf("text of %d, AAD of %d, nonce of %d bytes: Seal differs", n, len(aad), nonceSize)
					}
					sealed := in.take(n+tagSize, end)
					copy(sealed, want)
					if got, err := a.Open(out.take(n, end)[:0], nonce, sealed, aad); err != nil || !bytes.Equal(got, pool[:n]) {
						t.Fatalf("text of %d, AAD of %d, nonce of %d bytes: Open differs", n, len(aad), nonceSize)
					}
				}
			}
		}
	})
}
