// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/bits"
	"testing"

	"golang.org/x/sys/unix"
)

// mapping returns size bytes of address space, or skips the test.
func mapping(t *testing.T, size uint64, prot int) []byte {
	t.Helper()
	if bits.UintSize < 64 {
		t.Skip("needs 64-bit addresses")
	}
	b, err := unix.Mmap(-1, 0, int(size), prot, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no room for %d bytes: %v", size, err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// TestTooLarge offers texts round the limit of 2³⁶ - 32 bytes. Nobody can touch
// them; those that are not too large are refused for overlap instead.
func TestTooLarge(t *testing.T) {
	limit := uint64(maxTextSize)
	huge := mapping(t, limit+4096, unix.PROT_NONE)
	nonce := make([]byte, 12)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, std := make1(t, make([]byte, 16), Options{Kernel: kernel}), stdlib(t, make([]byte, 16), 12, 16)
		for d := -2; d <= 2; d++ {
			text, sealed := huge[:int(limit)+d], huge[:int(limit)+16+d]
			for name, f := range map[string]func(a cipher.AEAD){
				"Seal": func(a cipher.AEAD) { a.Seal(huge[1:1], nonce, text, nil) },
				"Open": func(a cipher.AEAD) {
					if _, err := a.Open(huge[1:1], nonce, sealed, nil); err != nil {
						panic(err)
					}
				},
			} {
				got, want := catch(func() { f(a) }), catch(func() { f(std) })
				if got != want || got == "" {
					t.Errorf("%s, %d bytes from the limit, panics with %q, want %q", name, d, got, want)
				}
			}
		}
	})
}

// TestLargeAAD authenticates more than 4 GiB, all of them one page of zeros, so
// that counts of bytes and of bits need more than 32 bits.
func TestLargeAAD(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	aad := mapping(t, 1<<32+17, unix.PROT_READ)
	nonce, text := make([]byte, 12), pool[:100]
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == kernelGeneric {
			return // which is what would be compared with
		}
		want := stdlib(t, make([]byte, 16), 12, 16).Seal(nil, nonce, text, aad)
		a := make1(t, make([]byte, 16), Options{Kernel: kernel})
		if got := a.Seal(nil, nonce, text, aad); !bytes.Equal(got, want) {
			t.Errorf("Seal gives %x, want %x", got, want)
		}
	})
}

// TestLargeText seals and opens so much that the bits need more than 32 bits to
// count, and the counter of a 12-byte nonce carries out of its low three bytes.
func TestLargeText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const n = 1<<29 + 1<<16 + 5
	buf := mapping(t, n+16, unix.PROT_READ|unix.PROT_WRITE)
	nonce := make([]byte, 12)
	zero := make([]byte, 1<<20)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == kernelGeneric {
			return
		}
		key := randomBytes(32)
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		for i, pair := range [][2]cipher.AEAD{{a, std}, {std, a}} {
			clear(buf)
			pair[0].Seal(buf[:0], nonce, buf[:n], nil)
			got, err := pair[1].Open(buf[:0], nonce, buf, nil)
			if err != nil {
				t.Fatal(fmt.Sprint([]string{"Seal", "Open"}[i], " differs: ", err))
			}
			for len(got) > 0 {
				k := min(len(got), len(zero))
				if !bytes.Equal(got[:k], zero[:k]) {
					t.Fatal([]string{"Seal", "Open"}[i], " differs")
				}
				got = got[k:]
			}
		}
	})
}
