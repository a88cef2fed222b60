// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
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
