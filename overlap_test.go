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
			short, shortStd := make1(t, key, Options{TagSize: 12, Kernel: kernel}), stdlibShort(t, key, 12)
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

						// With short tags crypto/cipher spoils neighbours: compare the panics alone,
						// and only where the result lies in the array.
						_, got := run(short)
						want := ""
						if d := dst(randomBytes(end), shift); cap(d)-len(d) >= n+12 {
							_, want = run(shortStd)
						}
						if got != want {
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

// TestOverNonce lays the output of longer texts over their nonce, which must have been
// read for good before.
func TestOverNonce(t *testing.T) {
	long := bytes.Repeat(pool, 3)
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for _, nonceSize := range []int{12, 16} {
			a, std := make1(t, key, Options{Kernel: kernel, NonceSize: nonceSize}), stdlib(t, key, nonceSize, 16)
			for _, n := range []int{100, 300, 1500, 5000, maxCall + 5000} {
				for _, at := range []int{0, 1, 40, n - 30, n / 2, n - 20, n} { // of the output
					for _, open := range []bool{false, true} {
						run := func(a cipher.AEAD) (b []byte, text string) {
							b = bytes.Clone(long[:2*n+100])
							out, nonce, in := b[:n+16], b[at:][:nonceSize], b[n+50:][:n]
							if open {
								in = a.Seal(in[:0], bytes.Clone(nonce), bytes.Clone(in), pool[:13])
							}
							text = catch(func() {
								if !open {
									a.Seal(out[:0], nonce, in, pool[:13])
								} else if _, err := a.Open(out[:0], nonce, in, pool[:13]); err != nil {
									t.Error(err)
								}
							})
							return b, text
						}
						same(t, fmt.Sprintf("output of %d bytes with the nonce at %d, open %v", n, at, open), run, a, std)
					}
				}
			}
		}
	})
}

// stdlibShort is crypto/cipher's own AEAD with tags of less than 16 bytes. It writes
// behind what it returns: see cutTags.
func stdlibShort(t *testing.T, key []byte, tagSize int) cipher.AEAD {
	t.Helper()
	a, err := cipher.NewGCMWithTagSize(newAES(t, key), tagSize)
	if err != nil {
		t.Fatal(err)
	}
	return a
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
