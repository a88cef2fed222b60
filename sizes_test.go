// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"testing"

	"github.com/stitchgcm/gcm/internal/reference"
)

// TestNonceSizes tries nonces of 1 to 200 and 1000 bytes.
func TestNonceSizes(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for size := 1; size <= 201; size++ {
			nonceSize := size
			if size == 201 {
				nonceSize = 1000
			}
			a, std := make1(t, key, Options{NonceSize: nonceSize, Kernel: kernel}), stdlib(t, key, nonceSize, 16)
			if a.NonceSize() != nonceSize {
				t.Fatalf("NonceSize() is %d, want %d", a.NonceSize(), nonceSize)
			}
			nonce := pool[size:][:nonceSize]
			for _, n := range []int{0, 1, 16, 31, 64, 257, 1350} {
				text, aad := pool[n:][:n], pool[:size%33]
				compare(t, a, nonce, text, aad, std.Seal(nil, nonce, text, aad))
			}
		}
	})
}

// TestTagSizes tries tags of 12 to 16 bytes with several nonce sizes.
func TestTagSizes(t *testing.T) {
	lengths := []int{0, 1, 2, 3, 4, 5, 12, 13, 15, 16, 17, 31, 33, 63, 64, 65, 100, 255, 257, 1023, 1350, 4099}
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for tagSize := 12; tagSize <= 16; tagSize++ {
			for _, nonceSize := range []int{1, 12, 16, 29} {
				a := make1(t, key, Options{NonceSize: nonceSize, TagSize: tagSize, Kernel: kernel})
				if a.Overhead() != tagSize {
					t.Fatalf("Overhead() is %d, want %d", a.Overhead(), tagSize)
				}
				nonce := randomBytes(nonceSize)
				for _, n := range lengths {
					text, aad := pool[n:][:n], pool[:n%37]
					want := reference.Seal(key, nonce, aad, text, tagSize)
					compare(t, a, nonce, text, aad, want)
					step := 1
					if testing.Short() {
						step = 13
					}
					for bit := 0; bit < 8*tagSize; bit += step {
						refused(t, a, nonce, flip(want, 8*n+bit), aad)
					}
				}
				if nonceSize == 12 {
					want := stdlib(t, key, 12, tagSize).Seal(nil, nonce, pool[:100], pool[:9])
					compare(t, a, nonce, pool[:100], pool[:9], want)
				}
			}
		}
	})
}

// TestNil checks what is nil and what is not when everything is empty.
func TestNil(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for tagSize := 12; tagSize <= 16; tagSize++ {
			a, std := make1(t, make([]byte, 16), Options{TagSize: tagSize, Kernel: kernel}), stdlib(t, make([]byte, 16), 12, tagSize)
			nonce := make([]byte, 12)
			empty := []byte{}
			for _, dst := range [][]byte{nil, empty} {
				for _, in := range [][]byte{nil, empty} {
					got, want := a.Seal(dst, nonce, in, in), std.Seal(nil, nonce, nil, nil)
					if !bytes.Equal(got, want) || cap(got) != cap(std.Seal(dst, nonce, in, in)) {
						t.Errorf("Seal of nothing gives %x", got)
					}
					gotText, gotErr := a.Open(dst, nonce, want, in)
					wantText, wantErr := std.Open(dst, nonce, want, in)
					if gotErr != nil || wantErr != nil || len(gotText) != 0 || (gotText == nil) != (wantText == nil) {
						t.Errorf("Open of nothing gives %v, %v; want %v, %v", gotText, gotErr, wantText, wantErr)
					}
				}
			}
		}
	})
}

// TestAppend checks that what dst holds stays in front, with room and without.
func TestAppend(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, std := make1(t, make([]byte, 32), Options{Kernel: kernel}), stdlib(t, make([]byte, 32), 12, 16)
		nonce, text := randomBytes(12), randomBytes(50)
		want := std.Seal([]byte("head"), nonce, text, nil)
		for room := range 100 {
			dst := append(make([]byte, 0, 4+room), "head"...)
			got := a.Seal(dst, nonce, text, nil)
			if !bytes.Equal(got, want) || (&got[0] == &dst[0]) != (room >= 66) {
				t.Errorf("room of %d bytes: Seal gives %x, want %x", room, got, want)
			}
			if std := std.Seal(dst[:4:4+room], nonce, text, nil); cap(got) != cap(std) {
				t.Errorf("room of %d bytes: capacity is %d, want %d", room, cap(got), cap(std))
			}
			dst = append(make([]byte, 0, 4+room), "head"...)
			got, err := a.Open(dst, nonce, want[4:], nil)
			if err != nil || string(got[:4]) != "head" || !bytes.Equal(got[4:], text) || (&got[0] == &dst[0]) != (room >= 50) {
				t.Errorf("room of %d bytes: Open gives %x, %v", room, got, err)
			}
		}
	})
}

// TestMisaligned puts every slice at every offset from a 64-byte boundary.
func TestMisaligned(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		key := randomBytes(16)
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		arena := make([]byte, 4096)
		for i := range 64 {
			for _, n := range []int{5, 16, 100, 513} {
				j, k, l := (i*5+1)%64, (i*11+2)%64, (i*23+3)%64
				nonce, text, aad := pool[i:][:12], pool[j:][:n], pool[k:][:n/2]
				want := std.Seal(nil, nonce, text, aad)
				got := a.Seal(arena[l:l], nonce, text, aad)
				if !bytes.Equal(got, want) {
					t.Errorf("offsets %d %d %d %d: Seal differs", i, j, k, l)
				}
				if back, err := a.Open(arena[2048+i:][:0], nonce, got, aad); err != nil || !bytes.Equal(back, text) {
					t.Errorf("offsets %d %d %d %d: Open differs", i, j, k, l)
				}
			}
		}
		shifted, _ := NewWithOptions(pool[1:17], Options{Kernel: kernel})
		if got, want := shifted.Seal(nil, pool[:12], nil, nil), stdlib(t, pool[1:17], 12, 16).Seal(nil, pool[:12], nil, nil); !bytes.Equal(got, want) {
			t.Error("a key at an odd address differs")
		}
	})
}
