// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
)

// message is a message whose text comes in pieces: counter mode of crypto/aes,
// and GHASH as the kernels compute it. It is empty before begin and after tag.
type message struct {
	hash    hash
	block   cipher.Block  // AES, or nil when the message is empty
	ctr     cipher.Stream // at the next byte of the text
	cb      element       // J0
	left    uint64        // bytes of text until the counter wraps
	aadLen  uint64        // bytes
	textLen uint64        // bytes so far
}

// begin starts a message. It keeps neither nonce nor aad.
func (m *message) begin(a *AEAD, nonce, aad []byte) {
	a.checkNonce(nonce)
	m.block = a.cipherBlock()
	m.hash.init(a, m.block)
	if len(nonce) == 12 {
		copy(m.cb[:], nonce)
		m.cb[15] = 1
	} else {
		m.hash.write(nonce)
		m.cb = m.hash.sum(0, uint64(len(nonce)))
	}
	m.seek(binary.BigEndian.Uint32(m.cb[12:]) + 1)
	m.hash.write(aad)
	m.hash.pad()
	m.aadLen = uint64(len(aad))
}

// seek puts the last 32 bits of the counter block to n. crypto/cipher would
// carry into the others when they wrap.
func (m *message) seek(n uint32) {
	first := m.cb
	binary.BigEndian.PutUint32(first[12:], n)
	m.ctr = cipher.NewCTR(m.block, first[:])
	m.left = (1<<32 - uint64(n)) * 16
}

// room reports whether the text may grow by n bytes.
func (m *message) room(n int) bool { return uint64(n) <= maxTextSize-m.textLen }

// seal encrypts the next piece of the text, for which there is room, from in to
// out, which is as long.
func (m *message) seal(out, in []byte) {
	for len(in) > 0 {
		n := min(len(in), chunkSize)
		m.xor(out[:n], in[:n])
		m.hash.write(out[:n])
		out, in = out[n:], in[n:]
	}
}

// open decrypts, likewise.
func (m *message) open(out, in []byte) {
	for len(in) > 0 {
		n := min(len(in), chunkSize)
		m.hash.write(in[:n])
		m.xor(out[:n], in[:n])
		out, in = out[n:], in[n:]
	}
}

// xor is counter mode on the next bytes of the text.
func (m *message) xor(out, in []byte) {
	if raceEnabled {
		raceCall([][]byte{in}, [][]byte{out})
	}
	m.textLen += uint64(len(in))
	if uint64(len(in)) > m.left {
		m.ctr.XORKeyStream(out[:m.left], in[:m.left])
		out, in = out[m.left:], in[m.left:]
		m.seek(0)
	}
	m.left -= uint64(len(in))
	m.ctr.XORKeyStream(out, in)
}

// tag returns the whole tag and leaves the message empty.
func (m *message) tag() element {
	s := m.hash.sum(m.aadLen, m.textLen)
	m.block.Encrypt(m.cb[:], m.cb[:]) // EK0
	subtle.XORBytes(s[:], s[:], m.cb[:])
	*m = message{}
	return s
}

// cipherBlock returns AES under the key. Every key block begins with the round
// keys, and these begin with the key.
func (a *AEAD) cipherBlock() cipher.Block {
	if a.generic != nil {
		return a.generic.block
	}
	block, err := aes.NewCipher(a.block[:a.keySize])
	if err != nil {
		panic(err)
	}
	return block
}
