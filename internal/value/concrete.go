// SPDX-License-Identifier: ISC

package value

import (
	"fmt"
	"math/bits"
)

// maxLimbs is the number of 64-bit limbs of the widest register, 512 bits.
const maxLimbs = 8

// Bits is a Value whose bits are known numbers. Bits above the width are zero.
type Bits struct {
	width int
	limbs [maxLimbs]uint64
}

// Width returns the number of bits.
func (b *Bits) Width() int { return b.width }

// Uint64 returns the low 64 bits.
func (b *Bits) Uint64() uint64 { return b.limbs[0] }

// Bytes returns the value as bytes, the least significant first.
func (b *Bits) Bytes() []byte {
	out := make([]byte, (b.width+7)/8)
	for i := range out {
		out[i] = byte(b.limbs[i/8] >> (8 * (i % 8)))
	}
	return out
}

// FromBytes returns the concrete value whose byte i is p[i].
func FromBytes(p []byte) *Bits {
	b := &Bits{width: 8 * len(p)}
	for i, x := range p {
		b.limbs[i/8] |= uint64(x) << (8 * (i % 8))
	}
	return b
}

// FromUint64 returns x as a 64-bit value.
func FromUint64(x uint64) *Bits { return &Bits{width: 64, limbs: [maxLimbs]uint64{x}} }

// trim clears the bits above the width.
func (b *Bits) trim() *Bits {
	i, r := b.width/64, b.width%64
	if r != 0 {
		b.limbs[i] &= 1<<r - 1
		i++
	}
	for ; i < maxLimbs; i++ {
		b.limbs[i] = 0
	}
	return b
}

// or sets the bits of src, shifted left by at, in b.
func (b *Bits) or(src *Bits, at int) {
	q, r := at/64, uint(at%64)
	for i := 0; i*64 < src.width; i++ {
		b.limbs[q+i] |= src.limbs[i] << r
		if r != 0 && q+i+1 < maxLimbs {
			b.limbs[q+i+1] |= src.limbs[i] >> (64 - r)
		}
	}
}

// Concrete is the Domain of known numbers: all its values are *Bits.
type Concrete struct{}

func sameWidth(a, b Value) (x, y *Bits) {
	x, y = a.(*Bits), b.(*Bits)
	if x.width != y.width {
		panic(fmt.Sprintf("value: operands of %d and %d bits", x.width, y.width))
	}
	return x, y
}

// Const implements Domain.
func (Concrete) Const(width int, words ...uint64) Value {
	b := &Bits{width: width}
	copy(b.limbs[:], words)
	return b.trim()
}

// Slice implements Domain.
func (Concrete) Slice(v Value, lo, width int) Value {
	s := v.(*Bits)
	if lo < 0 || width <= 0 || lo+width > s.width {
		panic(fmt.Sprintf("value: bits %d to %d of %d", lo, lo+width-1, s.width))
	}
	b := &Bits{width: width}
	q, r := lo/64, uint(lo%64)
	for i := 0; i*64 < width; i++ {
		b.limbs[i] = s.limbs[q+i] >> r
		if r != 0 && q+i+1 < maxLimbs {
			b.limbs[i] |= s.limbs[q+i+1] << (64 - r)
		}
	}
	return b.trim()
}

// Concat implements Domain.
func (Concrete) Concat(parts ...Value) Value {
	b := &Bits{}
	for _, p := range parts {
		s := p.(*Bits)
		b.or(s, b.width)
		b.width += s.width
	}
	return b
}

// Bytes implements Domain.
func (Concrete) Bytes(v Value, from []int) Value {
	s := v.(*Bits)
	b := &Bits{width: 8 * len(from)}
	for i, f := range from {
		if f >= 0 {
			b.limbs[i/8] |= s.limbs[f/8] >> (8 * (f % 8)) & 0xff << (8 * (i % 8))
		}
	}
	return b
}

// Xor implements Domain.
func (Concrete) Xor(a, b Value) Value {
	x, y := sameWidth(a, b)
	z := *x
	for i := range z.limbs {
		z.limbs[i] ^= y.limbs[i]
	}
	return &z
}

// And implements Domain.
func (Concrete) And(a, b Value) Value {
	x, y := sameWidth(a, b)
	z := *x
	for i := range z.limbs {
		z.limbs[i] &= y.limbs[i]
	}
	return &z
}

// Add implements Domain.
func (Concrete) Add(a, b Value) Value {
	x, y := sameWidth(a, b)
	z := *x
	var carry uint64
	for i := range z.limbs {
		z.limbs[i], carry = bits.Add64(x.limbs[i], y.limbs[i], carry)
	}
	return z.trim()
}

// Clmul implements Domain for operands of at most 64 bits.
func (Concrete) Clmul(a, b Value) Value {
	x, y := sameWidth(a, b)
	if x.width > 64 {
		panic(fmt.Sprintf("value: carry-less product of %d bits", x.width))
	}
	var lo, hi uint64
	for m := y.limbs[0]; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		lo ^= x.limbs[0] << i
		if i != 0 {
			hi ^= x.limbs[0] >> (64 - i)
		}
	}
	return &Bits{width: 2 * x.width, limbs: [maxLimbs]uint64{lo, hi}}
}

// SubBytes implements Domain.
func (Concrete) SubBytes(v Value) Value {
	s := v.(*Bits)
	b := &Bits{width: s.width}
	for i := 0; i*8 < s.width; i++ {
		x := byte(s.limbs[i/8] >> (8 * (i % 8)))
		b.limbs[i/8] |= uint64(sbox[x]) << (8 * (i % 8))
	}
	return b
}

// MixColumns implements Domain.
func (Concrete) MixColumns(v Value) Value {
	s := v.(*Bits)
	b := &Bits{width: s.width}
	for i := range 2 {
		// Two columns a limb; each result byte is
		// 2·a[r] + 3·a[r+1] + a[r+2] + a[r+3] (FIPS 197, 5.1.3).
		x := s.limbs[i]
		r1, r2, r3 := rotColumns(x, 8), rotColumns(x, 16), rotColumns(x, 24)
		b.limbs[i] = double8(x^r1) ^ r1 ^ r2 ^ r3
	}
	return b
}

// rotColumns rotates both 32-bit columns of x down by n bits.
func rotColumns(x uint64, n int) uint64 {
	lo, hi := uint32(x), uint32(x>>32)
	return uint64(bits.RotateLeft32(lo, -n)) | uint64(bits.RotateLeft32(hi, -n))<<32
}

// double8 multiplies each byte of x by {02} in GF(2^8).
func double8(x uint64) uint64 {
	const top = 0x8080808080808080
	return (x&^top)<<1 ^ (x&top)>>7*0x1b
}

// IsZero implements Domain.
func (c Concrete) IsZero(v Value) Value {
	if v.(*Bits).limbs == [maxLimbs]uint64{} {
		return c.Const(1, 1)
	}
	return c.Const(1)
}

// Less implements Domain.
func (c Concrete) Less(a, b Value) Value {
	x, y := sameWidth(a, b)
	for i := maxLimbs - 1; i >= 0; i-- {
		if x.limbs[i] != y.limbs[i] {
			if x.limbs[i] < y.limbs[i] {
				return c.Const(1, 1)
			}
			break
		}
	}
	return c.Const(1)
}

// Select implements Domain.
func (Concrete) Select(c, yes, no Value) Value {
	if c.(*Bits).limbs[0]&1 == 1 {
		return yes
	}
	return no
}

// Known implements Domain: every concrete value is known.
func (Concrete) Known(v Value) ([]uint64, bool) { return v.(*Bits).limbs[:], true }

// sbox is the S-box of FIPS 197, computed from its definition: the inverse
// in GF(2^8) followed by an affine map.
var sbox = makeSbox()

func makeSbox() (s [256]byte) {
	mul := func(a, b byte) (p byte) {
		for ; b != 0; b >>= 1 {
			if b&1 == 1 {
				p ^= a
			}
			a = byte(double8(uint64(a)))
		}
		return p
	}
	for x := range 256 {
		inv := byte(1) // x^254, which is the inverse, and 0 for 0
		for range 254 {
			inv = mul(inv, byte(x))
		}
		s[x] = inv ^ bits.RotateLeft8(inv, 1) ^ bits.RotateLeft8(inv, 2) ^
			bits.RotateLeft8(inv, 3) ^ bits.RotateLeft8(inv, 4) ^ 0x63
	}
	return s
}
