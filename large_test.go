// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/bits"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/reference"
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
		if kernel == dispatch.Generic {
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
		if kernel == dispatch.Generic {
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

// TestMoreThan4GiB seals and opens a text whose bytes need more than 32 bits to
// count. The input is one page of zeros, and the output one piece of memory
// again and again. It runs only where GCM_LONG is set.
func TestMoreThan4GiB(t *testing.T) {
	if os.Getenv("GCM_LONG") == "" {
		t.Skip("takes very long: set GCM_LONG=1")
	}
	const size = 1<<32 + 1<<20 + 77
	in := mapping(t, size+16, unix.PROT_READ)
	n := len(in) - 16
	last := in[n&^(os.Getpagesize()-1):]
	if err := unix.Mprotect(last, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	out := repeated(t, size+16)
	nonce := make([]byte, 12)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic {
			return
		}
		key := randomBytes(16)
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		clear(in[n:])
		want := bytes.Clone(std.Seal(out[:0], nonce, in[:n], nil)[n-50:])
		if got := a.Seal(out[:0], nonce, in[:n], nil)[n-50:]; !bytes.Equal(got, want) {
			t.Errorf("Seal ends with %x, want %x", got, want)
		}
		copy(in[n:], reference.TagOfZeros(key, nonce, n))
		if _, err := a.Open(out[:0], nonce, in, nil); err != nil {
			t.Error(err)
		}
		in[n] ^= 1
		copy(out[n-100:], pool[:100])
		if _, err := a.Open(out[:0], nonce, in, nil); err == nil || !bytes.Equal(out[n-100:n], make([]byte, 100)) {
			t.Errorf("a forged message gives %v and leaves %x", err, out[n-100:n])
		}
	})
}

// repeated returns size bytes of address space in which the same 64 MiB of
// memory appear again and again.
func repeated(t *testing.T, size uint64) []byte {
	const piece = 64 << 20
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(piece); err != nil {
		t.Fatal(err)
	}
	all := mapping(t, size+piece, unix.PROT_NONE)
	for at := 0; at+piece <= len(all); at += piece {
		_, err := unix.MmapPtr(int(file.Fd()), 0, unsafe.Pointer(&all[at]), piece,
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all[:size]
}
