// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"sync"
)

// xaes is what NewXAES returns.
type xaes struct {
	block  cipher.Block // AES-256 under the key
	k1     [2]uint64    // the subkey of CMAC, first 8 bytes and last, big-endian
	kernel string
}

const (
	xaesKeySize   = 32 // bytes
	xaesNonceSize = 24 // bytes
)

// NewXAES returns XAES-256-GCM, as C2SP specifies it, under a key of 32 bytes.
// It derives a key for AES-256-GCM from the key and the first 12 bytes of a nonce
// of 24, and seals one message with that and the other 12. So nonces may be
// taken at random, for more messages than anyone will send: 2⁸⁰ at a risk of
// 2⁻³² that two are the same.
//
// Seal and Open have the contract of [AEAD.Seal] and [AEAD.Open]. Each sets up
// the derived key, which costs as much as sealing one or two KiB. Kernel
// generic allocates for it; the others do not.
func NewXAES(key []byte) (cipher.AEAD, error) {
	if len(key) != xaesKeySize {
		return nil, xaesKeySizeError(len(key))
	}
	a, err := New(key)
	if err != nil {
		return nil, err
	}
	return newXAES(a), nil
}

// newXAES takes key and kernel from a.
func newXAES(a *AEAD) *xaes {
	x := &xaes{block: a.cipherBlock(), kernel: a.kernel}
	var l element
	x.block.Encrypt(l[:], l[:])
	hi, lo := binary.BigEndian.Uint64(l[:8]), binary.BigEndian.Uint64(l[8:])
	x.k1 = [2]uint64{hi<<1 | lo>>63, lo<<1 ^ 0x87&-(hi>>63)}
	return x
}

func (x *xaes) NonceSize() int { return xaesNonceSize }

func (x *xaes) Overhead() int { return defaultTagSize }

func (x *xaes) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	d := x.derive(nonce)
	defer d.release()
	return d.aead.Seal(dst, nonce[12:], plaintext, additionalData)
}

func (x *xaes) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	d := x.derive(nonce)
	defer d.release()
	return d.aead.Open(dst, nonce[12:], ciphertext, additionalData)
}

// derived holds AES-256-GCM under the key of one message.
type derived struct {
	aead AEAD
	key  [xaesKeySize]byte
	in   element // block 1 or 2 of the derivation
}

// spare holds *derived without keys.
var spare = sync.Pool{New: func() any { return new(derived) }}

// derive sets up the key for a nonce of 24 bytes. It panics for another size.
func (x *xaes) derive(nonce []byte) *derived {
	if len(nonce) != xaesNonceSize {
		panic(fmt.Sprintf("gcm: incorrect nonce length %d given to XAES-256-GCM: want 24 bytes", len(nonce)))
	}
	d := spare.Get().(*derived)
	// A block is 1 or 2 in two bytes, 'X', 0 and half of the nonce, xor K1.
	hi := x.k1[0] ^ 'X'<<40 ^ uint64(binary.BigEndian.Uint32(nonce))
	lo := x.k1[1] ^ binary.BigEndian.Uint64(nonce[4:])
	for i := range 2 {
		binary.BigEndian.PutUint64(d.in[:8], hi^uint64(i+1)<<48)
		binary.BigEndian.PutUint64(d.in[8:], lo)
		x.block.Encrypt(d.key[16*i:], d.in[:])
	}
	if err := d.aead.init(x.kernel, d.key[:], defaultNonceSize, defaultTagSize); err != nil {
		panic(err) // from crypto/cipher, where NewXAES ran without enforcement of FIPS 140-3 and this does not
	}
	return d
}

// release clears the key.
func (d *derived) release() {
	*d = derived{}
	spare.Put(d)
}
