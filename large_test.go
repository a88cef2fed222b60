// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"crypto/cipher"
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

// TestLargeAAD authenticates 512 MiB, and 4 GiB and one byte, all of them one
// page of zeros, so that counts of bits and of bytes need more than 32 bits.
func TestLargeAAD(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	zeros := mapping(t, 1<<32+1, unix.PROT_READ)
	nonce, text := make([]byte, 12), pool[:100]
	for _, n := range []uint64{1 << 29, 1<<32 + 1} {
		aad := zeros[:int(n)]
		want := stdlib(t, make([]byte, 16), 12, 16).Seal(nil, nonce, text, aad)
		onEveryKernel(t, func(t *testing.T, kernel string) {
			if kernel == dispatch.Generic {
				return // which is what would be compared with
			}
			a := make1(t, make([]byte, 16), Options{Kernel: kernel})
			if got := a.Seal(nil, nonce, text, aad); !bytes.Equal(got, want) {
				t.Errorf("AAD of %d bytes: Seal gives %x, want %x", n, got, want)
			}
			if got, err := a.Open(nil, nonce, want, aad); err != nil || !bytes.Equal(got, text) {
				t.Errorf("AAD of %d bytes: Open gives %x, %v", n, got, err)
			}
		})
	}
}

// TestLargeText seals and opens 256 MiB, and so much that the bits need more than
// 32 bits to count. The counter of a 12-byte nonce carries out of its low three
// bytes.
func TestLargeText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const most = 1<<29 + 1<<16 + 5
	buf := mapping(t, most+16, unix.PROT_READ|unix.PROT_WRITE)
	nonce := make([]byte, 12)
	zero := make([]byte, 1<<20)
	for _, n := range []int{1 << 28, most} {
		buf := buf[:n+16]
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
					t.Fatalf("text of %d bytes: %s differs: %v", n, []string{"Seal", "Open"}[i], err)
				}
				for len(got) > 0 {
					k := min(len(got), len(zero))
					if !bytes.Equal(got[:k], zero[:k]) {
						t.Fatalf("text of %d bytes: %s differs", n, []string{"Seal", "Open"}[i])
					}
					got = got[k:]
				}
			}
		})
	}
}

// TestMoreThan4GiB seals and opens a text of 4 GiB and 17 bytes, whose bytes need
// more than 32 bits to count, through every door. The input is one page of zeros,
// and the output one piece of memory again and again: what was written last to
// each byte of that is compared, and the tag of all. It runs only where GCM_LONG
// is set.
func TestMoreThan4GiB(t *testing.T) {
	if os.Getenv("GCM_LONG") == "" {
		t.Skip("takes very long: set GCM_LONG=1")
	}
	const size = 1<<32 + 17
	in := mapping(t, size+16, unix.PROT_READ)
	n := len(in) - 16
	page := os.Getpagesize()
	if err := unix.Mprotect(in[n&^(page-1):], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	out := repeated(t, size+16)
	nonce, key := make([]byte, 12), randomBytes(16)
	tag := reference.TagOfZeros(key, nonce, n)
	stdlib(t, key, 12, 16).Seal(out[:0], nonce, in[:n], nil)
	want := bytes.Clone(out[len(out)-period:])
	test := func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic {
			return
		}
		a := make1(t, key, Options{Kernel: kernel})
		clear(out[:period])
		clear(in[n:])
		got := a.Seal(out[:0], nonce, in[:n], nil)
		if got := got[len(got)-period:]; !bytes.Equal(got, want) {
			t.Errorf("Seal differs, and ends with %x, want %x", got[period-33:], want[period-33:])
		}
		// To open zeros gives what sealing them gives, with another tag.
		clear(out[:period])
		copy(in[n:], tag)
		if _, err := a.Open(out[:0], nonce, in, nil); err != nil {
			t.Error(err)
		}
		if got := out[len(out)-period : n]; !bytes.Equal(got, want[:period-16]) {
			t.Errorf("Open differs, and ends with %x, want %x", got[len(got)-17:], want[period-33:period-16])
		}
		in[n] ^= 1
		copy(out, bytes.Repeat(fence, period/len(fence)))
		if _, err := a.Open(out[:0], nonce, in, nil); err == nil {
			t.Error("a forged message opens")
		}
		if got := out[len(out)-period : n]; len(bytes.TrimLeft(got, "\x00")) > 0 {
			t.Error("a forged message leaves text")
		}
	}
	onEveryKernel(t, test)
	t.Run("direct", func(t *testing.T) {
		defer dispatch.Force(dispatch.Direct)()
		test(t, Kernels()[0])
	})
}

// period is the number of bytes of memory that repeated shows: less than the
// caches hold, and a multiple of all pages.
const period = 1 << 20

// repeated returns size bytes of address space in which the same memory appears
// again and again.
func repeated(t *testing.T, size uint64) []byte {
	file, err := os.CreateTemp("/dev/shm", "") // where Linux never writes pages to a disk
	if err != nil {
		file, err = os.CreateTemp(t.TempDir(), "")
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(file.Name())
	defer file.Close()
	if err := file.Truncate(period); err != nil {
		t.Fatal(err)
	}
	all := mapping(t, size+period, unix.PROT_NONE)
	for at := 0; at+period <= len(all); at += period {
		_, err := unix.MmapPtr(int(file.Fd()), 0, unsafe.Pointer(&all[at]), period,
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all[:size]
}
