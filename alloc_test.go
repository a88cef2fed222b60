// SPDX-License-Identifier: ISC

package gcm

import (
	"testing"
	"unsafe"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestAllocations counts allocations: none where dst has room, otherwise one,
// and one for a new AEAD on a kernel.
func TestAllocations(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, o := range []Options{{}, {NonceSize: 20}, {TagSize: 12}, {NonceSize: 1, TagSize: 15}} {
			o.Kernel = kernel
			if kernel == dispatch.Generic && o.TagSize != 0 && raceEnabled {
				continue // sync.Pool drops things at random under the race detector
			}
			a := make1(t, randomBytes(16), o)
			if doorFor(0, a.NonceSize()) == dispatch.Pieces && a.NonceSize() != 12 {
				continue // these pieces take counter mode from crypto/aes
			}
			for _, n := range []int{0, 16, 1350, 20000} {
				nonce, text, aad := randomBytes(a.NonceSize()), randomBytes(n), randomBytes(20)
				sealed := a.Seal(nil, nonce, text, aad)
				buf := make([]byte, len(sealed))
				check := func(what string, want float64, f func()) {
					t.Helper()
					if got := testing.AllocsPerRun(50, f); got != want {
						t.Errorf("%+v, %d bytes: %s allocates %v times, want %v", o, n, what, got, want)
					}
				}
				check("Seal with room", 0, func() { a.Seal(buf[:0], nonce, text, aad) })
				check("Open with room", 0, func() { a.Open(buf[:0], nonce, sealed, aad) })
				check("Seal without room", 1, func() { sink = a.Seal(nil, nonce, text, aad) })
				if n > 0 {
					check("Open without room", 1, func() { sink, _ = a.Open(nil, nonce, sealed, aad) })
				}
				sealed[0] ^= 1
				check("failing Open", 0, func() { a.Open(buf[:0], nonce, sealed, aad) })
			}
		}
		if kernel == dispatch.Generic {
			return
		}
		key := randomBytes(32)
		if got := testing.AllocsPerRun(50, func() { sinkAEAD, _ = NewWithOptions(key, Options{Kernel: kernel}) }); got != 1 {
			t.Errorf("NewWithOptions allocates %v times, want 1", got)
		}
		if off := uintptr(unsafe.Pointer(&sinkAEAD.block)) % 64; off != 0 {
			t.Errorf("the key block lies %d bytes past a cache line", off)
		}
	})
}

// TestAllocationsLong does the same for messages that go in pieces, in each form.
func TestAllocationsLong(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic || raceEnabled {
			return // crypto/cipher has its own ways; what the race detector is told of escapes
		}
		for _, tagSize := range []int{12, 16} {
			a := make1(t, randomBytes(32), Options{TagSize: tagSize, Kernel: kernel})
			nonce, aad, tag := randomBytes(12), randomBytes(20), make([]byte, tagSize)
			for _, n := range []int{1 << 20, 8 << 20} {
				if testing.Short() && n > 1<<20 {
					continue
				}
				text := make([]byte, n)
				sealed := a.Seal(nil, nonce, text, aad)
				forged := flip(sealed, 8*n)
				buf := make([]byte, len(sealed))
				check := func(what string, want float64, f func()) {
					t.Helper()
					if got := testing.AllocsPerRun(3, f); got != want {
						t.Errorf("%d bytes: %s allocates %v times, want %v", n, what, got, want)
					}
				}
				check("Seal", 0, func() { a.Seal(buf[:0], nonce, text, aad) })
				check("Open", 0, func() { a.Open(buf[:0], nonce, sealed, aad) })
				check("failing Open", 0, func() { a.Open(buf[:0], nonce, forged, aad) })
				check("SealDetached", 0, func() { a.SealDetached(buf[:0], tag, nonce, text, aad) })
				check("OpenDetached", 0, func() { a.OpenDetached(buf[:0], sealed[n:], nonce, sealed[:n], aad) })
				check("SealGather", 0, func() { a.SealGather(buf[:0], nonce, [][]byte{text[:n/3], text[n/3:]}, aad) })
				check("OpenGather", 0, func() { a.OpenGather(buf[:0], nonce, [][]byte{sealed[:n/3], sealed[n/3:]}, aad) })
				check("a Sealer", 1, func() {
					s := a.NewSealer(nonce, aad)
					sinkPieces = s
					s.Tag(s.Seal(s.Seal(buf[:0], text[:n/3]), text[n/3:]))
				})
				check("an UnverifiedOpener", 1, func() {
					o := a.NewUnverifiedOpener(nonce, aad)
					sinkPieces = o
					o.OpenUnverified(buf[:0], sealed[:n/3])
					o.OpenUnverified(buf[:0], sealed[n/3:n])
					if err := o.Verify(sealed[n:]); err != nil {
						t.Error(err)
					}
				})
			}
		}
	})
}

// What is assigned to these escapes.
var (
	sink       []byte
	sinkAEAD   *AEAD
	sinkPieces any
)
