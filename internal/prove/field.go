// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"

	"github.com/stitchgcm/gcm/internal/value"
)

// GHASH on symbols. A carry-less product is bilinear, so the product of sums
// is the sum of products of lanes, eight bytes of one atom each. Expressions
// made of products, products with constants, moves and sums thus have a normal
// form. nameElement looks in such a normal form for products of an element of
// GF(2^128) with a power of H, as reduced in the way of product128, and gives
// the sum a name and a meaning: a polynomial in H whose coefficients are atoms.
//
// That product128 is multiplication in the field is decided in prove_test.go
// and at every start of the prover: both sides are bilinear in the element
// and the power, so that the 128·128 pairs of basis vectors decide it.

// A lane is eight bytes: those of an atom in the order pat (-1: zero), or the
// constant c where a is 0.
type lane struct {
	a   atom
	pat [8]int8
	c   uint64
}

// A product is the carry-less product of two lanes, by their numbers.
type product struct{ x, y int32 }

func (s *Symbols) laneID(l lane) int32 {
	id, ok := s.lanes[l]
	if !ok {
		id = int32(len(s.laneList))
		s.laneList = append(s.laneList, l)
		s.lanes[l] = id
	}
	return id
}

// split writes eight bytes as a sum of lanes, one for each half of an atom.
func (s *Symbols) split(v Vec) (ids []int32, err error) {
	var c uint64
	var order []lane // the patterns so far, -1 where absent
	find := func(t term) *lane {
		for i := range order {
			if order[i].a == t.atom() && order[i].c == s.half(t) {
				return &order[i]
			}
		}
		order = append(order, lane{a: t.atom(), c: s.half(t), pat: [8]int8{-1, -1, -1, -1, -1, -1, -1, -1}})
		return &order[len(order)-1]
	}
	if uniform(v) { // the bytes of whole lanes, as products leave them
		for _, t := range v[0].t {
			l := lane{a: t.atom()}
			for j := range l.pat {
				l.pat[j] = int8(t.index() + j)
			}
			ids = append(ids, s.laneID(l))
		}
		for j, b := range v {
			c |= uint64(b.c) << (8 * j)
		}
	} else {
		for j, b := range v {
			c |= uint64(b.c) << (8 * j)
			for _, t := range b.t {
				l := find(t)
				if l.pat[j] >= 0 {
					return nil, fmt.Errorf("one atom twice in a byte of a product's operand")
				}
				l.pat[j] = int8(t.index())
			}
		}
		for _, l := range order {
			l.c = 0
			ids = append(ids, s.laneID(l))
		}
	}
	if c != 0 {
		ids = append(ids, s.laneID(lane{c: c}))
	}
	return ids, nil
}

// half guesses in which half of a block a byte stands: the S-box of a state is
// only ever used behind ShiftRows.
func (s *Symbols) half(t term) uint64 {
	i := t.index()
	if s.atoms[t.atom()].state {
		i = (i + 12*(i%4)) % 16 // row r moves right by r columns
	}
	return uint64(i >> 3)
}

// uniform reports whether all eight bytes hold the same atoms, each with
// ascending bytes from its first or its ninth on.
func uniform(v Vec) bool {
	first := v[0].t
	for j, b := range v {
		if len(b.t) != len(first) {
			return false
		}
		for i, t := range b.t {
			if t != first[i]+term(j) {
				return false
			}
		}
	}
	for _, t := range first {
		if t.index()&7 != 0 {
			return false
		}
	}
	return true
}

// Clmul implements value.Domain for 64-bit operands.
func (s *Symbols) Clmul(a, b value.Value) value.Value {
	if known(a, b) {
		return s.Concrete.Clmul(a, b)
	}
	var atoms []atom
	xs, err := s.split(s.bytes(a))
	if err != nil {
		panic(unprovable{err})
	}
	ys, err := s.split(s.bytes(b))
	if err != nil {
		panic(unprovable{err})
	}
	for _, x := range xs {
		for _, y := range ys {
			atoms = append(atoms, s.product(x, y))
		}
	}
	return simplify(s.sumOf(atoms))
}

// unprovable is what an operation panics with that has no normal form; the run
// of the case turns it into an error.
type unprovable struct{ error }

// product returns the atom for the product of two lanes.
func (s *Symbols) product(x, y int32) atom {
	if y < x {
		x, y = y, x
	}
	k := fmt.Appendf(s.key[:0], "product %d %d", x, y)
	s.key = k
	if a, ok := s.interned[string(k)]; ok {
		return a
	}
	a := s.fresh("product")
	s.interned[string(k)] = a
	s.atoms[a].prod = &product{x, y}
	return a
}

// sumOf returns the sum of 16-byte atoms; equal pairs cancel.
func (s *Symbols) sumOf(atoms []atom) Vec {
	slices.Sort(atoms)
	var odd []atom
	for i := 0; i < len(atoms); {
		j := i
		for j < len(atoms) && atoms[j] == atoms[i] {
			j++
		}
		if (j-i)%2 == 1 {
			odd = append(odd, atoms[i])
		}
		i = j
	}
	out := make(Vec, 16)
	for j := range out {
		t := make([]term, len(odd))
		for i, a := range odd {
			t[i] = a.at(j)
		}
		out[j].t = t
	}
	return out
}

// An element is an atom with the place of each of its bytes in the 128-bit
// integer whose bit 127-i is the coefficient of x^i.
type element struct {
	a   atom
	pat [16]int8
}

// A monomial is an element times H^exp.
type monomial struct {
	e   element
	exp int
}

// A poly is a sum of monomials.
type poly map[monomial]bool

func (p poly) add(m monomial) {
	if p[m] {
		delete(p, m)
	} else {
		p[m] = true
	}
}

// plus adds q times H^exp.
func (p poly) plus(q poly, exp int) {
	for m := range q {
		p.add(monomial{m.e, m.exp + exp})
	}
}

func (p poly) equal(q poly) bool {
	if len(p) != len(q) {
		return false
	}
	for m := range p {
		if !q[m] {
			return false
		}
	}
	return true
}

// reductionConstant is x^121 + x^126 + x^127 of the reversed polynomial,
// shifted into one word, as docs/ALGORITHMS.md derives it.
const reductionConstant = 0xc2 << 56

// product128 multiplies an element by a power times x^-1 and reduces. It is
// written here once more, independent of the kernels, and decided against the
// definition by checkProduct.
func product128(d value.Domain, x, t value.Value) value.Value {
	half := func(v value.Value, i int) value.Value { return d.Slice(v, 64*i, 64) }
	low := d.Clmul(half(x, 0), half(t, 0))
	mid := d.Xor(d.Clmul(half(x, 0), half(t, 1)), d.Clmul(half(x, 1), half(t, 0)))
	return reduce128(d, low, mid, d.Clmul(half(x, 1), half(t, 1)))
}

// reduce128 reduces low + mid·2^64 + high·2^128. It is linear.
func reduce128(d value.Domain, low, mid, high value.Value) value.Value {
	half := func(v value.Value, i int) value.Value { return d.Slice(v, 64*i, 64) }
	fold := func(from, to value.Value) value.Value {
		swapped := d.Concat(half(from, 1), half(from, 0))
		return d.Xor(d.Xor(to, swapped), d.Clmul(half(from, 0), d.Const(64, reductionConstant)))
	}
	return fold(fold(low, mid), high)
}

// nameElement returns an atom that equals the 16 bytes of v, an element in
// integer order, and records its meaning as a polynomial.
func (s *Symbols) nameElement(v Vec) (Vec, error) {
	p, err := s.polynomial(v)
	if err != nil {
		return nil, err
	}
	a := s.fresh("field element")
	s.atoms[a].poly = p
	if len(p) == 1 {
		for m := range p {
			if m.e == s.first { // a product of powers is a power
				s.power[a] = m.exp + 1
			}
		}
	}
	out := make(Vec, 16)
	for i := range out {
		out[i] = byteOf(a, i)
	}
	return out, nil
}

// polynomial finds the meaning of the element v.
func (s *Symbols) polynomial(v Vec) (poly, error) {
	p := poly{}
	rest := v
	for _, sum := range s.accumulators {
		if contains(v[8:], sum.high[8].t) {
			rest = s.bytes(s.Xor(rest, reduce128(s, sum.low, sum.mid, sum.high)))
			p.add(monomial{sum.meaning, 0})
		}
	}
	for _, f := range s.factors(v) {
		x := s.elementBytes(f.e)
		rest = s.bytes(s.Xor(rest, product128(s, x, s.powerBytes(f.power))))
		s.addElement(p, f.e, s.power[f.power])
	}
	for _, b := range rest {
		for _, t := range b.t {
			if s.atoms[t.atom()].prod != nil {
				return nil, fmt.Errorf("a sum of products that is no field element")
			}
		}
	}
	s.addLinear(p, rest)
	return p, nil
}

// An accumulator is a sum of products of which nothing is known
// but what it means: the element that it reduces to.
type accumulator struct {
	low, mid, high Vec
	meaning        element
}

// anySum returns an accumulator that stands for any.
func (s *Symbols) anySum(name string) accumulator {
	x := accumulator{s.Fresh(name+", low", 16), s.Fresh(name+", middle", 16), s.Fresh(name+", high", 16),
		element{s.fresh(name), identity}}
	s.accumulators = append(s.accumulators, x)
	return x
}

// contains reports whether the first of v holds all the terms.
func contains(v Vec, ts []term) bool {
	for _, t := range ts {
		if !slices.Contains(v[0].t, t) {
			return false
		}
	}
	return true
}

// addLinear adds the sum of elements in v, without products, to p.
func (s *Symbols) addLinear(p poly, v Vec) {
	elements, err := s.elementsOf(v)
	if err != nil {
		panic(unprovable{err})
	}
	for _, e := range elements {
		s.addElement(p, e, 0)
	}
}

// elementsOf writes 16 bytes as a sum of elements.
func (s *Symbols) elementsOf(v Vec) (es []element, err error) {
	var order []atom
	pats := map[atom]*[16]int8{}
	var constant [16]byte
	for j, b := range v {
		constant[j] = b.c
		for _, t := range b.t {
			p := pats[t.atom()]
			if p == nil {
				p = new([16]int8)
				for i := range p {
					p[i] = -1
				}
				pats[t.atom()] = p
				order = append(order, t.atom())
			}
			if p[j] >= 0 {
				return nil, fmt.Errorf("one atom twice in a byte of an element")
			}
			p[j] = int8(t.index())
		}
	}
	for _, a := range order {
		es = append(es, element{a, *pats[a]})
	}
	if constant != [16]byte{} {
		a := s.apply("constant", constants(constant[:]))
		s.atoms[a].constant = constants(constant[:])
		e := element{a: a}
		for i := range e.pat {
			e.pat[i] = int8(i)
		}
		es = append(es, e)
	}
	return es, nil
}

var identity = [16]int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// addElement adds e·H^exp to p, e replaced by its meaning if it has one.
func (s *Symbols) addElement(p poly, e element, exp int) {
	if q := s.atoms[e.a].poly; q != nil && e.pat == identity {
		p.plus(q, exp)
		return
	}
	p.add(monomial{e, exp})
}

func (s *Symbols) elementBytes(e element) Vec {
	if c := s.atoms[e.a].constant; c != nil {
		return c
	}
	out := make(Vec, 16)
	for i, k := range e.pat {
		if k >= 0 {
			out[i] = byteOf(e.a, int(k))
		}
	}
	return out
}

func (s *Symbols) powerBytes(a atom) Vec { return s.elementBytes(element{a, identity}) }

// A factor is a pair that v contains the product of.
type factor struct {
	e     element
	power atom
}

// factors guesses which elements are multiplied by which powers in v, from the
// products of lanes in it. A wrong guess makes polynomial fail.
func (s *Symbols) factors(v Vec) []factor {
	type pair struct{ a, power atom }
	halves := map[pair][]lane{}
	var order []pair
	direct := map[atom]bool{} // products whose high half stands in v's high half
	seen := map[atom]bool{}
	var visit func(a atom)
	visit = func(a atom) {
		if seen[a] {
			return
		}
		seen[a] = true
		pr := s.atoms[a].prod
		if pr == nil {
			return
		}
		x, y := s.laneList[pr.x], s.laneList[pr.y]
		// Of two powers the younger one counts as the power.
		if _, ok := s.power[x.a]; ok && (s.power[y.a] == 0 || y.a < x.a) {
			x, y = y, x
		}
		if _, ok := s.power[y.a]; !ok || y.a == 0 {
			visit(x.a)
			visit(y.a)
			return
		}
		k := pair{x.a, y.a}
		if _, ok := halves[k]; !ok {
			order = append(order, k)
		}
		if !slices.Contains(halves[k], x) {
			halves[k] = append(halves[k], x)
		}
	}
	for _, t := range v[8].t {
		if t.index() == 8 {
			direct[t.atom()] = true
		}
	}
	for _, b := range []Byte{v[0], v[8]} {
		for _, t := range b.t {
			visit(t.atom())
		}
	}
	var out []factor
	for _, k := range order {
		var powers [2]int32 // the halves
		for h := range powers {
			l := lane{a: k.power}
			for i := range l.pat {
				l.pat[i] = int8(8*h + i)
			}
			powers[h] = s.laneID(l)
		}
		f := factor{power: k.power, e: element{a: k.a}}
		for i := range f.e.pat {
			f.e.pat[i] = -1
		}
		constant := make(Vec, 16)
		for _, l := range halves[k] {
			id := s.laneID(l)
			if l.a != 0 {
				at := 0
				if direct[s.product(id, powers[1])] {
					at = 8
				}
				copy(f.e.pat[at:], l.pat[:])
				continue
			}
			for h, power := range powers { // of a constant both halves may be one
				for i := range 8 {
					if direct[s.product(id, power)] {
						constant[8*h+i].c ^= byte(l.c >> (8 * i))
					}
				}
			}
		}
		if !zero(constant) {
			f.e = s.constantElement(constant)
		}
		out = append(out, f)
	}
	return out
}

// constantElement returns an element that stands for a constant.
func (s *Symbols) constantElement(v Vec) element {
	es, err := s.elementsOf(v)
	if err != nil || len(es) != 1 {
		panic("prove: not a constant")
	}
	return es[0]
}
