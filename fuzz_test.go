// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/stitchgcm/gcm/internal/reference"
)

// FuzzDifferential compares every kernel with the reference, and with
// crypto/cipher where that has such an AEAD.
//
//	go test -fuzz FuzzDifferential
func FuzzDifferential(f *testing.F) {
	f.Add(pool[:16], pool[:12], pool[:20], pool[:100], uint8(16), uint16(3))
	f.Add(pool[:24], pool[:1], []byte{}, pool[:257], uint8(12), uint16(0))
	f.Add(pool[:32], pool[:33], pool[:64], []byte{}, uint8(15), uint16(0))
	f.Add(pool[:16], pool[:16], pool[:1], pool[:3000], uint8(13), uint16(9999))
	f.Fuzz(func(t *testing.T, key, nonce, aad, text []byte, tagSize uint8, flipped uint16) {
		// Any bytes make a key: cut or filled up to the next size.
		key = append(bytes.Clone(key), make([]byte, 16)...)
		key = key[:min(len(key)/8*8, 32)]
		if len(nonce) == 0 {
			return
		}
		o := Options{NonceSize: len(nonce), TagSize: 12 + int(tagSize)%5}
		want := reference.Seal(key, nonce, aad, text, o.TagSize)
		if std := stdlib(t, key, len(nonce), 16).Seal(nil, nonce, text, aad); !bytes.Equal(want, std[:len(want)]) {
			t.Fatal("the reference and crypto/cipher differ")
		}
		forged := flip(want, int(flipped)%(8*len(want)))
		for _, o.Kernel = range Kernels() {
			a := make1(t, key, o)
			compare(t, a, nonce, text, aad, want)
			refused(t, a, nonce, forged, aad)
		}
	})
}

// FuzzContract lays dst, nonce, text and AAD anywhere in one array, overlapping
// as they may, and demands the bytes, the results and the panics of
// crypto/cipher.
//
//	go test -fuzz FuzzContract
func FuzzContract(f *testing.F) {
	f.Add(uint16(0), uint16(0), uint16(100), uint16(200), uint16(20), uint16(210), uint16(20), uint16(300), uint8(12))
	f.Add(uint16(150), uint16(50), uint16(500), uint16(200), uint16(20), uint16(230), uint16(20), uint16(300), uint8(12))
	f.Add(uint16(150), uint16(50), uint16(500), uint16(200), uint16(20), uint16(230), uint16(20), uint16(300), uint8(11))
	f.Fuzz(func(t *testing.T, dstAt, dstLen, dstCap, textAt, textLen, aadAt, aadLen, nonceAt uint16, nonceLen uint8) {
		const size = 2048
		cut := func(b []byte, at, n uint16) []byte {
			b = b[at%size:]
			return b[:int(n)%(len(b)+1)]
		}
		run := func(a cipher.AEAD, open bool) (b []byte, text string) {
			b = randomBytes(size)
			whole := cut(b, dstAt, dstCap)
			dst := whole[: int(dstLen)%(len(whole)+1) : len(whole)]
			in, aad, nonce := cut(b, textAt, textLen), cut(b, aadAt, aadLen), cut(b, nonceAt, uint16(nonceLen%16))
			if open && len(nonce) == 12 && len(in) >= 16 {
				// Most of the time this makes in a message that opens.
				sealed := a.Seal(nil, nonce, in[:len(in)-16], aad)
				copy(in, sealed)
			}
			text = catch(func() {
				var got []byte
				var err error
				if open {
					got, err = a.Open(dst, nonce, in, aad)
				} else {
					got = a.Seal(dst, nonce, in, aad)
				}
				b = append(append(b, got...), fmt.Sprint(got == nil, cap(got), err)...)
			})
			return b, text
		}
		key := randomBytes(16)
		for _, kernel := range Kernels() {
			a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
			same(t, kernel+": Seal", func(a cipher.AEAD) ([]byte, string) { return run(a, false) }, a, std)
			same(t, kernel+": Open", func(a cipher.AEAD) ([]byte, string) { return run(a, true) }, a, std)
		}
	})
}
