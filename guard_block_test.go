// SPDX-License-Identifier: ISC

//go:build unix && (amd64 || arm64)

package gcm

import (
	"bytes"
	"testing"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// onEveryBlock runs a test once for each key size of each kernel, through every
// door.
func onEveryBlock(t *testing.T, test func(t *testing.T, kernel string, key []byte)) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		if kernel != dispatch.Generic {
			test(t, kernel, key)
		}
	})
}

// TestGuardedBlock puts the key block against an unreadable page, at its end and
// at its start, and makes it read-only once it is set up.
func TestGuardedBlock(t *testing.T) {
	onEveryBlock(t, func(t *testing.T, kernel string, key []byte) {
		std := stdlib(t, key, 12, 16)
		for _, end := range []bool{false, true} {
			g := newGuarded(t, direct.KeyBlockSize)
			block := (*direct.KeyBlock)(g.take(direct.KeyBlockSize, end))
			setup(kernel, block, key)
			g.readOnly(t, true)
			tag := make([]byte, 16)
			for n := range 1101 {
				in, aad, nonce := pool[n:][:n], pool[:n%300], pool[n:][:12]
				want := std.Seal(nil, nonce, in, aad)
				out := make([]byte, n)
				seal(block, out, in, aad, nonce, tag)
				if !bytes.Equal(out, want[:n]) || !bytes.Equal(tag, want[n:]) {
					t.Fatalf("text of %d bytes: Seal differs", n)
				}
				if !open(block, out, out, aad, nonce, tag) || !bytes.Equal(out, in) {
					t.Fatalf("text of %d bytes: Open differs", n)
				}
			}
		}
	})
}

// TestBlock checks that a key block works on every 8-byte boundary and wherever
// it is copied, that it names its kernel and rounds, that setup leaves the bytes
// beside those alone, and that what was in it before does not matter. Tags may
// be as short as 4 bytes.
func TestBlock(t *testing.T) {
	onEveryBlock(t, func(t *testing.T, kernel string, key []byte) {
		std := stdlib(t, key, 12, 16)
		arena := make([]byte, 2*direct.KeyBlockSize)
		for offset := 0; offset < 128; offset += 8 {
			copy(arena, pool[offset:])
			block := (*direct.KeyBlock)(arena[offset:])
			setup(kernel, block, key)
			if block[240] != direct.ID(kernel) || int(block[241]) != 6+len(key)/4 {
				t.Errorf("bytes 240 and 241 are %d and %d", block[240], block[241])
			}
			if !bytes.Equal(arena[:offset], pool[offset:][:offset]) ||
				!bytes.Equal(block[242:256], pool[2*offset+242:][:14]) ||
				!bytes.Equal(arena[offset+len(block):], pool[2*offset+len(block):][:len(arena)-offset-len(block)]) {
				t.Error("setup writes where it should not")
			}
			moved := new(direct.KeyBlock)
			*moved = *block
			for _, n := range []int{0, 5, 64, 1000, 5000} {
				want := std.Seal(nil, pool[:12], pool[:n], pool[:20])
				for tagSize := 4; tagSize <= 16; tagSize++ {
					got, intact := fenced(n + tagSize)
					seal(block, got[:n], pool[:n], pool[:20], pool[:12], got[n:])
					if !bytes.Equal(got, want[:n+tagSize]) || !intact() {
						t.Errorf("offset %d, text of %d, tag of %d bytes: Seal differs", offset, n, tagSize)
					}
					if !open(moved, got[:n], got[:n], pool[:20], pool[:12], got[n:]) || !bytes.Equal(got[:n], pool[:n]) {
						t.Errorf("offset %d, text of %d, tag of %d bytes: Open differs", offset, n, tagSize)
					}
				}
			}
		}
	})
}

// TestGuardedTag puts a tag of 4 to 16 bytes, apart from its text, against
// unreadable pages; Open gets it read-only.
func TestGuardedTag(t *testing.T) {
	onEveryBlock(t, func(t *testing.T, kernel string, key []byte) {
		block := new(direct.KeyBlock)
		setup(kernel, block, key)
		std, g := stdlib(t, key, 12, 16), newGuarded(t, 16)
		nonce, aad := pool[:12], pool[:20]
		for _, n := range []int{0, 1, 16, 100, 1300, 2500} {
			want := std.Seal(nil, nonce, pool[:n], aad)
			for tagSize := 4; tagSize <= 16; tagSize++ {
				for _, end := range []bool{false, true} {
					tag, out := g.take(tagSize, end), make([]byte, n)
					g.readOnly(t, false)
					seal(block, out, pool[:n], aad, nonce, tag)
					if !bytes.Equal(out, want[:n]) || !bytes.Equal(tag, want[n:][:tagSize]) {
						t.Fatalf("text of %d, tag of %d bytes: Seal differs", n, tagSize)
					}
					for _, forged := range []byte{0, 1} {
						g.readOnly(t, false)
						tag[tagSize-1] ^= forged
						g.readOnly(t, true)
						if open(block, out, want[:n], aad, nonce, tag) != (forged == 0) {
							t.Fatalf("text of %d, tag of %d bytes: Open is wrong about the tag", n, tagSize)
						}
					}
				}
			}
		}
	})
}
