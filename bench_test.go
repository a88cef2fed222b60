// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
)

var benchSizes = []int{0, 16, 64, 256, 1350, 16384, 1 << 20} // bytes

// rivals calls bench for each kernel, and for crypto/cipher as "stdlib", each
// with each key size.
func rivals(b *testing.B, bench func(b *testing.B, a cipher.AEAD, size int)) {
	for _, keySize := range keySizes {
		key := randomBytes(keySize)
		aeads := map[string]cipher.AEAD{"stdlib": stdlib(b, key, 12, 16)}
		names := append(Kernels(), "stdlib")
		for _, k := range Kernels() {
			aeads[k] = make1(b, key, Options{Kernel: k})
		}
		for _, size := range benchSizes {
			for _, name := range names {
				b.Run(fmt.Sprintf("%d/%d/%s", 8*keySize, size, name), func(b *testing.B) {
					b.SetBytes(int64(size))
					b.ReportAllocs()
					bench(b, aeads[name], size)
				})
			}
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	rivals(b, func(b *testing.B, a cipher.AEAD, size int) {
		nonce, text, aad := make([]byte, 12), make([]byte, size), make([]byte, 13)
		out := make([]byte, 0, size+16)
		for b.Loop() {
			a.Seal(out, nonce, text, aad)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	rivals(b, func(b *testing.B, a cipher.AEAD, size int) {
		nonce, aad := make([]byte, 12), make([]byte, 13)
		sealed := a.Seal(nil, nonce, make([]byte, size), aad)
		out := make([]byte, 0, size)
		for b.Loop() {
			if _, err := a.Open(out, nonce, sealed, aad); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkNonces seals under nonces that were written right before, in ways that
// programs have.
func BenchmarkNonces(b *testing.B) {
	other := randomBytes(12)
	for _, way := range []struct {
		name  string
		write func(nonce []byte, n uint64)
	}{
		{"kept", func([]byte, uint64) {}},
		{"8 bytes behind 4", func(nonce []byte, n uint64) { binary.BigEndian.PutUint64(nonce[4:], n) }},
		{"copied", func(nonce []byte, n uint64) { copy(nonce, other) }},
		{"1 byte", func(nonce []byte, n uint64) { nonce[11]++ }},
	} {
		for _, kernel := range Kernels() {
			for _, size := range []int{16, 256} {
				b.Run(fmt.Sprintf("%s/%d/%s", way.name, size, kernel), func(b *testing.B) {
					a := make1(b, randomBytes(16), Options{Kernel: kernel})
					nonce, text, aad := make([]byte, 12), make([]byte, size), make([]byte, 13)
					out := make([]byte, 0, size+16)
					for n := uint64(0); b.Loop(); n++ {
						way.write(nonce, n)
						a.Seal(out, nonce, text, aad)
					}
				})
			}
		}
	}
}

// BenchmarkForms seals in other ways than by Seal.
func BenchmarkForms(b *testing.B) {
	key := randomBytes(32)
	a, err := New(key)
	counters, err1 := NewWithCounterNonce(key, make([]byte, 12))
	random, err2 := NewWithRandomNonce(key)
	x, err3 := NewXAES(key)
	if err := errors.Join(err, err1, err2, err3); err != nil {
		b.Fatal(err)
	}
	var number [8]byte
	nonce, tag, aad := make([]byte, 24), make([]byte, 16), make([]byte, 13)
	for _, size := range []int{16, 256} {
		text, out := make([]byte, size), make([]byte, 0, size+28)
		slices := [][]byte{text[:5], text[5:]}
		for _, f := range []struct {
			name string
			seal func()
		}{
			{"Seal", func() { a.Seal(out, nonce[:12], text, aad) }},
			{"SealDetached", func() { a.SealDetached(out, tag, nonce[:12], text, aad) }},
			{"SealGather", func() { a.SealGather(out, nonce[:12], slices, aad) }},
			{"NewWithCounterNonce", func() {
				binary.BigEndian.PutUint64(number[:], binary.BigEndian.Uint64(number[:])+1)
				counters.Seal(out, number[:], text, aad)
			}},
			{"NewWithRandomNonce", func() { random.Seal(out, nil, text, aad) }},
			{"NewXAES", func() { x.Seal(out, nonce, text, aad) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", size, f.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f.seal()
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for _, keySize := range keySizes {
		key := randomBytes(keySize)
		for _, kernel := range Kernels() {
			b.Run(fmt.Sprintf("%d/%s", 8*keySize, kernel), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkAEAD, _ = NewWithOptions(key, Options{Kernel: kernel})
				}
			})
		}
		b.Run(fmt.Sprintf("%d/stdlib", 8*keySize), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				block, _ := aes.NewCipher(key)
				sinkStdlib, _ = cipher.NewGCM(block)
			}
		})
	}
}

var sinkStdlib cipher.AEAD
