// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"
)

// TestOverlap slides the output over each of the other slices, in one array, and
// demands of every kernel what crypto/cipher does: the same panic, or the same
// bytes in the whole array.
func TestOverlap(t *testing.T) {
	const at, end = 160, 640 // where the slice that is slid over lies, and the size of the array
	dsts := map[string]func(b []byte, shift int) []byte{
		"empty dst":      func(b []byte, s int) []byte { return b[s:s] },
		"dst of 3":       func(b []byte, s int) []byte { return b[s : s+3] },
		"exact capacity": func(b []byte, s int) []byte { return b[s : s : s+size+16] },
		"one too little": func(b []byte, s int) []byte { return b[s : s : s+size-1] },
	}
	places := []struct {
		name           string
		in, aad, nonce int // offsets in the array
	}{
		{"input", at, 480, 560},
		{"AAD", 480, at, 560},
		{"nonce", 480, 560, at},
		{"input and AAD", at, at, 560},
		{"all", at, at, at},
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		key := randomBytes(16)
		for _, n := range []int{0, 1, size} {
			a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
			short, shortStd := make1(t, key, Options{TagSize: 12, Kernel: kernel}), stdlib(t, key, 12, 12)
			for _, place := range places {
				for name, dst := range dsts {
					for shift := at - 90; shift <= at+90; shift++ {
						where := fmt.Sprintf("%s over %s, text of %d bytes, shift %d", name, place.name, n, shift-at)
						run := func(a cipher.AEAD) (b []byte, text string) {
							b = randomBytes(end)
							text = catch(func() {
								got := a.Seal(dst(b, shift), b[place.nonce:][:12], b[place.in:][:n], b[place.aad:][:20])
								b = append(b, got...)
							})
							return b, text
						}
						same(t, where+": Seal", run, a, std)

						// With short tags crypto/cipher spoils neighbours: compare the panics alone.
						_, got := run(short)
						if _, want := run(shortStd); got != want {
							t.Errorf("%s: Seal with a tag of 12 bytes panics with %q, want %q", where, got, want)
						}

						for _, forged := range []byte{0, 1} {
							run = func(a cipher.AEAD) (b []byte, text string) {
								b = randomBytes(end)
								nonce, aad := bytes.Clone(b[place.nonce:][:12]), bytes.Clone(b[place.aad:][:20])
								sealed := a.Seal(nil, nonce, pool[:n], aad)
								if place.in != place.aad {
									copy(b[place.in:], sealed) // otherwise b is a forgery
								}
								b[place.in+n] ^= forged
								text = catch(func() {
									got, err := a.Open(dst(b, shift), b[place.nonce:][:12], b[place.in:][:n+16], b[place.aad:][:20])
									b = append(append(b, got...), fmt.Sprint(got == nil, err)...)
								})
								return b, text
							}
							same(t, where+": Open", run, a, std)
						}
					}
				}
			}
		}
	})
}

// size is the length of the text slid over, in bytes.
const size = 37

// same checks that run does the same with both.
func same(t *testing.T, where string, run func(a cipher.AEAD) ([]byte, string), a, std cipher.AEAD) {
	t.Helper()
	got, gotPanic := run(a)
	want, wantPanic := run(std)
	if gotPanic != wantPanic {
		t.Errorf("%s panics with %q, want %q", where, gotPanic, wantPanic)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s leaves other bytes than crypto/cipher", where)
	}
}
