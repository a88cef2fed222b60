// SPDX-License-Identifier: ISC

package amd64

import (
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

type laneFunc = func(d value.Domain, lanes ...value.Value) value.Value

func xor(d value.Domain, l ...value.Value) value.Value  { return d.Xor(l[0], l[1]) }
func and(d value.Domain, l ...value.Value) value.Value  { return d.And(l[0], l[1]) }
func add2(d value.Domain, l ...value.Value) value.Value { return d.Add(l[0], l[1]) }

// copyOf moves operand i; width gives the size of an immediate.
func copyOf(width, i int) meaning {
	return func(in ir.In) []value.Value { return []value.Value{operand(in, i, width)} }
}

// operand returns operand i, or the immediate there, sign-extended to width.
func operand(in ir.In, i, width int) value.Value {
	if v := in.Op[i]; v != nil {
		return v
	}
	return in.D.Const(width, uint64(in.Imm[i]))
}

// each applies f lane by lane to the last two operands.
func each(lane int, f laneFunc) meaning {
	return func(in ir.In) []value.Value {
		d := in.D
		return []value.Value{value.Map(d, lane, func(l ...value.Value) value.Value { return f(d, l...) },
			in.Op[1], in.Op[2])}
	}
}

// eachImm applies f lane by lane to operand 1 with the immediate.
func eachImm(lane int, f func(d value.Domain, x value.Value, n int) value.Value) meaning {
	return func(in ir.In) []value.Value {
		return []value.Value{value.Map(in.D, lane, func(l ...value.Value) value.Value {
			return f(in.D, l[0], int(in.Imm[2]))
		}, in.Op[1])}
	}
}

func addition(width int) meaning {
	return func(in ir.In) []value.Value {
		a, b := in.Op[0], operand(in, 1, width)
		sum := in.D.Add(a, b)
		return []value.Value{sum, in.D.Less(sum, a), in.D.IsZero(sum)}
	}
}

func subtraction(width int, keep bool) meaning {
	return func(in ir.In) []value.Value {
		a, b := in.Op[0], operand(in, 1, width)
		diff := value.Sub(in.D, a, b)
		flags := []value.Value{in.D.Less(a, b), in.D.IsZero(diff)}
		if !keep {
			return flags
		}
		return append([]value.Value{diff}, flags...)
	}
}

func logic(width int, keep bool, f laneFunc) meaning {
	return func(in ir.In) []value.Value {
		r := f(in.D, in.Op[0], operand(in, 1, width))
		flags := []value.Value{in.D.Const(1), in.D.IsZero(r)}
		if !keep {
			return flags
		}
		return append([]value.Value{r}, flags...)
	}
}

// shiftBy is a shift by an immediate from 1 up. Its CF is not modelled.
func shiftBy(f func(d value.Domain, v value.Value, n int) value.Value) meaning {
	return func(in ir.In) []value.Value {
		r := f(in.D, in.Op[0], int(in.Imm[1]))
		return []value.Value{r, in.D.Const(1), in.D.IsZero(r)}
	}
}

// bzhi keeps the bits of operand 1 below the position in the low byte of
// operand 2.
func bzhi(in ir.In) []value.Value {
	d := in.D
	n := d.Slice(in.Op[2], 0, 8)
	var keep []value.Value
	for i := range uint64(64) {
		keep = append(keep, d.Less(d.Const(8, i), n))
	}
	r := d.And(in.Op[1], d.Concat(keep...))
	return []value.Value{r, value.Not(d, d.Less(n, d.Const(8, 64))), d.IsZero(r)}
}

// shlx shifts operand 1 left by the low 6 bits of operand 2, which must be known.
func shlx(in ir.In) []value.Value {
	n, ok := in.D.Known(in.Op[2])
	if !ok {
		panic("amd64: shlx by an unknown number")
	}
	if n[0]&63 == 0 {
		return []value.Value{in.Op[1]}
	}
	return []value.Value{value.Shl(in.D, in.Op[1], int(n[0]&63))}
}

// ternlog looks each bit up in the immediate: bit 4a+2b+c of it.
func ternlog(in ir.In) []value.Value {
	d, a, b, c := in.D, in.Op[0], in.Op[1], in.Op[2]
	if in.Imm[3] == 0x96 { // a^b^c
		return []value.Value{d.Xor(d.Xor(a, b), c)}
	}
	r := d.Const(a.Width())
	for i := range 8 {
		if in.Imm[3]>>i&1 == 0 {
			continue
		}
		term := value.Ones(d, a.Width())
		for j, v := range []value.Value{c, b, a} {
			if i>>j&1 == 0 {
				v = value.Not(d, v)
			}
			term = d.And(term, v)
		}
		r = d.Xor(r, term)
	}
	return []value.Value{r}
}

// shuffleBytes is vpshufb; its indices must be known.
func shuffleBytes(in ir.In) []value.Value {
	idx, ok := in.D.Known(in.Op[2])
	if !ok {
		panic("amd64: vpshufb by unknown indices")
	}
	from := make([]int, in.Op[1].Width()/8)
	for i := range from {
		b := int(idx[i/8] >> (8 * (i % 8)) & 0xff)
		if b&0x80 != 0 {
			from[i] = -1
		} else {
			from[i] = i&^15 | b&15
		}
	}
	return []value.Value{in.D.Bytes(in.Op[1], from)}
}

// selectWords takes each 64-bit word from operands 0 and 2 joined: the one that the
// low 4 bits of that word of operand 1 say.
func selectWords(in ir.In) []value.Value {
	idx, ok := in.D.Known(in.Op[1])
	if !ok {
		panic("amd64: vpermt2q by unknown indices")
	}
	var words []value.Value
	for _, i := range idx {
		words = append(words, in.D.Slice(in.Op[i>>3&1<<1], 64*int(i&7), 64))
	}
	return []value.Value{in.D.Concat(words...)}
}

// prefetch is prefetcht0. Where it points, which shows in the cache, must be known.
func prefetch(in ir.In) []value.Value {
	if _, ok := in.D.Known(in.Op[0]); !ok {
		panic("amd64: prefetcht0 from an unknown address")
	}
	return nil
}

// permuteQuads is vpermq by a register, whose indices must be known.
func permuteQuads(in ir.In) []value.Value {
	idx, ok := in.D.Known(in.Op[1])
	if !ok {
		panic("amd64: vpermq by unknown indices")
	}
	from := make([]int, in.Op[2].Width()/8)
	for i := range from {
		from[i] = 8*int(idx[i/8]&7) | i&7
	}
	return []value.Value{in.D.Bytes(in.Op[2], from)}
}

// shuffleWords is vpshufd.
func shuffleWords(in ir.In) []value.Value {
	from := make([]int, in.Op[1].Width()/8)
	for i := range from {
		word := int(in.Imm[2] >> (2 * (i % 16 / 4)) & 3)
		from[i] = i&^15 | 4*word | i&3
	}
	return []value.Value{in.D.Bytes(in.Op[1], from)}
}

// clmul multiplies in each 128-bit lane the halves that bits 0 and 4 of the
// immediate choose.
func clmul(in ir.In) []value.Value {
	d := in.D
	lo1, lo2 := 64*int(in.Imm[3]&1), 64*int(in.Imm[3]>>4&1)
	return []value.Value{value.Map(d, 128, func(l ...value.Value) value.Value {
		return d.Clmul(d.Slice(l[0], lo1, 64), d.Slice(l[1], lo2, 64))
	}, in.Op[1], in.Op[2])}
}

// extract returns part number imm, width bits each.
func extract(width int) meaning {
	return func(in ir.In) []value.Value {
		return []value.Value{in.D.Slice(in.Op[1], width*int(in.Imm[2]), width)}
	}
}

// insert replaces part number imm of operand 1 by operand 2.
func insert(width int) meaning {
	return func(in ir.In) []value.Value {
		var parts []value.Value
		for i := range in.Op[1].Width() / width {
			if i == int(in.Imm[3]) {
				parts = append(parts, in.Op[2])
			} else {
				parts = append(parts, in.D.Slice(in.Op[1], width*i, width))
			}
		}
		return []value.Value{in.D.Concat(parts...)}
	}
}
