// SPDX-License-Identifier: ISC

package gcm

import "encoding/binary"

// element is an element of GF(2¹²⁸) as a block, whose first bit is the
// coefficient of x⁰.
type element [16]byte

// multiply is x · y, bit by bit, in constant time. Meanwhile a kernel seals
// 2 KiB, so this is for a few products per message.
func multiply(x, y element) (z element) {
	xHi, xLo := binary.BigEndian.Uint64(x[:8]), binary.BigEndian.Uint64(x[8:])
	yHi, yLo := binary.BigEndian.Uint64(y[:8]), binary.BigEndian.Uint64(y[8:])
	var zHi, zLo uint64
	for range 128 {
		take := -(xHi >> 63) // all ones where the coefficient is 1
		zHi, zLo = zHi^yHi&take, zLo^yLo&take
		xHi, xLo = xHi<<1|xLo>>63, xLo<<1
		carry := -(yLo & 1)
		yHi, yLo = yHi>>1^0xe1<<56&carry, yHi<<63|yLo>>1 // y · x, as x¹²⁸ = 1 + x + x² + x⁷
	}
	binary.BigEndian.PutUint64(z[:8], zHi)
	binary.BigEndian.PutUint64(z[8:], zLo)
	return z
}

// add is x ⊕ y.
func add(x, y element) element {
	for i := range x {
		x[i] ^= y[i]
	}
	return x
}
