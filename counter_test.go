// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stitchgcm/gcm/internal/reference"
)

// TestCounterWraps starts the counter so near to each of its carries that it
// crosses them at every block of short and of bulk messages. The nonces of 16
// bytes are solved for J0. A carry out of the 32 bits must be lost: the bytes
// before them are all ones, so that it would show.
func TestCounterWraps(t *testing.T) {
	carries := []uint32{0, 1 << 8, 1 << 16, 1 << 24, 1 << 31, 0xFFFF0000, 0xFFFFFF00}
	sizes := []int{0, 1, 15, 16, 17, 33, 64, 100, 127, 256, 300, 513, 768, 1024, 1350, 2047, 4096, 5001}
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a, std := make1(t, key, Options{NonceSize: 16, Kernel: kernel}), stdlib(t, key, 16, 16)
		for _, carry := range carries {
			for before := uint32(0); before <= 330; before++ {
				if before > 70 && (before%16 > 2 || testing.Short()) {
					continue
				}
				var j0 [16]byte
				copy(j0[:], bytes.Repeat([]byte{0xFF}, 12))
				binary.BigEndian.PutUint32(j0[12:], carry-before)
				nonce := reference.NonceFor(key, j0)
				for i, n := range sizes {
					if testing.Short() && (i+int(before))%4 != 0 {
						continue
					}
					text, aad := pool[before:][:n], pool[:before%20]
					compare(t, a, nonce[:], text, aad, std.Seal(nil, nonce[:], text, aad))
				}
				if text := pool[:1100]; before%8 == 0 {
					want := reference.Seal(key, nonce[:], nil, text, 16)
					if got := a.Seal(nil, nonce[:], text, nil); !bytes.Equal(got, want) {
						t.Errorf("J0 = %x: Seal differs from the reference", j0)
					}
				}
			}
		}
	})
}

// TestLongText carries the counter of a 12-byte nonce out of its low two bytes,
// past 1 MiB.
func TestLongText(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		text := bytes.Repeat(pool[:4099], (1<<20)/4099+10)
		for _, n := range []int{1<<20 - 33, 1<<20 - 16, 1 << 20, 1<<20 + 1, len(text)} {
			compare(t, a, pool[n%100:][:12], text[:n], pool[:20], std.Seal(nil, pool[n%100:][:12], text[:n], pool[:20]))
		}
	})
}
