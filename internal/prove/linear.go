// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"math/bits"

	"github.com/stitchgcm/gcm/internal/value"
)

// linear is a domain for straight code that is linear over GF(2) in one 128-bit
// input: the bits of a value are sums of input bits. What is not linear is
// refused, so the result decides the code for all inputs.
type linear struct{ value.Concrete }

// A form is a sum of input bits: bit i of the two words stands for input bit i.
type form [2]uint64

// forms is a value, bit by bit.
type forms []form

// Width returns the number of bits.
func (f forms) Width() int { return len(f) }

// input returns the input itself.
func input() forms {
	f := make(forms, 128)
	for i := range f {
		f[i][i/64] = 1 << (i % 64)
	}
	return f
}

// of returns a value as forms; a known number other than zero is refused.
func (linear) of(v value.Value) forms {
	if f, ok := v.(forms); ok {
		return f
	}
	if k, ok := v.(*value.Bits); ok && k.Bytes() != nil {
		for _, b := range k.Bytes() {
			if b != 0 {
				panic(unprovable{fmt.Errorf("a constant is added where the code should be linear")})
			}
		}
		return make(forms, v.Width())
	}
	panic(unprovable{fmt.Errorf("not linear")})
}

func (d linear) Slice(v value.Value, lo, width int) value.Value {
	if known(v) {
		return d.Concrete.Slice(v, lo, width)
	}
	return d.of(v)[lo : lo+width]
}

func (d linear) Concat(parts ...value.Value) value.Value {
	if known(parts...) {
		return d.Concrete.Concat(parts...)
	}
	var out forms
	for _, p := range parts {
		out = append(out, d.of(p)...)
	}
	return out
}

func (d linear) Bytes(v value.Value, from []int) value.Value {
	if known(v) {
		return d.Concrete.Bytes(v, from)
	}
	f, out := d.of(v), make(forms, 8*len(from))
	for i, k := range from {
		if k >= 0 {
			copy(out[8*i:], f[8*k:8*k+8])
		}
	}
	return out
}

func (d linear) Xor(a, b value.Value) value.Value {
	if known(a, b) {
		return d.Concrete.Xor(a, b)
	}
	x, y := d.of(a), d.of(b)
	out := make(forms, len(x))
	for i := range out {
		out[i] = form{x[i][0] ^ y[i][0], x[i][1] ^ y[i][1]}
	}
	return out
}

// And keeps or clears bits by a known number.
func (d linear) And(a, b value.Value) value.Value {
	if known(a, b) {
		return d.Concrete.And(a, b)
	}
	if known(a) {
		a, b = b, a
	}
	k, ok := b.(*value.Bits)
	if !ok {
		panic(unprovable{fmt.Errorf("a product of unknown bits where the code should be linear")})
	}
	x, raw := d.of(a), k.Bytes()
	out := make(forms, len(x))
	for i := range out {
		if raw[i/8]>>(i%8)&1 == 1 {
			out[i] = x[i]
		}
	}
	return out
}

func (d linear) Known(v value.Value) ([]uint64, bool) {
	if !known(v) {
		return nil, false
	}
	return d.Concrete.Known(v)
}

// refuse is what all other operations do.
func refuse(vs ...value.Value) {
	if !known(vs...) {
		panic(unprovable{fmt.Errorf("not linear")})
	}
}

func (d linear) Add(a, b value.Value) value.Value { refuse(a, b); return d.Concrete.Add(a, b) }
func (d linear) Clmul(a, b value.Value) value.Value {
	refuse(a, b)
	return d.Concrete.Clmul(a, b)
}
func (d linear) SubBytes(v value.Value) value.Value   { refuse(v); return d.Concrete.SubBytes(v) }
func (d linear) MixColumns(v value.Value) value.Value { refuse(v); return d.Concrete.MixColumns(v) }
func (d linear) IsZero(v value.Value) value.Value     { refuse(v); return d.Concrete.IsZero(v) }
func (d linear) Less(a, b value.Value) value.Value    { refuse(a, b); return d.Concrete.Less(a, b) }
func (d linear) Select(c, yes, no value.Value) value.Value {
	refuse(c)
	return d.Concrete.Select(c, yes, no)
}

// at returns the value for one input.
func (f forms) at(in value.Value) *value.Bits {
	k := in.(*value.Bits).Bytes()
	out := make([]byte, len(f)/8)
	for i, row := range f {
		var parity int
		for j := range 16 {
			word := row[j/8] >> (8 * (j % 8)) & uint64(k[j])
			parity ^= bits.OnesCount64(word) & 1
		}
		out[i/8] |= byte(parity) << (i % 8)
	}
	return value.FromBytes(out)
}

// timesX multiplies a field element, as a 128-bit integer whose bit 127-i is
// the coefficient of x^i, by x: SP 800-38D, 6.3, step 3, on such integers.
func timesX(d value.Concrete, v value.Value) value.Value {
	shifted := value.Shr(d, v, 1)
	if v.(*value.Bits).Bytes()[0]&1 == 1 {
		return d.Xor(shifted, d.Const(128, 0, 0xe1<<56))
	}
	return shifted
}

// timesInField multiplies two field elements by the definition of SP 800-38D,
// 6.3, on such integers.
func timesInField(d value.Concrete, x, y value.Value) value.Value {
	z, v := d.Const(128), y
	raw := x.(*value.Bits).Bytes()
	for i := range 128 {
		if k := 127 - i; raw[k/8]>>(k%8)&1 == 1 {
			z = d.Xor(z, v)
		}
		v = timesX(d, v)
	}
	return z
}

// basis returns the integer with bit i alone.
func basis(i int) value.Value {
	var raw [16]byte
	raw[i/8] = 1 << (i % 8)
	return value.FromBytes(raw[:])
}

// checkProduct decides that product128(x, t) is x times t·x in the field, for
// all x and t. Both are bilinear: product128 is made of carry-less products,
// products with constants, moves and sums. So all pairs of basis vectors do.
func checkProduct() error {
	var d value.Concrete
	for j := range 128 {
		t := basis(j)
		h := timesX(d, t)
		for i := range 128 {
			x := basis(i)
			if !same(nil, product128(d, x, t), timesInField(d, x, h)) {
				return fmt.Errorf("product of bits %d and %d is not the product in the field", i, j)
			}
		}
	}
	return nil
}
