// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the kernels for arm64. The program is cut at its labels into parts without
// choices between lengths, other than those that the cases go through:
//
//	entry ─> lengths ─> brief_j0 ─> aad ─> brief ─> finish ─> return
//	lengths ─> long_nonce ─> j0 ─> long
//	entry ─> nonce_part ─> nonce ─> nonce_hashed ─> j0
//	long ─> long_aad_part ─> long_aad ─> long_text ─> bulk ─> rest ─> text ─> finish
//	long_text ─> text ─> long_text: 16 blocks alone, for other nonces
//	clear_more ─> return, after a wrong tag
//
// For turns only it is short:
//
//	entry ─> bulk_turn ─> bulk_end ─> leave ─> return
//
// A state is a set of registers with what they hold; all others may hold
// anything there, so they begin as junk. Each case also checks its frame: what
// it need not change it must leave, so that a state carries over what it does
// not name. Two things hold in every state:
//
// The three sums of products, reduced, are Y·H^k, plus the length block times H
// where that is in already. Y is GHASH of what went before, and H^k is the
// power at x11, for the next block. Reduction is linear, so a part is checked
// by what it adds: each block b that it takes, times the power for it. At the
// end of a part of 32 blocks k is 0, at the end of the text it is 1.
//
// General registers hold nothing secret, except while tags are compared.
const (
	armCounters = 256
	armConsts   = 512
	armTop      = 32
	armHigh     = armConsts + 96
	armLow      = armHigh + 8*armTop
	armMiddle   = armLow + 8*armTop
	armColumns  = armMiddle + 8*armTop
	armBriefest = 32 // highest counter of a brief message
	armEnd      = armColumns + 4*armBriefest
	armTurn     = 256 // bytes of a turn of the bulk loop
	armPart     = 512 // most bytes of AAD or nonce that are hashed at once
)

func vReg(n int) ir.Reg { return arm64.V(n).Reg }
func xReg(n int) ir.Reg { return arm64.X(n).Reg }

// arm is a session with the program's view of memory.
type arm struct {
	*session
	key, out, in *region
	rounds       int
	lens         Vec // length block in integer order
	start        map[ir.Reg]value.Value
}

// armConstants returns the constants in the key block.
func armConstants() []byte {
	c := make([]byte, 96)
	for i := range 16 {
		c[i] = byte(7 - i%8 + i/8*16)   // first halves of two blocks, reversed
		c[16+i] = c[i] + 8              // last halves
		c[32+i] = byte(15 - i)          // a block reversed
		c[48+i] = [8]byte{7: 0xc2}[i%8] // the reduction constant
		c[64+i] = byte(i)
	}
	c[92] = 1
	return c
}

// armLayout returns the key block that init makes, in symbols.
func armLayout(s *Symbols, rounds int) (b Vec, sp *spec) {
	b = s.Fresh("junk in the key block", armEnd)
	sp = &spec{s: s}
	for r := range rounds + 1 {
		k := s.Fresh(fmt.Sprintf("round key %d", r), 16)
		sp.keys = append(sp.keys, k)
		copy(b[16*r:], k)
	}
	for n := range 16 {
		k := append(Vec{}, sp.keys[0]...)
		k[15] = k[15].plus(Byte{c: byte(n)})
		copy(b[armCounters+16*n:], k)
	}
	for n := 1; n <= armTop; n++ {
		t := s.Fresh(fmt.Sprintf("H^%d", n), 16)
		s.power[first(t)] = n
		at := 8 * (armTop - n)
		copy(b[armHigh+at:], t[8:])
		copy(b[armLow+at:], t[:8])
		copy(b[armMiddle+at:], halves(s, t))
	}
	copy(b[armConsts:], constants(armConstants()))
	return b, sp // but for the columns, of which each case takes some: see withColumns
}

// column is what the counter n, of one byte, changes in column 0 of the state
// behind round 0; it changes nothing else, and so much whatever the nonce.
func (k *spec) column(n int) Vec {
	zero, counter := make(block, 16), make(block, 16)
	counter[15].c = byte(n)
	return k.xor(k.round0(counter), k.round0(zero))[:4]
}

// round0 is the state behind SubBytes, ShiftRows and MixColumns of the first
// round.
func (k *spec) round0(in block) block {
	return k.s.bytes(k.s.MixColumns(shiftRows(k.s.bytes(k.s.SubBytes(k.xor(in, k.keys[0]))))))
}

// newArm makes a session at a label behind the entry: with round keys and
// tbl indices in their registers.
func newArm(p *ir.Program) *arm {
	e := newArmEntry(p)
	e.lens = e.s.Fresh("length block", 16)
	for r, k := range e.spec.keys {
		e.m.SetReg(vReg(8+r), k)
	}
	e.m.SetReg(xReg(14), e.lens[8:])
	e.m.SetReg(xReg(15), e.lens[:8])
	c := armConstants()
	e.m.SetReg(vReg(29), value.FromBytes(c[:16]))
	e.m.SetReg(vReg(30), value.FromBytes(c[16:32]))
	return e
}

// newArmEntry makes a session at the entry.
func newArmEntry(p *ir.Program) *arm {
	e := &arm{session: newSession(p), rounds: 6 + p.Contract.Bits/32}
	b, sp := armLayout(e.s, e.rounds)
	e.spec = sp
	e.key = e.mem.add("key block", b, false, false)
	for i := 16 * (e.rounds + 1); i < armCounters; i++ {
		e.key.readable[i] = false // no field of the key block
	}
	e.m.SetReg(xReg(0), Pointer(e.key.base))
	return e
}

// run runs the program from a label until the next cut, which must be the label
// to, or the return.
func (e *arm) run(from, to string) error {
	e.m.MaxSteps = 4000
	e.start = map[ir.Reg]value.Value{}
	for r := range e.junk {
		e.start[r] = e.m.Reg(r)
	}
	stop, err := e.session.run(from, armCuts...)
	if err == nil && stop != to {
		err = orStop(nil, stop)
	}
	return err
}

// armCuts are all labels where a state is written down.
var armCuts = []string{
	"lengths", "brief_j0", "lengths_block", "brief_aad", "long_nonce", "j0", "aad", "aad_four", "aad_fewer", "aad_one",
	"brief", "brief_four", "brief_fewer", "brief_one", "brief_end",
	"text", "text_four", "text_fewer", "text_one", "text_end", "finish", "clear_more",
	"nonce_part", "nonce", "nonce_four", "nonce_fewer", "nonce_one", "nonce_end", "nonce_hashed",
	"long", "long_aad_part", "long_aad", "long_aad_four", "long_aad_fewer", "long_aad_one", "long_aad_end",
	"long_text", "bulk", "bulk_turn", "bulk_end", "rest", "leave", "h", "h_halved",
}

// vs and xs return registers by their numbers.
func vs(ns ...int) (rs []ir.Reg) {
	for _, n := range ns {
		rs = append(rs, vReg(n))
	}
	return rs
}

func xs(ns ...int) (rs []ir.Reg) {
	for _, n := range ns {
		rs = append(rs, xReg(n))
	}
	return rs
}

// frame checks the registers after a run: those wanted, and that all others
// but scratch are as before. v0 to v7, x12, x13 and the flags are always
// scratch. General registers that are scratch must hold something public.
func (e *arm) frame(scratch []ir.Reg, want ...held) error {
	free := map[ir.Reg]bool{}
	for _, r := range append(append(vs(0, 1, 2, 3, 4, 5, 6, 7), xs(12, 13)...), scratch...) {
		free[r] = true
	}
	checked := map[ir.Reg]bool{}
	for _, w := range want {
		if err := e.want(w.what, w.r, w.v); err != nil {
			return err
		}
		checked[w.r] = true
	}
	for r, before := range e.start {
		switch have := e.m.Reg(r); {
		case r.Bank == arm64.Flags, checked[r]:
		case !free[r]:
			if !same(e.s, have, before) {
				return fmt.Errorf("%v changes: %s", r, e.difference(have, before))
			}
		case r.Bank == arm64.GPR && !e.public(r):
			return fmt.Errorf("%v is left with something that may be secret", r)
		}
	}
	return nil
}

// public reports whether a general register holds what is no secret: a known
// number, a count of bytes, or what it or another held before.
func (e *arm) public(r ir.Reg) bool {
	have := e.m.Reg(r)
	switch have.(type) {
	case Count, Pointer, *value.Bits:
		return true
	}
	ok := map[atom]bool{}
	for q, v := range e.start {
		if v, isVec := v.(Vec); isVec && q.Bank == arm64.GPR {
			for _, b := range v {
				for _, t := range b.t {
					ok[t.atom()] = true
				}
			}
		}
	}
	for _, b := range e.s.bytes(have) {
		for _, t := range b.t {
			sum := e.s.atoms[t.atom()].sum
			if !ok[t.atom()] && (sum == nil || !ok[sum.base]) {
				return false
			}
		}
	}
	return true
}

// reg returns a vector register now and before the run, as bytes.
func (e *arm) reg(n int) Vec    { return e.s.bytes(e.m.Reg(vReg(n))) }
func (e *arm) before(n int) Vec { return e.s.bytes(e.start[vReg(n)]) }

// sums are the registers of the sums: high, low, middle.
var sums = vs(24, 25, 26)

// wantAdded checks the meaning of what has been added to the sums.
func (e *arm) wantAdded(y poly) error {
	d := func(n int) Vec { return e.spec.xor(e.reg(n), e.before(n)) }
	return e.wantSums(d(24), d(25), d(26), y)
}

// wantBegun checks the meaning of sums that have been begun anew.
func (e *arm) wantBegun(y poly) error { return e.wantSums(e.reg(24), e.reg(25), e.reg(26), y) }

// wantSums checks what sums mean. The middle one still has the two others in
// it, since it comes from (high + low)·(high + low).
func (e *arm) wantSums(high, low, mid Vec, y poly) error {
	mid = e.spec.xor(mid, e.spec.xor(high, low))
	return e.wantElement("sums of products", e.s.bytes(reduce128(e.s, low, mid, high)), y)
}

// times returns y·H^n.
func (y poly) times(n int) poly {
	out := poly{}
	out.plus(y, n)
	return out
}

// element returns a fresh element and its meaning.
func (e *arm) element(name string) (Vec, poly) {
	v := e.s.Fresh(name, 16)
	return v, e.meaning(v)
}

// meaning returns 16 bytes in integer order as a polynomial.
func (e *arm) meaning(v Vec) poly {
	y := poly{}
	e.s.addLinear(y, v)
	return y
}

// powerAt is the address of the high half of H^k.
func (e *arm) powerAt(k int) Pointer { return Pointer(e.key.base) + Pointer(armHigh+8*(armTop-k)) }

// rev32 reverses the bytes of each 32-bit lane.
func (e *arm) rev32(v Vec) value.Value {
	var from []int
	for i := range 16 {
		from = append(from, i^3)
	}
	return e.s.Bytes(v, from)
}

// counterBlock returns a counter block with the counter word, whose first byte
// is the least significant.
func (e *arm) counterBlock(upper Vec, word value.Value) block {
	return append(append(block{}, upper...), e.s.bytes(value.Reverse(e.s, word))...)
}

// anyBlock returns a counter block of which nothing is known.
func (e *arm) anyBlock() block {
	return e.counterBlock(e.s.Fresh("nonce", 12), e.s.Fresh("counter", 4))
}

// hold sets registers.
func (e *arm) hold(hs ...held) {
	for _, h := range hs {
		e.m.SetReg(h.r, h.v)
	}
}

func x(what string, n int, v value.Value) held    { return held{what, xReg(n), v} }
func v128(what string, n int, v value.Value) held { return held{what, vReg(n), v} }

// text makes n bytes of input and an output for them behind some that have
// been written already.
func (e *arm) text(n int, written Vec) Vec {
	text := e.s.Fresh("text", n)
	e.out = e.mem.add("out", append(append(Vec{}, written...), text...), true, true)
	for i := range written {
		e.out.readable[i] = true
	}
	padded := append(make(Vec, len(written)), text...)
	e.in = e.mem.add("in", padded, false, false)
	for i := range written {
		e.in.readable[i] = false
	}
	e.in.inPlace = e.out
	e.hold(x("out", 1, Pointer(e.out.base+uint64(len(written)))),
		x("in", 2, Pointer(e.in.base+uint64(len(written)))))
	return text
}

// ciphertext returns that of a text and what it becomes.
func (e *arm) ciphertext(text, done Vec) Vec {
	if e.p.Contract.Opens() {
		return text
	}
	return done
}

// wantText checks the output and that nothing before at was written.
func (e *arm) wantText(at int, done Vec) error {
	for i := range at {
		if e.out.written[i] {
			return fmt.Errorf("byte %d of the text is written once more", i-at)
		}
	}
	return e.wantBytes(e.out, at, done)
}

// A hashed is one of the five places where the loop over blocks stands.
type hashed struct {
	name string
	p    int // register that points to the bytes
	text bool
}

// brief reports whether the place is that of brief messages, in which a counter
// is a place in the table of columns.
func (h hashed) brief() bool { return h.name == "brief" }

// cut returns a label of the place. Behind the AAD of a brief message is its text.
func (h hashed) cut(at string) string {
	if h.name+at == "aad_end" {
		return "brief"
	}
	return h.name + at
}

// counters lists the counters that the block for the power H^k of a text may
// have: those of a brief message have at most 32 blocks of text left from J0 on,
// the last of which takes H^2. 0 stands for any counter.
func (h hashed) counters(k int) (ns []int) {
	if !h.brief() {
		return []int{0}
	}
	for n := 2; n+k <= armBriefest+2; n++ {
		ns = append(ns, n)
	}
	return ns
}

// armHead: the start of the loop over blocks, with bytes left from p.
func armHead(p *ir.Program, h hashed, left Count, to string) error {
	e := newArm(p)
	bytes := 10
	if h.brief() {
		bytes = 3 // the whole text
	}
	e.hold(x("bytes", bytes, left))
	if err := e.run(h.name, h.cut(to)); err != nil {
		return err
	}
	left.Off = -64
	return e.frame(nil, x("bytes", 10, left))
}

// armSome: n bytes with the powers from H^k on, from a label to a label. Text has
// the counter given, or any.
func armSome(p *ir.Program, h hashed, from, to string, n, k, counter int, left, after value.Value) error {
	e := newArm(p)
	bytes := 10
	if from == "brief_aad" {
		bytes = 5
	}
	e.hold(x("bytes", bytes, left), x("power", 11, e.powerAt(k)))
	var data Vec
	cb := e.anyBlock()
	switch {
	case h.brief():
		data = e.text(n, nil)
		cb = e.briefBlock(cb[:12], counter)
		e.withColumns(counter, (n+15)/16)
		e.hold(e.brief(cb)...)
	case h.text:
		data = e.text(n, nil)
		e.hold(v128("counter block", 28, e.rev32(cb)), v128("one", 31, value.FromBytes(armConstants()[80:])))
	default:
		data = e.s.Fresh("bytes", n)
		e.hold(x("bytes", h.p, Pointer(e.mem.add("bytes", data, false, false).base)))
	}
	if from != "brief_aad" {
		from = h.name + from
	}
	if err := e.run(from, h.cut(to)); err != nil {
		return err
	}
	blocks := (n + 15) / 16
	scratch := append([]ir.Reg{}, sums...)
	want := []held{x("power", 11, e.powerAt(k-blocks))}
	if after != nil {
		want = append(want, x("bytes", 10, after))
	} else {
		scratch = append(scratch, xReg(10))
	}
	if h.text {
		done := e.spec.gctr(cb, data)
		if err := e.wantText(0, done); err != nil {
			return err
		}
		data = e.ciphertext(data, done)
		if h.brief() {
			want = append(want, e.brief(e.briefBlock(cb[:12], counter+blocks))...)
		} else {
			want = append(want, v128("counter block", 28, e.rev32(e.spec.inc(cb, blocks))))
		}
	}
	switch pointers := []int{h.p}; {
	case h.text && n%16 == 0:
		pointers = append(pointers, 1)
		fallthrough
	case n%16 == 0:
		for _, r := range pointers {
			want = append(want, x("pointer", r, e.s.Add(e.start[xReg(r)], e.s.Const(64, uint64(n)))))
		}
	default: // nothing follows
		scratch = append(scratch, xReg(h.p), xReg(1))
	}
	if err := e.frame(scratch, want...); err != nil {
		return err
	}
	return e.wantAdded(e.spec.absorb(poly{}, data).times(k - blocks))
}

// armFewer: text_fewer and its like with r bytes left to text_one or text_end.
func armFewer(p *ir.Program, h hashed, r int) error {
	e := newArm(p)
	e.number(xReg(10), uint64(r)-64)
	to := "_one"
	if r == 0 {
		to = "_end"
	}
	if err := e.run(h.name+"_fewer", h.cut(to)); err != nil {
		return err
	}
	return e.frame(nil, x("bytes", 10, number(r)))
}

// armBlocks lists the cases of the loop over blocks at one place. Its last
// block takes the power H^k for some k from low to high.
func armBlocks(p *ir.Program, h hashed, low, high int, add func(part, detail string, run func() error)) {
	part := h.name + ": "
	add(part+"choose", "less than 64 bytes", func() error { return armHead(p, h, Count{Max: 63}, "_fewer") })
	add(part+"choose", "64 to 512 bytes", func() error { return armHead(p, h, Count{Min: 64, Max: 512}, "_four") })
	lowest := 1
	if h.brief() {
		lowest = 2 // the last block of all takes H^2
	}
	for k := lowest + 3; k <= armTop; k++ {
		for _, c := range h.counters(k) {
			detail := fmt.Sprintf("from H^%d on%s", k, withCounter(c))
			add(part+"four blocks", detail+", less than 64 bytes behind", func() error {
				return armSome(p, h, "_four", "_fewer", 64, k, c, Count{Max: 63}, Count{Max: 63, Off: -64})
			})
			add(part+"four blocks", detail+", more behind", func() error {
				left := Count{Min: 64, Max: 448}
				after := left
				after.Off = -64
				return armSome(p, h, "_four", "_four", 64, k, c, left, after)
			})
		}
	}
	for r := range 64 {
		add(part+"choose", fmt.Sprintf("%d bytes of a block of four", r), func() error { return armFewer(p, h, r) })
	}
	for k := lowest; k <= armTop; k++ {
		for _, c := range h.counters(k) {
			detail := fmt.Sprintf("with H^%d%s", k, withCounter(c))
			add(part+"one block", detail+", more behind", func() error {
				left := Count{Min: 17, Max: 63}
				after := left
				after.Off = -16
				return armSome(p, h, "_one", "_one", 16, k, c, left, after)
			})
			add(part+"one block", detail+", the last", func() error {
				return armSome(p, h, "_one", "_end", 16, k, c, number(16), nil)
			})
		}
	}
	for k := low; k <= high; k++ {
		for _, c := range h.counters(k) {
			for n := 1; n < 16; n++ {
				add(part+"the last bytes", fmt.Sprintf("%d bytes with H^%d%s", n, k, withCounter(c)), func() error {
					return armSome(p, h, "_one", "_end", n, k, c, number(n), nil)
				})
			}
		}
	}
}

func withCounter(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", counter %d", n)
}

// briefBlock returns the counter block of a brief message with the counter n.
func (e *arm) briefBlock(nonce Vec, n int) block {
	return append(append(block{}, nonce...), Byte{}, Byte{}, Byte{}, Byte{c: byte(n)})
}

// withColumns puts n columns into the key block, from that of a counter on.
func (e *arm) withColumns(counter, n int) {
	e.s.bytewise = true
	for i := range n {
		copy(e.key.bytes[armColumns+4*(counter+i-1):], e.spec.column(counter+i))
	}
}

// brief returns what a brief message keeps where cb is next: round 0 of the
// counter 0, and the place in the table of columns.
func (e *arm) brief(cb block) []held {
	n := int(cb[15].c)
	state := e.spec.xor(e.spec.round0(e.briefBlock(cb[:12], 0)), e.spec.keys[1])
	return []held{v128("round 0", 28, state), x("columns", 17, Pointer(e.key.base)+Pointer(armColumns+4*(n-1)))}
}
