// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
)

// counterNonce is what NewWithCounterNonce returns.
type counterNonce struct {
	a    *AEAD
	iv   [defaultNonceSize]byte
	next atomic.Uint64 // the least sequence number that Seal takes
}

// NewWithCounterNonce returns AES-GCM under a key of 16, 24 or 32 bytes for a
// protocol that numbers its messages, as TLS 1.3 (RFC 8446, 5.3) and QUIC (RFC
// 9001, 5.3) do. The nonce given to Seal and Open is the sequence number, 8
// bytes, big-endian; that of AES-GCM is the number, with zeros in front, xor the
// IV of 12 bytes.
//
// Seal takes each number once, and only in rising order: it panics for a number
// that is not greater than all before. Numbers may be left out. The last one,
// 2⁶⁴ - 1, is never taken, so that numbers cannot wrap. A call that panics uses
// up no number. Several goroutines may seal at once, but their calls of Seal have
// to begin in the order of the numbers.
//
// Open takes every number, any number of times. How the number of a message is
// known is up to the protocol: TLS counts the records it has opened, QUIC sends
// part of the number in the packet. So is refusing a packet that comes twice: the
// protocol knows which ones may come late.
//
// One key and IV serve one direction, and one AEAD of the sender: two would not
// know of each other's numbers. Protocols limit how many messages a key may
// seal: TLS 1.3 to some 2²⁴ full-sized records, QUIC to 2²³ packets.
func NewWithCounterNonce(key, iv []byte) (cipher.AEAD, error) {
	if len(iv) != defaultNonceSize {
		return nil, ivSizeError(len(iv))
	}
	a, err := New(key)
	if err != nil {
		return nil, err
	}
	return &counterNonce{a: a, iv: [defaultNonceSize]byte(iv)}, nil
}

func (c *counterNonce) NonceSize() int { return 8 }

func (c *counterNonce) Overhead() int { return defaultTagSize }

func (c *counterNonce) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	number := sequenceNumber(nonce)
	n := len(plaintext)
	checkTextSize(uint64(n))
	ret, out := extend(dst, n+defaultTagSize)
	refuseInput(out, plaintext)
	refuseAAD(out, additionalData)
	c.take(number)
	whole := c.nonce(number)
	if c.a.generic != nil {
		c.sealGeneric(out, whole, plaintext, additionalData)
	} else {
		c.a.sealKernel(out[:n], plaintext, additionalData, whole[:], out[n:])
	}
	return ret
}

func (c *counterNonce) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	number := sequenceNumber(nonce)
	n := len(ciphertext) - defaultTagSize
	if n < 0 || uint64(n) > maxTextSize {
		return nil, errOpen
	}
	ret, out := extend(dst, n)
	refuseInput(out, ciphertext)
	refuseAAD(out, additionalData)
	whole := c.nonce(number)
	var ok bool
	if c.a.generic != nil {
		ok = c.openGeneric(out, whole, ciphertext, additionalData)
	} else {
		ok = c.a.openKernel(out, ciphertext[:n], additionalData, whole[:], ciphertext[n:])
	}
	if !ok {
		return nil, errOpen
	}
	return ret, nil
}

// sealGeneric is Seal by crypto/cipher.
func (c *counterNonce) sealGeneric(out []byte, nonce [defaultNonceSize]byte, plaintext, aad []byte) {
	s := lend(nonce)
	defer scratch.Put(s)
	c.a.generic.seal(out, *s, plaintext, aad)
}

// openGeneric is Open by crypto/cipher.
func (c *counterNonce) openGeneric(out []byte, nonce [defaultNonceSize]byte, ciphertext, aad []byte) bool {
	s := lend(nonce)
	defer scratch.Put(s)
	return c.a.generic.open(out, *s, ciphertext, aad)
}

// lend copies a nonce to scratch memory: what goes to crypto/cipher escapes, and
// would otherwise be allocated for each message.
func lend(nonce [defaultNonceSize]byte) *[]byte {
	s := scratch.Get().(*[]byte)
	*s = append((*s)[:0], nonce[:]...)
	return s
}

// take marks a number and all below it as used, or panics if it is.
func (c *counterNonce) take(number uint64) {
	if number == math.MaxUint64 {
		panic("gcm: sequence numbers are exhausted: 2⁶⁴ - 1 is never taken")
	}
	for {
		next := c.next.Load()
		if number < next {
			panic(fmt.Sprintf("gcm: sequence number %d has been used or passed over: want %d or more", number, next))
		}
		if c.next.CompareAndSwap(next, number+1) {
			return
		}
	}
}

// nonce is the nonce of AES-GCM for a sequence number. It is written in two parts, as
// kernels read it: a read across two writes waits until both are in the cache.
func (c *counterNonce) nonce(number uint64) [defaultNonceSize]byte {
	var n [defaultNonceSize]byte
	binary.BigEndian.PutUint64(n[:], binary.BigEndian.Uint64(c.iv[:])^number>>32)
	binary.BigEndian.PutUint32(n[8:], binary.BigEndian.Uint32(c.iv[8:])^uint32(number))
	return n
}

// sequenceNumber reads a number from where a nonce is expected.
func sequenceNumber(nonce []byte) uint64 {
	if len(nonce) != 8 {
		panic(fmt.Sprintf("gcm: incorrect sequence number length %d: want 8 bytes", len(nonce)))
	}
	return binary.BigEndian.Uint64(nonce)
}
