// SPDX-License-Identifier: ISC

// Package reference is AES-GCM read off NIST SP 800-38D, slow and obvious, to
// test kernels against. It takes AES on one block from crypto/aes and nothing
// else. It is not constant time: never use it on secrets.
package reference

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// Seal returns the ciphertext of plaintext followed by a tag of tagSize bytes
// (algorithm 4). The nonce has 1 byte or more.
func Seal(key, nonce, aad, plaintext []byte, tagSize int) []byte {
	ciph := newCIPH(key)
	h := hashKey(ciph)
	j0 := preCounter(h, nonce)
	c := gctr(ciph, inc32(j0), plaintext)
	return append(c, tag(ciph, h, j0, aad, c)[:tagSize]...)
}

// Open returns the plaintext of sealed, which ends with a tag of tagSize bytes,
// and whether the tag matched (algorithm 5).
func Open(key, nonce, aad, sealed []byte, tagSize int) ([]byte, bool) {
	if len(sealed) < tagSize {
		return nil, false
	}
	c, t := sealed[:len(sealed)-tagSize], sealed[len(sealed)-tagSize:]
	ciph := newCIPH(key)
	h := hashKey(ciph)
	j0 := preCounter(h, nonce)
	if !bytes.Equal(t, tag(ciph, h, j0, aad, c)[:tagSize]) {
		return nil, false
	}
	return gctr(ciph, inc32(j0), c), true
}

// Turns returns what whole blocks within a message become, sealed or opened, and
// the state behind them. A state is Xi, then the counter block of the next block.
func Turns(key []byte, state [32]byte, in []byte, open bool) (out []byte, behind [32]byte) {
	ciph := newCIPH(key)
	xi, cb := block(state[:16]), block(state[16:])
	out = gctr(ciph, cb, in)
	c := bytes.Clone(out)
	if open {
		copy(c, in)
	}
	for ; len(c) > 0; c = c[16:] {
		xi = multiply(xor(xi, block(c[:16])), hashKey(ciph))
		cb = inc32(cb)
	}
	return out, [32]byte(append(xi[:], cb[:]...))
}

// TagOfZeros returns the tag of a ciphertext of n zero bytes without AAD, for
// any n: zeros leave GHASH at zero until the lengths come.
func TagOfZeros(key, nonce []byte, n int) []byte {
	ciph := newCIPH(key)
	h := hashKey(ciph)
	s := ghash(h, lengths(0, n))
	return gctr(ciph, preCounter(h, nonce), s[:])
}

// block is 16 bytes, as the standard writes them from left to right.
type block [16]byte

func newCIPH(key []byte) cipher.Block {
	c, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	return c
}

// encrypt is CIPH_K(b).
func encrypt(ciph cipher.Block, b block) block {
	var out block
	ciph.Encrypt(out[:], b[:])
	return out
}

// hashKey is H = CIPH_K(0¹²⁸).
func hashKey(ciph cipher.Block) block { return encrypt(ciph, block{}) }

// preCounter is J0, step 2 of algorithm 4.
func preCounter(h block, nonce []byte) block {
	var j0 block
	if len(nonce) == 12 {
		copy(j0[:], nonce)
		j0[15] = 1
		return j0
	}
	return ghash(h, pad(nonce), lengths(0, len(nonce)))
}

// tag is the full tag, steps 4 to 6 of algorithm 4.
func tag(ciph cipher.Block, h, j0 block, aad, c []byte) []byte {
	s := ghash(h, pad(aad), pad(c), lengths(len(aad), len(c)))
	return gctr(ciph, j0, s[:])
}

// pad fills x with zeros to whole blocks.
func pad(x []byte) []byte {
	return append(bytes.Clone(x), make([]byte, -len(x)&15)...)
}

// lengths is two lengths, given in bytes, as 64-bit numbers of bits.
func lengths(x, y int) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(x)*8)
	return binary.BigEndian.AppendUint64(b, uint64(y)*8)
}

// inc32 adds 1 to the last 32 bits, modulo 2³² (section 6.2).
func inc32(b block) block {
	n := binary.BigEndian.Uint32(b[12:])
	binary.BigEndian.PutUint32(b[12:], n+1)
	return b
}

// ghash is GHASH_H over the parts laid end to end (algorithm 2). Each part has
// whole blocks.
func ghash(h block, parts ...[]byte) block {
	var y block
	for x := bytes.Join(parts, nil); len(x) > 0; x = x[16:] {
		y = multiply(xor(y, block(x[:16])), h)
	}
	return y
}

// gctr is GCTR_K(icb, x) (algorithm 3).
func gctr(ciph cipher.Block, icb block, x []byte) []byte {
	y := make([]byte, 0, len(x)+16)
	for cb := icb; len(x) > 0; cb = inc32(cb) {
		ks := encrypt(ciph, cb)
		n := min(16, len(x))
		for i := range n {
			y = append(y, x[i]^ks[i])
		}
		x = x[n:]
	}
	return y
}
