// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"testing"
)

// TestGatherCuts cuts a message in three at every two places.
func TestGatherCuts(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{TagSize: 13, Kernel: kernel})
		nonce, text, aad := randomBytes(12), randomBytes(41), randomBytes(5)
		want := a.Seal(nil, nonce, text, aad)
		dst, intact := fenced(len(want))
		for i := range len(want) + 1 {
			for j := i; j <= len(want); j++ {
				if j <= len(text) {
					got := a.SealGather(dst[:0], nonce, [][]byte{text[:i], text[i:j], text[j:]}, aad)
					if !bytes.Equal(got, want) || !intact() {
						t.Fatalf("SealGather, cut at %d and %d: gives %x", i, j, got)
					}
				}
				got, err := a.OpenGather(dst[:0], nonce, [][]byte{want[:i], want[i:j], want[j:]}, aad)
				if err != nil || !bytes.Equal(got, text) || !intact() {
					t.Fatalf("OpenGather, cut at %d and %d: gives %x, %v", i, j, got, err)
				}
				forged := flip(want, (i*59+j)%(8*len(want)))
				got, err = a.OpenGather(dst[:0], nonce, [][]byte{forged[:i], forged[i:j], forged[j:]}, aad)
				if got != nil || err != errOpen || !bytes.Equal(dst[:len(text)], make([]byte, len(text))) || !intact() {
					t.Fatalf("OpenGather, cut at %d and %d: a forgery gives %x, %v", i, j, got, err)
				}
			}
		}
	})
}

// TestGatherInPlace seals and opens texts of which some parts lie in the output.
func TestGatherInPlace(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(32), Options{Kernel: kernel})
		nonce, text, aad := randomBytes(12), randomBytes(300), randomBytes(5)
		want := a.Seal(nil, nonce, text, aad)
		ends := []int{0, 20, 20, 150, 300, 310, 316}
		for mask := range 1 << 6 { // which parts lie in the output
			for _, open := range []bool{false, true} {
				buf, intact := fenced(len(want))
				var parts [][]byte
				for i := range 6 {
					from, to := ends[i], ends[i+1]
					part := bytes.Clone(text[min(from, 300):min(to, 300)])
					if open {
						part = bytes.Clone(want[from:to])
					}
					if mask>>i&1 == 1 {
						copy(buf[from:], part)
						part = buf[from:][:len(part)]
					}
					parts = append(parts, part)
				}
				if !open {
					if got := a.SealGather(buf[:0], nonce, parts, aad); !bytes.Equal(got, want) || &got[0] != &buf[0] || !intact() {
						t.Fatalf("parts %b in place: SealGather differs", mask)
					}
					continue
				}
				got, err := a.OpenGather(buf[:0], nonce, parts, aad)
				if err != nil || !bytes.Equal(got, text) || &got[0] != &buf[0] || !intact() {
					t.Fatalf("parts %b in place: OpenGather differs: %v", mask, err)
				}
			}
		}
	})
}

// TestGatherOverlap puts a part anywhere in the output but at its place.
func TestGatherOverlap(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		nonce := randomBytes(12)
		const at, first, second = 100, 20, 30
		for shift := -80; shift <= 120; shift++ {
			for _, aad := range []bool{false, true} {
				b := randomBytes(500)
				part := b[at+shift:][:second]
				parts, data := [][]byte{pool[:first], nil, part}, []byte(nil)
				want := ""
				if shift > -second && shift < first+second+16 && shift != first {
					want = overlapInput
				}
				if aad {
					parts[2], data = pool[:second], part
					want = ""
					if shift > -second && shift < first+second+16 {
						want = overlapAAD
					}
				}
				if got := catch(func() { a.SealGather(b[at:at], nonce, parts, data) }); got != want {
					t.Errorf("shift %d, AAD %v: SealGather panics with %q, want %q", shift, aad, got, want)
				} else if want != "" && !bytes.Equal(b, randomBytes(len(b))) {
					t.Errorf("shift %d, AAD %v: SealGather wrote before it panicked", shift, aad)
				}
				b = randomBytes(500)
				part = b[at+shift:][:second]
				if parts[2] = part; aad {
					parts[2], data = pool[:second], part
				}
				if want != "" && shift >= first+second-16 {
					want = "" // there the plaintext has ended
				}
				if got := catch(func() { a.OpenGather(b[at:at], nonce, parts, data) }); got != want {
					t.Errorf("shift %d, AAD %v: OpenGather panics with %q, want %q", shift, aad, got, want)
				}
			}
		}
		// A tag on its own has no place in the plaintext, not even at its end.
		b := randomBytes(100)
		if got := catch(func() { a.OpenGather(b[:0:40], nonce, [][]byte{b[:40], b[39:55]}, nil) }); got != overlapInput {
			t.Errorf("a tag that begins in the output: OpenGather panics with %q, want %q", got, overlapInput)
		}
	})
}

// TestGatherOverlapNonce puts the nonce anywhere in the output, where gathering
// would write over it: a message sealed under the bytes that came in its place
// looks like any other.
func TestGatherOverlapNonce(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		const at, size = 20, 50
		for place := range at + size + 30 {
			for overhead, call := range map[int]func(b, nonce []byte){
				16: func(b, nonce []byte) { a.SealGather(b[at:at], nonce, [][]byte{pool[:20], pool[:30]}, nil) },
				0:  func(b, nonce []byte) { a.OpenGather(b[at:at], nonce, [][]byte{pool[:20], pool[:46]}, nil) },
			} {
				want := ""
				if place > at-12 && place < at+size+overhead {
					want = "gcm: invalid buffer overlap of output and nonce"
				}
				b := randomBytes(200)
				if got := catch(func() { call(b, b[place:][:12]) }); got != want {
					t.Errorf("nonce at %d, overhead %d: panics with %q, want %q", place, overhead, got, want)
				} else if want != "" && !bytes.Equal(b, randomBytes(len(b))) {
					t.Errorf("nonce at %d, overhead %d: wrote before it panicked", place, overhead)
				}
			}
		}
	})
}

// TestGatherTooLarge offers 64 GiB, all of them the same 1 MiB.
func TestGatherTooLarge(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		parts := make([][]byte, 1<<16)
		part := make([]byte, 1<<20)
		for i := range parts {
			parts[i] = part
		}
		if got := catch(func() { a.SealGather(nil, make([]byte, 12), parts, nil) }); got != tooLarge {
			t.Errorf("SealGather panics with %q, want %q", got, tooLarge)
		}
		if got, err := a.OpenGather(nil, make([]byte, 12), parts, nil); got != nil || err != errOpen {
			t.Errorf("OpenGather gives %d bytes, %v", len(got), err)
		}
	})
}
