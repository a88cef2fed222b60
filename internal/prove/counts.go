// SPDX-License-Identifier: ISC

package prove

import "github.com/stitchgcm/gcm/internal/value"

// A Count is a number of bytes or blocks of which only bounds are known: at
// least Min and, unless Max is 0, at most Max, plus Off. It stands for a length
// that differs from call to call, or for what is left of it inside a loop. Every
// count is less than 2^61, as the contract says of lengths.
type Count struct {
	Of  string // which number it is, where there are several
	Min uint64
	Max uint64
	Off int64
	// Fuzzy says that the number is no longer the original one plus Off, only
	// within the bounds.
	Fuzzy bool
}

// done is the Count of what is done of a text, to which addresses are added.
const done = "done"

// Width returns 64.
func (Count) Width() int { return 64 }

// least returns the least value that a count may have.
func (c Count) least() int64 { return int64(c.Min) + c.Off }

// most returns the greatest value that a count may have, if there is one.
func (c Count) most() (int64, bool) { return int64(c.Max) + c.Off, c.Max != 0 }

// below reports whether a count that is not negative is less than k for
// certain, or not less for certain.
func (c Count) below(k uint64) (less, certain bool) {
	if c.least() < 0 {
		return false, false
	}
	if uint64(c.least()) >= k {
		return false, true
	}
	most, ok := c.most()
	return true, ok && uint64(most) < k
}

// plus returns the sum of two counts, of which only the bounds are known.
func (c Count) plus(d Count) Count {
	sum := Count{Min: uint64(c.least() + d.least()), Fuzzy: true}
	x, ok := c.most()
	y, ok2 := d.most()
	if ok && ok2 {
		sum.Max = uint64(x + y)
	}
	return sum
}

// shr returns a count divided by 2^n, without the rest, times scale: a number
// where the bounds agree.
func (c Count) shr(n int, scale uint64) value.Value {
	q := Count{Min: uint64(c.least()) >> n * scale, Fuzzy: true}
	if most, ok := c.most(); ok {
		q.Max = uint64(most) >> n * scale
		if q.Max == q.Min {
			return value.FromUint64(q.Min)
		}
	}
	return q
}

// slice returns bits of a vector that is joined from known numbers and parts:
// one of the parts, where the bits are those of one.
func (s *Symbols) slice(v Vec, lo, width int) (value.Value, bool) {
	parts, ok := s.joins[first(v)]
	if !ok || !v.equal(s.opaque("join", 8*len(v), parts...).(Vec)) {
		return nil, false
	}
	at := 0
	for _, p := range parts {
		if at == lo && p.Width() == width {
			return p, true
		}
		at += p.Width()
	}
	return nil, false
}

// join returns parts joined where that is a count, shifted right and padded
// with zeros: since counts are less than 2^61, the top 3 bits may be missing.
func (s *Symbols) join(parts []value.Value) (value.Value, bool) {
	if len(parts) != 2 {
		return nil, false
	}
	p, ok := parts[0].(part)
	zeros, ok2 := parts[1].(*value.Bits)
	if !ok || !ok2 || zeros.Uint64() != 0 || p.width+zeros.Width() != 64 {
		return nil, false
	}
	c, ok := s.counts[first(p.v)]
	if !ok || !p.v.equal(s.bytes(c)) || c.least() < 0 {
		return nil, false
	}
	switch {
	case p.lo == 0 && p.width == 61:
		return c, true
	case p.lo+p.width == 64:
		return c.shr(p.lo, 1), true
	}
	return nil, false
}

// first returns the atom of the first byte.
func first(v Vec) atom {
	if len(v) == 0 || len(v[0].t) != 1 {
		return 0
	}
	return v[0].t[0].atom()
}

// A Pointer is an address of which a program may know nothing but that it is
// where it is: adding a number moves it, and memory answers to it. Anything
// else that is done to it, such as a look at its low bits, gives an unknown
// value, so that a proof holds for every place of everything.
type Pointer uint64

// Width returns 64.
func (Pointer) Width() int { return 64 }
