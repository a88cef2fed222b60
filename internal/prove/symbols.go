// SPDX-License-Identifier: ISC

// Package prove decides, for all inputs, that a kernel computes what
// SP 800-38D says. It runs the program on symbols: the domain here stands for
// every value that key, nonce, AAD and text can take at once.
//
// A value is a vector of bytes; a byte is a sum (xor) of bytes of atoms and a
// constant. An atom is something opaque of up to 16 bytes: a block of the
// message, a round key, the S-box of a byte, a column of MixColumns, a counter,
// a carry-less product. Atoms are interned: two are the same if and only if
// they were made by the same operation from the same operands, so that equal
// expressions are equal values. The converse may fail, and then a proof is
// refused, never wrongly accepted.
package prove

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/stitchgcm/gcm/internal/value"
)

// An atom is an opaque value; a term is one of its bytes: atom·16 + index.
type (
	atom uint32
	term uint32
)

func (a atom) at(i int) term    { return term(a)<<4 | term(i) }
func (t term) atom() atom       { return atom(t >> 4) }
func (t term) index() int       { return int(t & 15) }
func byteOf(a atom, i int) Byte { return Byte{t: []term{a.at(i)}} }

// A Byte is a constant plus the sum of distinct terms, in ascending order.
type Byte struct {
	c byte
	t []term
}

// plus returns the sum of two bytes.
func (x Byte) plus(y Byte) Byte {
	if len(y.t) == 0 {
		return Byte{x.c ^ y.c, x.t}
	}
	if len(x.t) == 0 {
		return Byte{x.c ^ y.c, y.t}
	}
	out := make([]term, 0, len(x.t)+len(y.t))
	i, j := 0, 0
	for i < len(x.t) && j < len(y.t) {
		switch a, b := x.t[i], y.t[j]; {
		case a < b:
			out = append(out, a)
			i++
		case b < a:
			out = append(out, b)
			j++
		default:
			i++
			j++
		}
	}
	out = append(out, x.t[i:]...)
	return Byte{x.c ^ y.c, append(out, y.t[j:]...)}
}

func (x Byte) equal(y Byte) bool { return x.c == y.c && slices.Equal(x.t, y.t) }

// A Vec is a value that is not a known number.
type Vec []Byte

// Width returns the number of bits.
func (v Vec) Width() int { return 8 * len(v) }

func (v Vec) equal(w Vec) bool { return slices.EqualFunc(v, w, Byte.equal) }

// A Cond is an unknown bit: whether a vector is zero, or its negation.
type Cond struct {
	zero    Vec
	negated bool
	public  bool // it depends on counts alone
}

// Width returns 1.
func (*Cond) Width() int { return 1 }

// A part is a slice of a vector that does not fall on byte boundaries; all it
// is good for is to be joined again.
type part struct {
	v         Vec
	lo, width int
}

func (p part) Width() int { return p.width }

// origin tells how an atom was made.
type origin struct {
	name     string   // for messages
	prod     *product // a carry-less product
	sum      *counter // a sum modulo 2^32
	poly     poly     // a field element named by nameElement
	constant Vec      // an element that is known
	zeros    int      // low bits that are zero, of a 32-bit number; at most 7
	state    bool     // the S-box of a whole AES state
	single   bool     // the S-box of a byte, or the double of one
}

// Symbols is the domain of symbolic values. Its zero value is not usable.
type Symbols struct {
	value.Concrete
	atoms        []origin
	interned     map[string]atom
	lanes        map[lane]int32
	laneList     []lane
	power        map[atom]int           // the exponent of H of each power, times x^-1
	accumulators []accumulator          // sums of products that stand for any
	places       map[Pointer]Pointer    // where addresses lead that count from the beginning of a text
	first        element                // H times x^-1, where powers are being made
	key          []byte                 // scratch
	joins        map[atom][]value.Value // vectors joined from parts, by their first atom
	pointers     map[atom]Pointer       // pointers seen as bytes, by their first atom
	counts       map[atom]Count         // counts seen as bytes, by their first atom
	sums         map[atom]offset        // 64-bit sums, by their first atom

	// bytewise gives the S-box of each byte an atom of its own in the first round,
	// and makes MixColumns a sum of those and of their doubles: for the sake of
	// programs that compute a part of the state apart from the rest.
	bytewise bool
}

// NewSymbols returns a domain without atoms.
func NewSymbols() *Symbols {
	s := &Symbols{interned: map[string]atom{}, lanes: map[lane]int32{}, power: map[atom]int{}, places: map[Pointer]Pointer{},
		joins: map[atom][]value.Value{}, pointers: map[atom]Pointer{}, counts: map[atom]Count{}, sums: map[atom]offset{}}
	s.atoms = append(s.atoms, origin{name: "none"})
	return s
}

// fresh returns a new atom.
func (s *Symbols) fresh(name string) atom {
	s.atoms = append(s.atoms, origin{name: name})
	return atom(len(s.atoms) - 1)
}

// Fresh returns n bytes of which nothing is known, in atoms of 16.
func (s *Symbols) Fresh(name string, n int) Vec {
	v, terms := make(Vec, n), make([]term, n)
	var a atom
	for i := range v {
		if i%16 == 0 {
			a = s.fresh(name)
		}
		terms[i] = a.at(i % 16)
		v[i].t = terms[i : i+1 : i+1]
	}
	return v
}

// apply returns the atom for an operation on bytes; the same operation on
// equal bytes is the same atom.
func (s *Symbols) apply(op string, x []Byte) atom {
	k := append(s.key[:0], op...)
	for _, b := range x {
		k = append(k, b.c)
		k = binary.AppendUvarint(k, uint64(len(b.t)))
		for _, t := range b.t {
			k = binary.LittleEndian.AppendUint32(k, uint32(t))
		}
	}
	s.key = k
	if a, ok := s.interned[string(k)]; ok {
		return a
	}
	a := s.fresh(op)
	s.interned[string(k)] = a
	return a
}

// opaque returns width bits made by an operation of which nothing is known.
func (s *Symbols) opaque(op string, width int, operands ...value.Value) value.Value {
	var x []Byte
	public := true
	for _, v := range operands {
		switch v := v.(type) {
		case *value.Bits, Count:
		case *Cond:
			public = public && v.public
		default:
			public = false
		}
		op += fmt.Sprintf(" %d", v.Width())
		switch v := v.(type) {
		case part:
			op += fmt.Sprintf(" %d+%d", v.lo, v.width)
			x = append(x, v.v...)
		case *Cond:
			op += fmt.Sprintf(" zero %v", v.negated)
			x = append(x, v.zero...)
		case Count:
			op += fmt.Sprintf(" count %v", v)
		case Pointer:
			op += fmt.Sprintf(" pointer %d", v)
		default:
			x = append(x, s.bytes(v)...)
		}
	}
	if width == 1 {
		return &Cond{zero: Vec{byteOf(s.apply(op, x), 0)}, public: public}
	}
	out := make(Vec, (width+7)/8)
	for i := range out {
		if i%16 == 0 {
			op = fmt.Sprintf("%s, part %d", op, i/16)
		}
		out[i] = byteOf(s.apply(op, x), i%16)
	}
	return out
}

// bytes returns a vector, or a known number of whole bytes, as bytes. A
// number that is not of whole bytes is padded with zeros.
func (s *Symbols) bytes(v value.Value) Vec {
	switch v := v.(type) {
	case Vec:
		return v
	case *value.Bits:
		out := make(Vec, (v.Width()+7)/8)
		for i, b := range v.Bytes() {
			out[i].c = b
		}
		return out
	case Count:
		if v.Fuzzy { // equal bounds do not make equal numbers
			return s.Fresh("count", 8)
		}
		out := s.opaque("count", 64, v).(Vec)
		s.counts[first(out)] = v
		return out
	}
	if p, ok := v.(Pointer); ok {
		out := s.opaque("pointer", 64, p).(Vec)
		s.pointers[first(out)] = p
		return out
	}
	panic(fmt.Sprintf("prove: no bytes of a %T", v))
}

func known(vs ...value.Value) bool {
	for _, v := range vs {
		if _, ok := v.(*value.Bits); !ok {
			return false
		}
	}
	return true
}

// simplify returns a vector of constants as a known number.
func simplify(v Vec) value.Value {
	raw := make([]byte, len(v))
	for i, b := range v {
		if len(b.t) > 0 {
			return v
		}
		raw[i] = b.c
	}
	return value.FromBytes(raw)
}

// Slice implements value.Domain.
func (s *Symbols) Slice(v value.Value, lo, width int) value.Value {
	if known(v) {
		return s.Concrete.Slice(v, lo, width)
	}
	if lo == 0 && width == v.Width() {
		return v
	}
	b := s.bytes(v)
	if lo%8 != 0 || width%8 != 0 {
		if p, ok := s.slice(b, lo, width); ok {
			return p
		}
		return part{b, lo, width}
	}
	b = b[lo/8 : (lo+width)/8]
	if p, ok := s.pointers[first(b)]; ok && b.equal(s.bytes(p)) {
		return p // back from a vector register
	}
	if c, ok := s.counts[first(b)]; ok && b.equal(s.bytes(c)) {
		return c // likewise
	}
	return simplify(b)
}

// Concat implements value.Domain.
func (s *Symbols) Concat(parts ...value.Value) value.Value {
	if known(parts...) {
		return s.Concrete.Concat(parts...)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if v, ok := s.join(parts); ok {
		return v
	}
	var out Vec
	width := 0
	for _, p := range parts {
		width += p.Width()
	}
	for _, p := range parts {
		switch p.(type) {
		case part, *Cond:
			return s.joined(width, parts)
		}
		if p.Width()%8 != 0 {
			return s.joined(width, parts)
		}
		out = append(out, s.bytes(p)...)
	}
	return out
}

// joined joins parts that are not all of whole bytes.
func (s *Symbols) joined(width int, parts []value.Value) value.Value {
	v := s.opaque("join", width, parts...)
	if v, ok := v.(Vec); ok && first(v) != 0 {
		s.joins[first(v)] = parts
	}
	return v
}

// Bytes implements value.Domain.
func (s *Symbols) Bytes(v value.Value, from []int) value.Value {
	if known(v) {
		return s.Concrete.Bytes(v, from)
	}
	b := s.bytes(v)
	out := make(Vec, len(from))
	for i, f := range from {
		if f >= 0 {
			out[i] = b[f]
		}
	}
	return simplify(out)
}

// Xor implements value.Domain.
func (s *Symbols) Xor(a, b value.Value) value.Value {
	if known(a, b) {
		return s.Concrete.Xor(a, b)
	}
	if a.Width() == 1 {
		if known(a) {
			a, b = b, a
		}
		c, ok := a.(*Cond)
		if k, isKnown := b.(*value.Bits); ok && isKnown {
			return &Cond{c.zero, c.negated != (k.Uint64() == 1), c.public}
		}
		return s.opaque("xor", 1, a, b)
	}
	x, y := s.bytes(a), s.bytes(b)
	out := make(Vec, len(x))
	for i := range out {
		out[i] = x[i].plus(y[i])
	}
	return simplify(out)
}

// And implements value.Domain. Bytes are kept or cleared by constants; any
// other product of bits is opaque.
func (s *Symbols) And(a, b value.Value) value.Value {
	if known(a, b) {
		return s.Concrete.And(a, b)
	}
	if c, ok := a.(Count); ok {
		if a == b {
			return a
		}
		if k, ok := b.(*value.Bits); ok && c.least() >= 0 {
			if low := -int64(k.Uint64()); low > 0 && low&(low-1) == 0 { // a multiple of low
				return c.shr(bits.TrailingZeros64(uint64(low)), uint64(low))
			}
		}
	}
	if a.Width() == 1 {
		if known(a) {
			a, b = b, a
		}
		if k, ok := b.(*value.Bits); ok {
			if k.Uint64() == 0 {
				return b
			}
			return a
		}
		return s.opaque("and", 1, a, b)
	}
	x, y := s.bytes(a), s.bytes(b)
	if x.equal(y) {
		return a
	}
	out := make(Vec, len(x))
	for i := range out {
		p, q := x[i], y[i]
		if len(p.t) == 0 {
			p, q = q, p
		}
		switch {
		case len(q.t) == 0 && q.c == 0xff:
			out[i] = p
		case len(q.t) == 0 && q.c == 0:
		case len(p.t) == 0 && len(q.t) == 0:
			out[i] = Byte{c: p.c & q.c}
		default:
			return s.opaque("and", a.Width(), a, b)
		}
	}
	return simplify(out)
}

// IsZero implements value.Domain.
func (s *Symbols) IsZero(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Bits:
		return s.Concrete.IsZero(v)
	case Vec:
		return &Cond{zero: v}
	case Count:
		if most, ok := v.most(); v.least() > 0 || ok && most < 0 {
			return s.Const(1)
		}
	}
	return s.opaque("zero", 1, v)
}

// Less implements value.Domain.
func (s *Symbols) Less(a, b value.Value) value.Value {
	if known(a, b) {
		return s.Concrete.Less(a, b)
	}
	if c, ok := a.(Count); ok {
		if k, ok := b.(*value.Bits); ok {
			if less, certain := c.below(k.Uint64()); certain && less {
				return s.Const(1, 1)
			} else if certain {
				return s.Const(1)
			}
		}
	}
	return s.opaque("less", 1, a, b)
}

// Select implements value.Domain.
func (s *Symbols) Select(c, yes, no value.Value) value.Value {
	if known(c) {
		return s.Concrete.Select(c, yes, no)
	}
	return s.opaque("select", yes.Width(), c, yes, no)
}

// Known implements value.Domain.
func (s *Symbols) Known(v value.Value) ([]uint64, bool) {
	if b, ok := v.(*value.Bits); ok {
		return s.Concrete.Known(b)
	}
	if p, ok := v.(Pointer); ok { // for memory; branches are on single bits
		return []uint64{uint64(p)}, true
	}
	return nil, false
}

// SubBytes implements value.Domain: the S-box is opaque, state by state, or word
// by word where all words are the same, as in a key schedule.
func (s *Symbols) SubBytes(v value.Value) value.Value {
	if known(v) {
		return s.Concrete.SubBytes(v)
	}
	b := s.bytes(v)
	size := len(b)
	if size != 16 || b[:12].equal(b[4:]) {
		size = min(size, 4)
	}
	out := make(Vec, len(b))
	if s.bytewise && !s.single(b) {
		for i := range b {
			out[i] = byteOf(s.apply("S-box of a byte", b[i:i+1]), 0)
			s.atoms[out[i].t[0].atom()].single = true
		}
		return out
	}
	for i := 0; i < len(b); i += size {
		a := s.apply("S-box", b[i:i+size])
		s.atoms[a].state = size == 16
		for j := range size {
			out[i+j] = byteOf(a, j)
		}
	}
	return out
}

// single reports whether v has the S-box of a single byte in it.
func (s *Symbols) single(v Vec) bool {
	for _, b := range v {
		for _, t := range b.t {
			if s.atoms[t.atom()].single {
				return true
			}
		}
	}
	return false
}

// double returns {02}·x of FIPS 197, 4.2, which is linear.
func (s *Symbols) double(x Byte) Byte {
	out := Byte{c: x.c<<1 ^ x.c>>7*0x1b}
	for _, t := range x.t {
		a := s.apply("double", Vec{{t: []term{t}}})
		s.atoms[a].single = true
		out = out.plus(byteOf(a, 0))
	}
	return out
}

// MixColumns implements value.Domain: opaque, column by column, or a sum.
func (s *Symbols) MixColumns(v value.Value) value.Value {
	if known(v) {
		return s.Concrete.MixColumns(v)
	}
	b := s.bytes(v)
	out := make(Vec, len(b))
	for c := 0; c < len(b); c += 4 {
		if s.bytewise && s.single(b[c:c+4]) {
			all := b[c].plus(b[c+1]).plus(b[c+2]).plus(b[c+3])
			for i := range 4 { // {02}·b + {03}·the next + the two others
				out[c+i] = all.plus(b[c+i]).plus(s.double(b[c+i].plus(b[c+(i+1)%4])))
			}
			continue
		}
		a := s.apply("MixColumns", b[c:c+4])
		for i := range 4 {
			out[c+i] = byteOf(a, i)
		}
	}
	return out
}

// A counter is base + k modulo 2^32, with k a multiple of 2^n where base is
// one: the rest is then a constant in the lowest byte, since base has zeros
// there.
type counter struct {
	base atom
	k    uint32
}

// An offset is a sum modulo 2^64 of a vector and a number.
type offset struct {
	base Vec
	k    uint64
}

// Add implements value.Domain: counts and 32-bit counters plus a constant.
func (s *Symbols) Add(a, b value.Value) value.Value {
	if known(a, b) {
		return s.Concrete.Add(a, b)
	}
	if known(a) {
		a, b = b, a
	}
	c, isCount := a.(Count)
	if d, ok := b.(Count); ok && isCount {
		return c.plus(d)
	}
	if p, ok := a.(Pointer); ok {
		if d, ok := b.(Count); ok && d.Of == done {
			if q, ok := s.places[p]; ok {
				return q + Pointer(d.Off)
			}
		}
	}
	k, ok := b.(*value.Bits)
	if !ok {
		return s.opaque("add", a.Width(), a, b)
	}
	if p, ok := a.(Pointer); ok {
		return p + Pointer(k.Uint64())
	}
	if isCount {
		c.Off += int64(k.Uint64())
		return c
	}
	if k.Uint64() == 0 && k.Width() <= 64 {
		return a
	}
	if a.Width() == 64 {
		return s.addOffset(s.bytes(a), k.Uint64())
	}
	if a.Width() != 32 {
		return s.opaque("add", a.Width(), a, b)
	}
	v := s.bytes(a)
	base, sum, low := s.counterOf(v)
	return s.counterAt(base, sum+low+uint32(k.Uint64()))
}

// addOffset returns v + k.
func (s *Symbols) addOffset(v Vec, k uint64) value.Value {
	if o, ok := s.sums[first(v)]; ok && v.equal(s.opaque("add", 64, o.base, value.FromUint64(o.k)).(Vec)) {
		v, k = o.base, o.k+k
	}
	if k == 0 {
		return v
	}
	out := s.opaque("add", 64, v, value.FromUint64(k)).(Vec)
	s.sums[first(out)] = offset{v, k}
	return out
}

// counterOf splits four bytes into base + k + a constant in the low bits.
func (s *Symbols) counterOf(v Vec) (base atom, k, low uint32) {
	if len(v[0].t) == 1 && v[0].t[0].index() == 0 {
		a := v[0].t[0].atom()
		o := s.atoms[a]
		whole := v[0].c == 0 || int(v[0].c) < 1<<o.zeros
		for i := 1; i < 4; i++ {
			whole = whole && v[i].equal(byteOf(a, i))
		}
		if whole {
			if o.sum != nil {
				return o.sum.base, o.sum.k, uint32(v[0].c)
			}
			return a, 0, uint32(v[0].c)
		}
	}
	return s.apply("word", v), 0, 0
}

// counterAt returns base + k.
func (s *Symbols) counterAt(base atom, k uint32) Vec {
	zeros := s.atoms[base].zeros
	low := k & (1<<zeros - 1)
	k -= low
	a := base
	if k != 0 {
		a = s.apply(fmt.Sprintf("counter %d", k), []Byte{byteOf(base, 0)})
		s.atoms[a].sum = &counter{base, k}
		s.atoms[a].zeros = zeros
	}
	v := Vec{byteOf(a, 0), byteOf(a, 1), byteOf(a, 2), byteOf(a, 3)}
	v[0].c = byte(low)
	return v
}
