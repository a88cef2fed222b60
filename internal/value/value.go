// SPDX-License-Identifier: ISC

// Package value defines the abstract bit vectors over which the meaning of
// every instruction is written, once. A Domain gives them an interpretation:
// numbers (Concrete, in this package), symbols, or taint.
package value

// A Value is a bit vector of a fixed width. Bit 0 is the least significant
// one; byte 0 holds bits 0 to 7, as in a little-endian register.
type Value interface {
	// Width returns the number of bits.
	Width() int
}

// A Domain interprets the operations that instruction meanings are made of.
// Operands of one operation have equal widths unless its comment says
// otherwise.
type Domain interface {
	// Const returns a constant of the given width; words are little-endian
	// 64-bit limbs, and missing ones are zero.
	Const(width int, words ...uint64) Value
	// Slice returns bits lo to lo+width-1 of v.
	Slice(v Value, lo, width int) Value
	// Concat joins vectors, the least significant first.
	Concat(parts ...Value) Value
	// Bytes returns the vector whose byte i is byte from[i] of v, or zero
	// where from[i] is negative.
	Bytes(v Value, from []int) Value

	Xor(a, b Value) Value
	And(a, b Value) Value
	// Add returns a+b modulo 2^width.
	Add(a, b Value) Value
	// Clmul returns the carry-less product, twice as wide as its operands.
	Clmul(a, b Value) Value

	// SubBytes applies the S-box of FIPS 197 to each byte.
	SubBytes(v Value) Value
	// MixColumns applies the MixColumns of FIPS 197 to a 128-bit state.
	MixColumns(v Value) Value
	// InvSubBytes and InvMixColumns are absent: GCM never decrypts a block.

	// IsZero returns one bit: 1 where all bits of v are 0.
	IsZero(v Value) Value
	// Less returns one bit: 1 where a < b as unsigned numbers.
	Less(a, b Value) Value
	// Select returns yes where the one-bit c is 1, else no.
	Select(c, yes, no Value) Value

	// Known returns the limbs of v if it is a known number. Meanings ask for
	// it only where an instruction's shape depends on an operand, such as a
	// byte shuffle's indices.
	Known(v Value) (limbs []uint64, ok bool)
}

// Map splits the vectors into lanes of the given width, applies f to the
// lanes at each position, and joins the results.
func Map(d Domain, lane int, f func(lanes ...Value) Value, vs ...Value) Value {
	n := vs[0].Width() / lane
	if n == 1 {
		return f(vs...)
	}
	out := make([]Value, n)
	for i := range out {
		lanes := make([]Value, len(vs))
		for j, v := range vs {
			lanes[j] = d.Slice(v, i*lane, lane)
		}
		out[i] = f(lanes...)
	}
	return d.Concat(out...)
}

// Extend returns v with zero bits above, width bits in all; where width is
// smaller it keeps the low bits.
func Extend(d Domain, v Value, width int) Value {
	switch w := v.Width(); {
	case w == width:
		return v
	case w > width:
		return d.Slice(v, 0, width)
	default:
		return d.Concat(v, d.Const(width-w))
	}
}

// Not returns the complement of v.
func Not(d Domain, v Value) Value { return d.Xor(v, Ones(d, v.Width())) }

// Or returns a|b.
func Or(d Domain, a, b Value) Value { return d.Xor(d.Xor(a, b), d.And(a, b)) }

// Sub returns a-b modulo 2^width.
func Sub(d Domain, a, b Value) Value {
	return d.Add(d.Add(a, Not(d, b)), d.Const(a.Width(), 1))
}

// Ones returns the vector of the given width with every bit set.
func Ones(d Domain, width int) Value {
	w := make([]uint64, (width+63)/64)
	for i := range w {
		w[i] = ^uint64(0)
	}
	return d.Const(width, w...)
}

// Shl returns v shifted towards its most significant bit by n bits.
func Shl(d Domain, v Value, n int) Value {
	w := v.Width()
	switch {
	case n == 0:
		return v
	case n >= w:
		return d.Const(w)
	}
	return d.Concat(d.Const(n), d.Slice(v, 0, w-n))
}

// Shr returns v shifted towards its least significant bit by n bits.
func Shr(d Domain, v Value, n int) Value {
	w := v.Width()
	switch {
	case n == 0:
		return v
	case n >= w:
		return d.Const(w)
	}
	return d.Concat(d.Slice(v, n, w-n), d.Const(n))
}

// Sar returns v shifted towards its least significant bit by n bits, 1 to its
// width less 1, with copies of its most significant bit above.
func Sar(d Domain, v Value, n int) Value {
	w := v.Width()
	return d.Concat(d.Slice(v, n, w-n), Repeat(d, d.Slice(v, w-1, 1), n))
}

// Repeat joins n copies of v.
func Repeat(d Domain, v Value, n int) Value {
	parts := make([]Value, n)
	for i := range parts {
		parts[i] = v
	}
	return d.Concat(parts...)
}

// Rotr returns v rotated towards its least significant bit by n bits.
func Rotr(d Domain, v Value, n int) Value {
	w := v.Width()
	if n %= w; n == 0 {
		return v
	}
	return d.Concat(d.Slice(v, n, w-n), d.Slice(v, 0, n))
}

// shiftRows is the byte order of ShiftRows: byte i of the result is byte
// shiftRows[i] of the state, column by column.
var shiftRows = []int{0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11}

// SubShift applies SubBytes and ShiftRows of FIPS 197 to a 128-bit state.
func SubShift(d Domain, state Value) Value { return d.Bytes(d.SubBytes(state), shiftRows) }

// Reverse returns v with its bytes in reverse order.
func Reverse(d Domain, v Value) Value {
	n := v.Width() / 8
	from := make([]int, n)
	for i := range from {
		from[i] = n - 1 - i
	}
	return d.Bytes(v, from)
}
