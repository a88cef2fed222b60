// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// counted is a message whose text comes in pieces, where turns is not to be had:
// with a nonce of other than 12 bytes, whose counter may be anywhere in a turn
// and is a secret, and by crypto/cipher. It takes counter mode from crypto/aes
// and hashes apart.
type counted struct {
	hash  hasher
	block cipher.Block  // AES
	ctr   cipher.Stream // at the next byte of the text
	cb    element       // J0
	left  uint64        // bytes of text until the counter wraps

	// chunk holds what goes through an interface, since that escapes: no slice of
	// a caller's is to be allocated for that.
	chunk [chunkSize]byte
}

// chunkSize is how many bytes are hashed and encrypted at once: little enough to
// stay in the nearest cache.
const chunkSize = 2048

// hasher is GHASH of data that comes in pieces.
type hasher interface {
	write(p []byte)
	pad()
	sum(aadLen, textLen uint64) element
	wipe()
}

// newHasher begins a hash.
func (a *AEAD) newHasher() hasher {
	if a.generic != nil {
		return newGenericHash(a.generic, a.nonceSize)
	}
	h := new(hash)
	h.begin(&a.block)
	return h
}

// newCounted starts a message and hashes its AAD.
func newCounted(a *AEAD, nonce, aad []byte) *counted {
	c := &counted{block: a.cipherBlock(), hash: a.newHasher()}
	if len(nonce) == 12 {
		copy(c.cb[:], nonce)
		c.cb[15] = 1
	} else {
		h := a.newHasher()
		c.feed(h, nonce)
		c.cb = h.sum(0, uint64(len(nonce)))
		h.wipe()
	}
	c.seek(binary.BigEndian.Uint32(c.cb[12:]) + 1)
	c.feed(c.hash, aad)
	c.hash.pad()
	return c
}

// feed hashes p.
func (c *counted) feed(h hasher, p []byte) {
	for len(p) > 0 {
		n := copy(c.chunk[:], p)
		h.write(c.chunk[:n])
		p = p[n:]
	}
}

// seek puts the last 32 bits of the counter block to n. crypto/cipher would
// carry into the others when they wrap.
func (c *counted) seek(n uint32) {
	first := c.cb
	binary.BigEndian.PutUint32(first[12:], n)
	c.ctr = cipher.NewCTR(c.block, first[:])
	c.left = (1<<32 - uint64(n)) * 16
}

// text encrypts or decrypts the next bytes of the text from in to out, which is
// as long.
func (c *counted) text(out, in []byte, opens bool) {
	for len(in) > 0 {
		p := c.chunk[:copy(c.chunk[:], in)]
		if opens {
			c.hash.write(p)
		}
		c.xor(p)
		if !opens {
			c.hash.write(p)
		}
		n := copy(out, p)
		out, in = out[n:], in[n:]
	}
}

// xor is counter mode on the next bytes of the text, in place.
func (c *counted) xor(p []byte) {
	if uint64(len(p)) > c.left {
		c.ctr.XORKeyStream(p[:c.left], p[:c.left])
		p = p[c.left:]
		c.seek(0)
	}
	c.left -= uint64(len(p))
	c.ctr.XORKeyStream(p, p)
}

// tag returns the whole tag, for lengths in bytes, and ends the message.
func (c *counted) tag(aadLen, textLen uint64) element {
	s := c.hash.sum(aadLen, textLen)
	c.block.Encrypt(c.cb[:], c.cb[:]) // EK0
	s = add(s, c.cb)
	c.hash.wipe()
	*c = counted{}
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
