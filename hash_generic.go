// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"crypto/subtle"
)

// genericHash is GHASH of data that comes in pieces, by crypto/cipher, which
// does whole messages: docs/ALGORITHMS.md, 11.
type genericHash struct {
	full  cipher.AEAD
	nonce []byte          // any will do
	key   element         // H
	w     element         // W: the state after the blocks before buf, times H
	buf   [chunkSize]byte // the bytes since
	n     int             // how many they are

	zeros   int     // bytes
	ofZeros element // mac of so many zeros
}

// newGenericHash begins a hash under the key of g, for nonces of so many bytes.
func newGenericHash(g *generic, nonceSize int) *genericHash {
	h := &genericHash{full: g.full, nonce: make([]byte, nonceSize)}
	g.block.Encrypt(h.key[:], zeros[:16])
	return h
}

// write hashes p.
func (h *genericHash) write(p []byte) {
	for len(p) > 0 {
		if h.n == chunkSize {
			h.absorb()
		}
		n := copy(h.buf[h.n:], p)
		h.n, p = h.n+n, p[n:]
	}
}

// pad fills up the last block with zeros.
func (h *genericHash) pad() { h.write(zeros[:-h.n&15]) }

// sum pads, hashes two lengths, given in bytes, as numbers of bits, and returns
// the hash.
func (h *genericHash) sum(aadLen, textLen uint64) element {
	h.pad()
	h.absorb()
	return add(h.w, multiply(lengthBlock(aadLen, textLen), h.key))
}

func (h *genericHash) wipe() { *h = genericHash{} }

// absorb moves whole blocks from buf to w.
func (h *genericHash) absorb() {
	p := h.buf[:h.n]
	h.n = 0
	switch len(p) {
	case 0:
	case 16: // there is no second block to add w to
		h.w = multiply(add(h.w, multiply(element(p), h.key)), h.key)
	default:
		subtle.XORBytes(p[16:32], p[16:32], h.w[:])
		h.mac(&h.w, p)
		if h.zeros != len(p) {
			h.zeros = len(p)
			h.mac(&h.ofZeros, zeros[:len(p)])
		}
		h.w = add(h.w, h.ofZeros)
	}
}

// mac is the tag of an empty text with p as AAD.
func (h *genericHash) mac(tag *element, p []byte) {
	h.full.Seal(tag[:0], h.nonce, nil, p)
}
