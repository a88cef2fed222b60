// SPDX-License-Identifier: ISC

package reference

import "encoding/binary"

// multiply is X • Y in GF(2¹²⁸), bit by bit (algorithm 1). The first bit of a
// block is the coefficient of u⁰.
func multiply(x, y block) block {
	var zHi, zLo uint64
	vHi, vLo := binary.BigEndian.Uint64(y[:8]), binary.BigEndian.Uint64(y[8:])
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 == 1 {
			zHi, zLo = zHi^vHi, zLo^vLo
		}
		carry := vLo & 1
		vHi, vLo = vHi>>1, vHi<<63|vLo>>1
		if carry == 1 {
			vHi ^= 0xe1 << 56 // R = 11100001 || 0¹²⁰
		}
	}
	var z block
	binary.BigEndian.PutUint64(z[:8], zHi)
	binary.BigEndian.PutUint64(z[8:], zLo)
	return z
}

// invert is the inverse of x in GF(2¹²⁸): x to the power 2¹²⁸ - 2, which is the
// product of its squares from x² to x to the power 2¹²⁷.
func invert(x block) block {
	z := block{0x80} // 1
	for range 127 {
		x = multiply(x, x)
		z = multiply(z, x)
	}
	return z
}

func xor(x, y block) block {
	for i := range x {
		x[i] ^= y[i]
	}
	return x
}

// NonceFor returns the 16-byte nonce that yields the pre-counter block j0, so
// that a test can start the counter anywhere. It solves J0 = (N•H ⊕ L)•H, where
// L is the length block of a 16-byte nonce.
func NonceFor(key []byte, j0 [16]byte) [16]byte {
	h := hashKey(newCIPH(key))
	inverse := invert(h)
	n := multiply(xor(multiply(j0, inverse), block(lengths(0, 16))), inverse)
	return n
}
