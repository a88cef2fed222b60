// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// A session is one run of a part of a program. All registers begin as junk, of
// which nothing is known, so that whatever a result depends on has been set.
type session struct {
	p    *ir.Program
	s    *Symbols
	mem  *memory
	m    *machine.Machine
	spec *spec
	junk map[ir.Reg]value.Value

	upper bool // a register wider than 128 bits was written since vzeroupper

	sp      uint64  // the stack pointer at entry
	answers []bool  // how unknown branches go, one by one
	asked   []*Cond // what they were decided on
	named   int     // elements named so far
}

func newSession(p *ir.Program) *session {
	s := NewSymbols()
	mem := &memory{s: s}
	ses := &session{p: p, s: s, mem: mem, m: machine.New(s, mem), junk: map[ir.Reg]value.Value{}}
	for _, b := range p.ISA.Banks {
		for i := range b.Count {
			r := ir.Reg{Bank: b, Num: i}
			var v value.Value
			if b.Width == 1 {
				v = &Cond{zero: s.Fresh("junk "+r.String(), 1)}
			} else {
				v = s.Fresh("junk "+r.String(), b.Width/8)
			}
			ses.junk[r] = v
			ses.m.SetReg(r, v)
		}
	}
	for _, d := range p.Data {
		ses.m.Symbols[d.Name] = mem.add("constant "+d.Name, constants(d.Bytes), false, false).base
	}
	ses.m.Trace = func(pc int) { mem.pc = pc }
	ses.m.After = func(i ir.Inst) error {
		for _, r := range i.Form.Undefined { // no manual says what it holds now
			ses.m.SetReg(r, ses.junk[r])
		}
		ses.noteUpper(i)
		return ses.nameElements(i)
	}
	ses.m.Decide = func(i ir.Inst, c value.Value) (bool, error) {
		asked, ok := c.(*Cond)
		if !ok || len(ses.answers) == 0 {
			return false, fmt.Errorf("branch on a secret or unknown value")
		}
		taken := ses.answers[0]
		ses.answers, ses.asked = ses.answers[1:], append(ses.asked, asked)
		return taken, nil
	}
	return ses
}

// condition returns what the one unknown branch was decided on, or nil.
func (ses *session) condition() *Cond {
	if len(ses.asked) != 1 {
		return nil
	}
	return ses.asked[0]
}

// noteUpper notes whether the upper halves of vector registers are in use, as
// code that follows on amd64 would notice by its speed.
func (ses *session) noteUpper(i ir.Inst) {
	if i.Form.Mnemonic == "vzeroupper" {
		ses.upper = false
		return
	}
	for n, a := range i.Args {
		if a.Kind == ir.Register && a.Width > 128 && i.Form.Slots[n].Access&ir.Write != 0 {
			ses.upper = true
		}
	}
}

// nameElements gives a name to each lane that a marked instruction wrote.
func (ses *session) nameElements(i ir.Inst) error {
	if !i.Element {
		return nil
	}
	r := i.Args[0].Reg
	v, ok := ses.m.Reg(r).(Vec)
	if !ok {
		return nil
	}
	out := append(Vec{}, v...)
	for at := 0; at+16 <= len(v); at += 16 {
		lane := v[at : at+16]
		if zero(lane) {
			continue
		}
		name, err := ses.s.nameElement(lane)
		if err != nil {
			return err
		}
		copy(out[at:], name)
		ses.named++
	}
	ses.m.SetReg(r, out)
	return nil
}

// constants returns known bytes.
func constants(raw []byte) Vec {
	v := make(Vec, len(raw))
	for i, b := range raw {
		v[i].c = b
	}
	return v
}

func zero(v Vec) bool {
	for _, b := range v {
		if b.c != 0 || len(b.t) > 0 {
			return false
		}
	}
	return true
}

// run goes on from a label until one of the stops, or to the end.
func (ses *session) run(from string, stops ...string) (string, error) {
	steps := ses.m.Steps
	ses.m.Stop = func(label string) bool {
		if ses.m.Steps == steps { // where it began
			return false
		}
		for _, s := range stops {
			if s == label {
				return true
			}
		}
		return false
	}
	stop, err := ses.m.RunFrom(ses.p, from)
	if err == nil {
		note(ses.p, from, stop)
	}
	return stop, err
}

func (ses *session) number(r ir.Reg, n uint64) { ses.m.SetReg(r, value.FromUint64(n)) }

// want checks that a register holds a value; bits above its width must be
// zero.
func (ses *session) want(what string, r ir.Reg, v value.Value) error {
	have := ses.m.Reg(r)
	if !same(ses.s, have, value.Extend(ses.s, v, r.Bank.Width)) {
		return fmt.Errorf("%s in %v: %s", what, r, ses.difference(have, v))
	}
	return nil
}

func (ses *session) wantNumber(what string, r ir.Reg, n uint64) error {
	return ses.want(what, r, value.FromUint64(n))
}

// same reports whether two values are equal for certain.
func same(s *Symbols, a, b value.Value) bool {
	switch x := a.(type) {
	case Count:
		return a == b && !x.Fuzzy
	case Pointer, *Cond:
		return a == b
	case Vec:
		y, ok := b.(Vec)
		return ok && x.equal(y)
	case *value.Bits:
		y, ok := b.(*value.Bits)
		return ok && *x == *y
	}
	return false
}

// difference names the first byte in which two values differ.
func (ses *session) difference(have, want value.Value) string {
	if _, ok := have.(Pointer); ok {
		return fmt.Sprintf("have %#x, want %v", have, want)
	}
	if _, ok := have.(Count); ok {
		return fmt.Sprintf("have %v, want %v", have, want)
	}
	if _, ok := want.(Count); ok {
		return fmt.Sprintf("have %v, want %v", have, want)
	}
	h, w := ses.s.bytes(have), ses.s.bytes(want)
	for i := range min(len(h), len(w)) {
		if !h[i].equal(w[i]) {
			return fmt.Sprintf("byte %d is %s, want %s", i, ses.show(h[i]), ses.show(w[i]))
		}
	}
	return fmt.Sprintf("%d bytes, want %d", len(h), len(w))
}

// show writes a byte for messages.
func (ses *session) show(b Byte) string {
	s := fmt.Sprintf("%#02x", b.c)
	for i, t := range b.t {
		if i == 4 {
			return s + fmt.Sprintf(" + %d more", len(b.t)-4)
		}
		s += fmt.Sprintf(" + %s.%d", ses.s.atoms[t.atom()].name, t.index())
	}
	return s
}

// wantBytes checks the bytes of a region.
func (ses *session) wantBytes(r *region, at int, want Vec) error {
	for i, b := range want {
		if !r.bytes[at+i].equal(b) {
			return fmt.Errorf("%s, byte %d is %s, want %s; stored by %s", r.name, at+i, ses.show(r.bytes[at+i]), ses.show(b), ses.writer(r, at+i))
		}
		if !r.written[at+i] {
			return fmt.Errorf("%s, byte %d was not written", r.name, at+i)
		}
	}
	return nil
}

// writer names the instruction that stored a byte last.
func (ses *session) writer(r *region, at int) string {
	if !r.written[at] {
		return "none"
	}
	i := ses.p.Code[r.by[at]]
	return fmt.Sprintf("instruction %d, %s (%s)", r.by[at], i.Form.Mnemonic, i.Origin)
}

// wantElement checks that 16 bytes, in integer order, are one element that
// means the polynomial.
func (ses *session) wantElement(what string, v Vec, want poly) error {
	have, err := ses.s.polynomial(v)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !have.equal(want) {
		return fmt.Errorf("%s: %d terms, want %d; %s", what, len(have), len(want), ses.s.firstDifference(have, want))
	}
	return nil
}

func (s *Symbols) firstDifference(have, want poly) string {
	describe := func(a, b poly, word string) string {
		for m := range a {
			if !b[m] {
				return fmt.Sprintf("%s %s times H^%d", word, s.atoms[m.e.a].name, m.exp)
			}
		}
		return ""
	}
	return describe(have, want, "it has") + " " + describe(want, have, "it lacks")
}

// public reports whether a value is known, an address or a length.
func public(v value.Value) bool {
	switch v.(type) {
	case *value.Bits, Pointer, Count:
		return true
	}
	return false
}

// returned checks what holds at every return: preserved registers and the
// stack pointer come back, and nothing secret stays in any register.
func (ses *session) returned() error {
	if ses.upper {
		return fmt.Errorf("it returns without vzeroupper")
	}
	call := ses.p.ISA.Call
	for r, j := range ses.junk {
		have := ses.m.Reg(r)
		switch {
		case r == call.SP:
			if !same(ses.s, have, Pointer(ses.sp)) {
				return fmt.Errorf("the stack pointer does not come back")
			}
		case call.Preserved(r):
			width := call.PreservedBits(r)
			if !same(ses.s, ses.s.Slice(have, 0, width), ses.s.Slice(j, 0, width)) {
				return fmt.Errorf("register %v does not come back", r)
			}
		case r.Bank.Width == 1 || public(have) || same(ses.s, have, j):
		default:
			return fmt.Errorf("register %v is left with something unknown", r)
		}
	}
	return nil
}
