// SPDX-License-Identifier: ISC

package arm64

import (
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

type meaning = func(in ir.In) []value.Value

type laneFunc = func(d value.Domain, lanes ...value.Value) value.Value

func one(v value.Value) []value.Value { return []value.Value{v} }

func add(d value.Domain, l ...value.Value) value.Value  { return d.Add(l[0], l[1]) }
func and(d value.Domain, l ...value.Value) value.Value  { return d.And(l[0], l[1]) }
func or(d value.Domain, l ...value.Value) value.Value   { return value.Or(d, l[0], l[1]) }
func eor(d value.Domain, l ...value.Value) value.Value  { return d.Xor(l[0], l[1]) }
func eor3(d value.Domain, l ...value.Value) value.Value { return d.Xor(d.Xor(l[0], l[1]), l[2]) }

func reverse(d value.Domain, l ...value.Value) value.Value { return value.Reverse(d, l[0]) }

// higher is cmhi: all ones where the first lane is greater, unsigned.
func higher(d value.Domain, l ...value.Value) value.Value {
	return value.Repeat(d, d.Less(l[1], l[0]), l[0].Width())
}

// operand returns operand i, or the immediate there in width bits.
func operand(in ir.In, i, width int) value.Value {
	if v := in.Op[i]; v != nil {
		return v
	}
	return in.D.Const(width, uint64(in.Imm[i]))
}

// copyOf moves operand i; width is that of an immediate.
func copyOf(width, i int) meaning {
	return func(in ir.In) []value.Value { return one(operand(in, i, width)) }
}

// each applies f lane by lane to all operands after the first; an immediate
// has the width of a lane.
func each(lane int, f laneFunc) meaning {
	return func(in ir.In) []value.Value {
		var vs []value.Value
		for i := 1; i < len(in.Op); i++ {
			vs = append(vs, operand(in, i, lane))
		}
		return one(value.Map(in.D, lane, func(l ...value.Value) value.Value { return f(in.D, l...) }, vs...))
	}
}

// shift applies f lane by lane to operand 1 with the immediate.
func shift(lane int, f func(d value.Domain, v value.Value, n int) value.Value) meaning {
	return func(in ir.In) []value.Value {
		return one(value.Map(in.D, lane, func(l ...value.Value) value.Value {
			return f(in.D, l[0], int(in.Imm[2]))
		}, in.Op[1]))
	}
}

// keep is movk: it replaces 16 bits of operand 0, from bit at up.
func keep(width int) meaning {
	return func(in ir.In) []value.Value {
		at := int(in.Imm[2])
		v := in.D.Const(16, uint64(in.Imm[1]))
		if at > 0 {
			v = in.D.Concat(in.D.Slice(in.Op[0], 0, at), v)
		}
		if rest := width - at - 16; rest > 0 {
			v = in.D.Concat(v, in.D.Slice(in.Op[0], at+16, rest))
		}
		return one(v)
	}
}

// spread fills a vector with an operand, or with an immediate of width bits.
func spread(width int) meaning {
	return func(in ir.In) []value.Value {
		v := in.D.Const(width, uint64(in.Imm[1]))
		if in.Op[1] != nil {
			v = in.D.Slice(in.Op[1], width*in.Lane[1], width)
		}
		return one(value.Repeat(in.D, v, 128/width))
	}
}

// pick returns a lane of operand 1.
func pick(width int) meaning {
	return func(in ir.In) []value.Value { return one(in.D.Slice(in.Op[1], width*in.Lane[1], width)) }
}

// place replaces a lane of operand 0 by operand 1.
func place(width int) meaning {
	return func(in ir.In) []value.Value {
		parts := make([]value.Value, 128/width)
		for i := range parts {
			parts[i] = in.D.Slice(in.Op[0], width*i, width)
		}
		parts[in.Lane[0]] = in.Op[1]
		return one(in.D.Concat(parts...))
	}
}

// lookUp is tbl: each index byte is replaced by that byte of the table, or
// by zero beyond it. The indices must be known.
func lookUp(in ir.In) []value.Value {
	n := len(in.Op) - 1
	idx, ok := in.D.Known(in.Op[n])
	if !ok {
		panic("arm64: tbl by unknown indices")
	}
	table := in.D.Concat(in.Op[1:n]...)
	from := make([]int, 16)
	for i := range from {
		from[i] = int(idx[i/8] >> (8 * (i % 8)) & 0xff)
		if from[i] >= table.Width()/8 {
			from[i] = -1
		}
	}
	return one(in.D.Bytes(table, from))
}

// extract is ext: 16 bytes of operands 1 and 2, end to end, from the byte
// that the immediate tells.
func extract(in ir.In) []value.Value {
	return one(in.D.Slice(in.D.Concat(in.Op[1], in.Op[2]), 8*int(in.Imm[3]), 128))
}

// transpose is trn1 (i = 0) and trn2 (i = 1) on 64-bit lanes.
func transpose(i int) meaning {
	return func(in ir.In) []value.Value {
		return one(in.D.Concat(in.D.Slice(in.Op[1], 64*i, 64), in.D.Slice(in.Op[2], 64*i, 64)))
	}
}

// clmul multiplies the 64-bit lanes i of operands 1 and 2.
func clmul(i int) meaning {
	return func(in ir.In) []value.Value {
		return one(in.D.Clmul(in.D.Slice(in.Op[1], 64*i, 64), in.D.Slice(in.Op[2], 64*i, 64)))
	}
}

// arithmetic is an addition or subtraction of operand at+1, or the immediate
// there, to or from operand at. It sets the flags if setsFlags and keeps the
// result if at > 0, where operand 0 receives it.
func arithmetic(width, at int, minus, setsFlags bool) meaning {
	return func(in ir.In) []value.Value {
		d, a, b := in.D, in.Op[at], operand(in, at+1, width)
		top := func(v value.Value) value.Value { return d.Slice(v, width-1, 1) }
		var r, carry, differ value.Value
		if minus {
			r, carry = value.Sub(d, a, b), value.Not(d, d.Less(a, b))
			differ = d.Xor(top(a), top(b))
		} else {
			r = d.Add(a, b)
			carry, differ = d.Less(r, a), value.Not(d, d.Xor(top(a), top(b)))
		}
		var out []value.Value
		if at > 0 {
			out = append(out, r)
		}
		if setsFlags {
			overflow := d.And(differ, d.Xor(top(a), top(r)))
			out = append(out, top(r), d.IsZero(r), carry, overflow)
		}
		return out
	}
}
