// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
)

// hash is GHASH of data that comes in pieces, from kernels, which do whole
// messages: docs/ALGORITHMS.md, 11.
type hash struct {
	a     *AEAD
	nonce []byte          // for mac: any will do
	key   element         // H
	w     element         // W: the state after the blocks before buf, times H
	buf   [chunkSize]byte // the bytes since
	n     int             // how many they are

	zeros   int     // bytes
	ofZeros element // mac of so many zeros
}

// chunkSize is how many bytes go into a kernel at once: enough for its bulk
// loop, and little enough to stay in the nearest cache.
const chunkSize = 2048

// zeroChunk stays zero.
var zeroChunk [chunkSize]byte

// init begins a hash under the key of a, of which block is AES.
func (h *hash) init(a *AEAD, block cipher.Block) {
	h.a, h.nonce = a, make([]byte, a.nonceSize)
	block.Encrypt(h.key[:], zeroChunk[:16])
}

// write hashes p.
func (h *hash) write(p []byte) {
	for len(p) > 0 {
		if h.n == chunkSize {
			h.absorb()
		}
		n := copy(h.buf[h.n:], p)
		h.n, p = h.n+n, p[n:]
	}
}

// pad fills up the last block with zeros.
func (h *hash) pad() { h.write(zeroChunk[:-h.n&15]) }

// sum pads, hashes two lengths, given in bytes, as numbers of bits, and returns
// the hash. The next one begins from nothing.
func (h *hash) sum(aadLen, textLen uint64) element {
	h.pad()
	h.absorb()
	var lengths element
	binary.BigEndian.PutUint64(lengths[:8], aadLen*8)
	binary.BigEndian.PutUint64(lengths[8:], textLen*8)
	s := add(h.w, multiply(lengths, h.key))
	h.w = element{}
	return s
}

// absorb moves whole blocks from buf to w.
func (h *hash) absorb() {
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
			h.mac(&h.ofZeros, zeroChunk[:len(p)])
		}
		h.w = add(h.w, h.ofZeros)
	}
}

// mac is the tag of an empty text with p as AAD.
func (h *hash) mac(tag *element, p []byte) {
	if g := h.a.generic; g != nil {
		g.full.Seal(tag[:0], h.nonce, nil, p)
		return
	}
	seal(&h.a.block, nil, nil, p, h.nonce, tag[:])
}
