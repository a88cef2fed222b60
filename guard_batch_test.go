// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestGuardPagesBatch puts the packets of a batch and every slice of theirs against
// unreadable pages, at their ends and at their starts, with what is only read in
// read-only memory.
func TestGuardPagesBatch(t *testing.T) {
	const four, most = 4, 3100
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		var in, out, aad, nonce [four]guarded
		for i := range four {
			in[i], out[i] = newGuarded(t, most+16), newGuarded(t, most+16)
			aad[i], nonce[i] = newGuarded(t, 64), newGuarded(t, 12)
		}
		table := newGuarded(t, four*int(unsafe.Sizeof(Packet{})))
		readOnly := func(on bool) {
			for i := range four {
				in[i].readOnly(t, on)
				aad[i].readOnly(t, on)
				nonce[i].readOnly(t, on)
			}
		}
		for c, size := range batchSizes {
			if size > most {
				continue
			}
			a := make1(t, key, Options{TagSize: 12 + c%5, Kernel: kernel})
			for _, m := range []int{0, 1, 13, 16, 17, 33, 64} {
				for _, end := range []bool{true, false} {
					for _, open := range []bool{false, true} {
						// The collector does not look there for pointers, and need not:
						// what they point to is no garbage as long as the test runs.
						at := table.take(four*int(unsafe.Sizeof(Packet{})), end)
						p, want := unsafe.Slice((*Packet)(unsafe.Pointer(&at[0])), four), make([][]byte, four)
						clear(p)
						for i := range p {
							n := max(0, size-i) // of about the same length
							if n/256 != size/256 {
								n = size
							}
							k := &p[i]
							k.Nonce, k.AAD = nonce[i].take(12, end), aad[i].take(max(0, m-i), end)
							copy(k.Nonce, pool[i:])
							copy(k.AAD, pool[i:])
							text := pool[size+i:][:n]
							sealed := a.Seal(nil, k.Nonce, text, k.AAD)
							from := text
							want[i] = sealed
							if open {
								from, want[i] = sealed, text
							}
							k.Text = in[i].take(len(from), end)
							copy(k.Text, from)
							k.Dst = out[i].take(len(want[i]), end)[:0]
						}
						readOnly(true)
						opened := all(a, p, open)
						readOnly(false)
						for i, k := range p {
							if !bytes.Equal(k.Dst, want[i]) || open && opened != four {
								t.Fatalf("texts of about %d, AAD of about %d bytes, open %v: packet %d differs", size, m, open, i)
							}
						}
					}
				}
			}
		}
	})
}
