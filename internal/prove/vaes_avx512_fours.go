// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the programs of vaes-avx512 for four messages at a time:
//
//	entry ─> four ─> fours_finish                  four brief messages
//	         four ─> turns: one from any other ─> fours_last
//	         four ─> fours_tail ─> fours_finish    every rest
//	                 fours_last ─> fours_finish    every rest behind turns
//	         fours_finish ─> four, or the return
//
// Opening, fours_last is fours_tail.
//
// Lengths of the four go through all values together, each message beginning
// elsewhere: no instruction but the choice of a path, which all four share, sees
// more than one of them.

const (
	foursTurnBytes = 256
	packetBytes    = 112
	packetDst      = 0
	packetDstLen   = 8
	packetNonce    = 24
	packetText     = 48
	packetTextLen  = 56
	packetAAD      = 72
	packetAADLen   = 80
	briefTextMost  = 64
	briefAADMost   = 16
	foursAADMost   = 64
)

// fours is a session of a program for four messages.
type fours struct {
	*vaes
	packets *region
	left    value.Value // bytes of packets that are left
	result  value.Value // so far, when opening
	tagLen  int
	m       [4]foursMessage
}

// foursMessage is one of the four.
type foursMessage struct {
	nonce, text Vec
	in, out     *region
}

// newFours makes a session with four messages, of which a case adds what it
// needs.
func newFours(p *ir.Program, left value.Value, tagLen int) *fours {
	f := &fours{vaes: newVaes(p), left: left, tagLen: tagLen}
	stack := f.mem.add("stack", f.s.Fresh("return address", 8), false, false)
	f.sp = stack.base
	f.vaes.m.SetReg(amd64.RSP.Reg, Pointer(f.sp))
	f.packets = f.mem.add("packets", f.s.Fresh("address or number", 4*packetBytes), false, false)
	f.mem.whole = map[uint64]value.Value{}
	for q := range f.m {
		m := &f.m[q]
		m.nonce = f.s.Fresh(fmt.Sprintf("nonce %d", q), 12)
		f.field(q, packetNonce, f.mem.add(fmt.Sprintf("nonce %d", q), m.nonce, false, false).at(0))
	}
	f.vaes.m.SetReg(amd64.RSI.Reg, f.packets.at(0))
	f.vaes.m.SetReg(amd64.RDX.Reg, left)
	f.result = f.junk[amd64.RAX.Reg]
	return f
}

// constants sets the registers that keep their role.
func (f *fours) constants() {
	f.vaes.constants()
	for _, h := range f.kept() {
		f.vaes.m.SetReg(h.r, h.v)
	}
}

// kept are the mask registers that keep their role.
func (f *fours) kept() []held {
	tag, mask := uint64(f.tagLen), uint64(1)<<f.tagLen-1
	if f.p.Contract.Opens() {
		tag = -tag
	}
	return []held{
		{"bytes of a tag", amd64.K(0).Reg, value.FromUint64(tag)},
		{"mask of a tag", amd64.K(2).Reg, value.FromUint64(mask | mask<<16 | mask<<32 | mask<<48)},
		{"mask of a nonce", amd64.K(7).Reg, value.FromUint64(0x7777)}}
}

// field sets 8 bytes of what the caller says of a message.
func (f *fours) field(q, at int, v value.Value) {
	at += packetBytes * q
	f.mem.whole[f.packets.base+uint64(at)] = v
	copy(f.packets.bytes[at:], f.s.bytes(v))
}

// length sets the length of the text of message q, where a tag follows it when it
// is opened.
func (f *fours) length(q int, n value.Value) {
	if f.p.Contract.Opens() {
		n = f.s.Add(n, number(f.tagLen))
	}
	f.field(q, packetTextLen, n)
}

// lens is the length block of a message, in integer order.
func (f *fours) lens(text, aad value.Value) Vec {
	bits := func(n value.Value) Vec { return f.s.bytes(value.Shl(f.s, n, 3)) }
	return append(append(Vec{}, bits(text)...), bits(aad)...)
}

// front is how many bytes Dst holds before message q, one number for all of them.
func front(q int) int { return 5 + 3*q }

// texts gives message q a text of so many bytes, of which some are done. In the
// middle of messages those that are done may be more than are here; else none are.
func (f *fours) texts(q, n, done int, middle bool) {
	m := &f.m[q]
	m.text = f.s.Fresh(fmt.Sprintf("text %d", q), n)
	m.out = f.mem.add(fmt.Sprintf("out %d", q), m.text, true, true)
	m.in = f.mem.add(fmt.Sprintf("in %d", q), m.text, false, false)
	m.in.inPlace = m.out
	begin := [2]Pointer{m.out.at(0), m.in.at(0)}
	if middle {
		for i, r := range []*region{m.out, m.in} {
			begin[i] = 1<<36 + Pointer(2*q+i)<<20 // where nothing is
			f.s.places[begin[i]] = r.at(done)
		}
	}
	f.field(q, packetDst, begin[0]-Pointer(front(q)))
	f.field(q, packetDstLen, number(front(q)))
	f.field(q, packetText, begin[1])
}

// foursDone is how many bytes of the texts are done, at a cut in the middle.
var foursDone = Count{Of: done}

// run is session.run with a look at the registers: those that C preserves are as
// before, and no other general or mask register holds more than is public, but
// for the result.
func (f *fours) run(from string, stops ...string) (string, error) {
	f.upper = f.upper || from != ""
	start := map[ir.Reg]value.Value{}
	for r := range f.junk {
		start[r] = f.vaes.m.Reg(r)
	}
	stop, err := f.session.run(from, stops...)
	if err != nil {
		return stop, err
	}
	call := f.p.ISA.Call
	for r, before := range start {
		have := f.vaes.m.Reg(r)
		switch {
		case same(f.s, have, before) || r.Bank == amd64.Flags:
		case r == call.SP || call.Preserved(r):
			return "", fmt.Errorf("%v is not the same at %q", r, stop)
		case r.Bank == amd64.Vec || public(have):
		case r == amd64.RAX.Reg && f.p.Contract.Opens(): // it is checked
		default:
			return "", fmt.Errorf("%v may hold a secret at %q", r, stop)
		}
	}
	return stop, nil
}

// wantKept checks what no part changes, but for where the number of bytes that
// are left of the packets is.
func (f *fours) wantKept() error {
	if f.p.Contract.Opens() {
		if err := f.want("result", amd64.RAX.Reg, f.result); err != nil {
			return err
		}
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)})...)
}

// states sets the GHASH states of the messages to anything, and returns what they
// mean: lane j counts as H^(4-j).
func (f *fours) states() (ys [4]poly) {
	for q := range ys {
		var z Vec
		z, ys[q] = f.leading(4, 4)
		f.vaes.m.SetReg(amd64.Z(27+q).Reg, z)
	}
	return ys
}

// wantStates checks the GHASH states.
func (f *fours) wantStates(ys [4]poly) error {
	for q, y := range ys {
		have, z := poly{}, f.s.bytes(f.vaes.m.Reg(amd64.Z(27+q).Reg))
		for j := range 4 {
			p, err := f.s.polynomial(z[16*j : 16*j+16])
			if err != nil {
				return fmt.Errorf("state of message %d: %w", q, err)
			}
			have.plus(p, 4-j)
		}
		if !have.equal(y) {
			return fmt.Errorf("state of message %d: %s", q, f.s.firstDifference(have, y))
		}
	}
	return nil
}

// counters returns the register of the next counters, the first of which is word.
func (f *fours) counters(word value.Value) (z Vec) {
	for j := range 4 {
		z = append(z, f.s.bytes(f.s.Add(word, f.s.Const(32, uint64(j))))...)
		z = append(z, make(Vec, 12)...)
	}
	return z
}

// cb returns the counter block of message q with a counter.
func (f *fours) cb(q int, word value.Value) block { return counterBlock(f.s, f.m[q].nonce, word) }

// stash is the register that holds what is left of the packets in the turns of
// seal, where pointers take its place.
var stash = amd64.Z(22).Reg

// foursCut is where the turns are cut, and where they lead. Sealing, the first two
// messages are half a turn ahead of GHASH there, and in the end the last two.
func foursCut(p *ir.Program) (label, last string, ahead bool) {
	if p.Contract.Opens() {
		return "fours_turn", "fours_tail", false
	}
	return "fours_half", "fours_last", true
}

// wantTurn checks an instance of the state at the cut: done is what rcx holds.
func (f *fours) wantTurn(done, word value.Value, ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	left := held{"packets left", amd64.RDX.Reg, f.left}
	if _, _, ahead := foursCut(f.p); ahead {
		left.r = stash
	}
	if err := f.wantAll(left,
		held{"bytes done", amd64.RCX.Reg, done},
		held{"counters", amd64.Z(21).Reg, simplify(f.counters(word))}); err != nil {
		return err
	}
	return f.wantStates(ys)
}

// wantTail checks an instance of the state at fours_tail.
func (f *fours) wantTail(done, word value.Value, ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	if err := f.wantAll(
		held{"packets left", amd64.RDX.Reg, f.left},
		held{"bytes done", amd64.RCX.Reg, done},
		held{"counters", amd64.Z(21).Reg, simplify(f.counters(word))}); err != nil {
		return err
	}
	return f.wantStates(ys)
}

// foursEntryCase: entry to four.
func foursEntryCase(p *ir.Program, tagLen int) error {
	if err := endbr(p); err != nil {
		return err
	}
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, tagLen)
	f.vaes.m.SetReg(amd64.RCX.Reg, number(tagLen))
	if stop, err := f.run("", "four"); err != nil || stop != "four" {
		return orStop(err, stop)
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	if p.Contract.Opens() {
		if err := f.wantNumber("result", amd64.RAX.Reg, 0); err != nil {
			return err
		}
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)},
		held{"packets left", amd64.RDX.Reg, f.left})...)
}

// foursTagLen is a size of tags for a case about n bytes, round and round.
func foursTagLen(n int) int { return 4 + n%13 }

// aads gives each message AAD, of n bytes the first and, round and round up to
// most, of others the rest, and returns what it means as a GHASH state.
func (f *fours) aads(n, most int) (aad [4]Vec) {
	for q := range aad {
		aad[q] = f.s.Fresh(fmt.Sprintf("AAD %d", q), (n+q*most/4)%(most+1))
		f.field(q, packetAAD, f.mem.add(fmt.Sprintf("AAD %d", q), aad[q], false, false).at(0))
		f.field(q, packetAADLen, number(len(aad[q])))
	}
	return aad
}

// foursStartCase: four to the turns or, where the first text has no whole turn,
// to fours_tail, with AAD of n bytes in the first message.
func foursStartCase(p *ir.Program, n int, text value.Value, turns bool) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, foursTagLen(n))
	f.constants()
	aad := f.aads(n, foursAADMost)
	f.length(0, text)
	label, _, ahead := foursCut(p)
	if !turns {
		label = "fours_tail"
	}
	for q := range f.m {
		f.texts(q, foursTurnBytes, 0, false)
	}
	if stop, err := f.run("four", label); err != nil || stop != label {
		return orStop(err, stop)
	}
	var ys [4]poly
	for q := range ys {
		ys[q] = f.spec.absorb(poly{}, aad[q])
	}
	first := f.s.Const(32, 2)
	if !turns {
		return f.wantTail(number(0), first, ys)
	}
	if ahead {
		for q := range 2 {
			if err := f.wantBytes(f.m[q].out, 0, f.spec.gctr(f.cb(q, first), f.m[q].text)); err != nil {
				return err
			}
		}
	}
	return f.wantTurn(number(0), first, ys)
}

// foursTurnCase: from the cut in any turn to the cut in the next or, where more
// is false, to where the turns lead.
func foursTurnCase(p *ir.Program, more bool) error {
	label, last, ahead := foursCut(p)
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, 16)
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	next := f.s.Add(word, f.s.Const(32, 16))
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	text := Count{Of: "text", Min: foursTurnBytes}
	f.length(0, text)
	if ahead {
		f.vaes.m.SetReg(stash, value.Extend(f.s, f.left, 512))
		f.vaes.m.SetReg(amd64.RDX.Reg, f.junk[amd64.RDX.Reg])
	}
	var want [4]Vec
	for q := range f.m {
		n := foursTurnBytes
		if ahead && q < 2 && more {
			n += foursTurnBytes
		}
		f.texts(q, n, 0, true)
		m := f.m[q]
		want[q] = f.spec.gctr(f.cb(q, word), m.text)
		hashed := f.ciphertext(m.text, want[q])[:foursTurnBytes]
		if ahead && q < 2 { // the turn holds its ciphertext, which is anything
			hashed = f.written(q)
			copy(want[q], hashed)
		}
		if !ahead || q < 2 || more {
			ys[q] = f.spec.absorb(ys[q], hashed)
		}
	}
	// Sealing, the branch is taken to leave the turns; opening, to stay.
	f.answers = []bool{more != ahead}
	stop, err := f.run(label, label, last)
	if err != nil {
		return err
	}
	done := foursDone
	done.Off = foursTurnBytes
	below, _ := f.s.Less(done, f.s.And(text, value.Not(f.s, number(foursTurnBytes-1)))).(*Cond)
	if len(f.asked) != 1 || !below.public || !f.asked[0].zero.equal(below.zero) || f.asked[0].negated != ahead {
		return fmt.Errorf("the turns do not end with the last whole one")
	}
	for q := range f.m {
		if err := f.wantBytes(f.m[q].out, 0, want[q]); err != nil {
			return err
		}
	}
	switch {
	case more && stop == label:
		return f.wantTurn(done, next, ys)
	case !more && stop == last && ahead:
		for i, r := range behindLast {
			if err := f.want("end of the ciphertext", r, f.m[2+i].out.at(foursTurnBytes)); err != nil {
				return err
			}
		}
		return f.wantTurn(done, next, ys)
	case !more && stop == last:
		return f.wantTail(done, next, ys)
	}
	return orStop(nil, stop)
}

// behindLast are the registers that point behind the ciphertext of the last two
// messages in fours_last.
var behindLast = []ir.Reg{amd64.RAX.Reg, amd64.RDX.Reg}

// written lets the output of message q begin with a turn of ciphertext, which is
// anything, and returns that.
func (f *fours) written(q int) Vec {
	out := f.m[q].out
	c := f.s.Fresh(fmt.Sprintf("ciphertext %d", q), foursTurnBytes)
	copy(out.bytes, c)
	for i := range c {
		out.readable[i], out.written[i] = true, true
	}
	return c
}

// rests returns how many bytes each text has: n and, round and round up to most,
// others.
func rests(n, most int) (ns [4]int) {
	for q := range ns {
		ns[q] = (n + q*most/4) % (most + 1)
	}
	return ns
}

// foursTailCase: fours_tail, or where the turns lead, to fours_finish.
func foursTailCase(p *ir.Program, from string, ns [4]int) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, foursTagLen(ns[0]))
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	var lens [4]Vec
	for q, n := range ns {
		before := 0 // bytes of ciphertext that are not yet hashed
		if from == "fours_last" && q >= 2 {
			before = foursTurnBytes
		}
		f.texts(q, before+n, before, true)
		length, aadLen := f.s.Fresh("turns", 8), f.s.Fresh("length of AAD", 8) // which are any number
		length[0] = Byte{c: byte(n)}
		f.length(q, length)
		f.field(q, packetAADLen, aadLen)
		lens[q] = f.lens(length, aadLen)
		if before > 0 {
			ys[q] = f.spec.absorb(ys[q], f.written(q))
			f.vaes.m.SetReg(behindLast[q-2], f.m[q].out.at(before))
		}
	}
	if from == "fours_last" {
		f.vaes.m.SetReg(stash, value.Extend(f.s, f.left, 512))
	}
	if stop, err := f.run(from, "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	for q, n := range ns {
		m := f.m[q]
		before := len(m.text) - n
		done := f.spec.gctr(f.cb(q, word), m.text[before:])
		if err := f.wantBytes(m.out, before, done); err != nil {
			return err
		}
		ys[q] = f.s.step(f.spec.absorb(ys[q], f.ciphertext(m.text[before:], done)), lens[q])
	}
	return f.wantFinish(ys)
}

// foursBriefCase: four to fours_finish with brief messages, the first of which has
// n bytes of text.
func foursBriefCase(p *ir.Program, n int) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, foursTagLen(n))
	f.constants()
	aad := f.aads(n%(briefAADMost+1), briefAADMost)
	for q, n := range rests(n, briefTextMost) {
		f.texts(q, n, 0, false)
		f.length(q, number(n))
	}
	if stop, err := f.run("four", "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	var ys [4]poly
	for q := range f.m {
		text := f.m[q].text
		done := f.spec.gctr(f.cb(q, f.s.Const(32, 2)), text)
		if err := f.wantBytes(f.m[q].out, 0, done); err != nil {
			return err
		}
		y := f.spec.absorb(f.spec.absorb(poly{}, aad[q]), f.ciphertext(text, done))
		ys[q] = f.s.step(y, f.lens(number(len(text)), number(len(aad[q]))))
	}
	return f.wantFinish(ys)
}

// foursSums are the registers of the sums at fours_finish: low, middle and high.
var foursSums = [3]ir.Reg{amd64.Z(24).Reg, amd64.Z(25).Reg, amd64.Z(26).Reg}

// wantFinish checks an instance of the state at fours_finish: a message has its
// sums of products in its lane, and EK0.
func (f *fours) wantFinish(ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	if err := f.want("packets left", amd64.RDX.Reg, f.left); err != nil {
		return err
	}
	for q, y := range ys {
		var sums [3]Vec
		for i, r := range foursSums {
			sums[i] = f.s.bytes(f.vaes.m.Reg(r))[16*q : 16*q+16]
		}
		what := fmt.Sprintf("sums of message %d", q)
		if err := f.wantElement(what, f.s.bytes(reduce128(f.s, sums[0], sums[1], sums[2])), y); err != nil {
			return err
		}
		ek0 := f.s.bytes(f.vaes.m.Reg(amd64.Z(22).Reg))[16*q : 16*q+16]
		if !ek0.equal(f.spec.cipher(f.cb(q, f.s.Const(32, 1)))) {
			return fmt.Errorf("EK0 of message %d is another", q)
		}
	}
	return nil
}

// foursHashCase: fours_finish to fours_tags.
func foursHashCase(p *ir.Program) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes}, 16)
	f.constants()
	var sums [3]Vec
	var ys [4]poly
	for q := range f.m {
		x := f.s.anySum(fmt.Sprintf("sums of message %d", q))
		for i, part := range []Vec{x.low, x.mid, x.high} {
			sums[i] = append(sums[i], part...)
		}
		ys[q] = poly{}
		ys[q].add(monomial{x.meaning, 0})
	}
	for i, r := range foursSums {
		f.vaes.m.SetReg(r, sums[i])
	}
	ek0 := f.s.Fresh("EK0", 64)
	f.vaes.m.SetReg(amd64.Z(22).Reg, ek0)
	if stop, err := f.run("fours_finish", "fours_tags"); err != nil || stop != "fours_tags" {
		return orStop(err, stop)
	}
	for q, y := range ys {
		xi := f.s.bytes(f.vaes.m.Reg(foursSums[2]))[16*q : 16*q+16]
		if err := f.wantElement(fmt.Sprintf("GHASH of message %d", q), xi, y); err != nil {
			return err
		}
	}
	if err := f.wantKept(); err != nil {
		return err
	}
	return f.wantAll(held{"packets left", amd64.RDX.Reg, f.left}, held{"EK0", amd64.Z(22).Reg, ek0})
}

// foursTagsCase: fours_tags to the return, or to four where there are more
// messages. Bit q of right says whether message 3-q has the right tag.
func foursTagsCase(p *ir.Program, tagLen int, right uint64, more bool) error {
	left := value.Value(number(4 * packetBytes))
	if more {
		left = Count{Of: "packets", Min: 8 * packetBytes}
	}
	f, open := newFours(p, left, tagLen), p.Contract.Opens()
	f.constants()
	before := uint64(0b1011)
	if open {
		f.vaes.m.SetReg(amd64.RAX.Reg, value.FromUint64(before))
	}
	xi, ek0 := f.s.Fresh("GHASH", 64), f.s.Fresh("EK0", 64)
	f.vaes.m.SetReg(foursSums[2], xi)
	f.vaes.m.SetReg(amd64.Z(22).Reg, ek0)
	f.packets.writable = true
	var tags [4]*region
	want := map[uint64]value.Value{} // what becomes of the packets
	for q := range f.m {
		tags[q] = f.mem.add(fmt.Sprintf("tag %d", q), f.s.Fresh("tag", tagLen), !open, !open)
		// The text has any length, and the tag is behind it: behind the output when
		// sealing.
		f.texts(q, 0, 0, true)
		f.length(q, foursDone)
		at, end := f.mem.whole[f.packets.base+uint64(packetBytes*q+packetText)], tags[q].at(0)
		appended := foursDone
		appended.Off = int64(front(q))
		if !open {
			at, end = f.mem.whole[f.packets.base+uint64(packetBytes*q+packetDst)], end-Pointer(front(q))
			appended.Off += int64(tagLen)
		}
		f.s.places[at.(Pointer)] = end
		want[f.packets.base+uint64(packetBytes*q+packetDstLen)] = appended
		if open {
			f.answers = append(f.answers, right>>(3-q)&1 == 0) // a branch around the bit
		}
	}
	for at, v := range f.mem.whole {
		if _, ok := want[at]; !ok {
			want[at] = v
		}
	}
	stop, err := f.run("fours_tags", "four")
	if err != nil || (stop == "four") != more {
		return orStop(err, stop)
	}
	for at, v := range want {
		if have := f.mem.whole[at]; !same(f.s, have, v) {
			return fmt.Errorf("bytes %d of the packets are %v, want %v", at-f.packets.base, have, v)
		}
	}
	if slices.Contains(f.packets.written, true) {
		return fmt.Errorf("more of the packets than the length of what is appended was stored to")
	}
	for q := range f.m {
		tag := f.s.bytes(f.s.Xor(f.s.reverse(xi[16*q:16*q+16]), ek0[16*q:16*q+16]))[:tagLen]
		if !open {
			if err := f.wantBytes(tags[q], 0, tag); err != nil {
				return err
			}
			continue
		}
		diff := append(f.s.bytes(f.s.Xor(tag, tags[q].bytes)), make(Vec, 16-tagLen)...)
		if len(f.asked) != 4 || !f.asked[q].negated || !f.asked[q].zero.equal(diff) {
			return fmt.Errorf("the result does not depend on the whole difference of the tags of message %d", q)
		}
	}
	if open {
		if err := f.wantNumber("result", amd64.RAX.Reg, before<<4|right); err != nil {
			return err
		}
	}
	if !more {
		for n := range amd64.Vec.Count {
			if r := amd64.Z(n).Reg; !known(f.vaes.m.Reg(r)) {
				return fmt.Errorf("register %v is left with something unknown", r)
			}
		}
		return f.session.returned()
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(4 * packetBytes)},
		held{"packets left", amd64.RDX.Reg, Count{Of: "packets", Min: 8 * packetBytes, Off: -4 * packetBytes}})...)
}

// foursCases lists the cases of a program for four messages.
func foursCases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	_, last, _ := foursCut(p)
	for n := 4; n <= 16; n++ {
		add("entry to the messages", fmt.Sprintf("tags of %d bytes", n), func() error { return foursEntryCase(p, n) })
	}
	for n := 0; n <= briefTextMost; n++ {
		add("brief messages", fmt.Sprintf("%d bytes", n), func() error { return foursBriefCase(p, n) })
	}
	for n := 0; n <= briefTextMost; n++ {
		add("AAD to the rest", fmt.Sprintf("%d bytes of text", n), func() error {
			return foursStartCase(p, briefAADMost+1+n%(foursAADMost-briefAADMost), number(n), false)
		})
	}
	for n := 0; n <= foursAADMost; n++ {
		add("AAD to the rest, no brief text", fmt.Sprintf("AAD of %d bytes", n), func() error {
			return foursStartCase(p, n, Count{Of: "text", Min: briefTextMost + 1, Max: foursTurnBytes - 1}, false)
		})
		add("AAD to the turns", fmt.Sprintf("AAD of %d bytes", n), func() error {
			return foursStartCase(p, n, Count{Of: "text", Min: foursTurnBytes}, true)
		})
	}
	add("from turn to turn", "any turn", func() error { return foursTurnCase(p, true) })
	add("last turn", "any turn", func() error { return foursTurnCase(p, false) })
	for _, from := range slices.Compact([]string{"fours_tail", last}) {
		for _, most := range []int{64, 128, foursTurnBytes - 1} {
			for n := 0; n <= most; n++ {
				add("rest from "+from, fmt.Sprintf("%d bytes, others of at most %d", n, most),
					func() error { return foursTailCase(p, from, rests(n, most)) })
			}
		}
		for q := range 4 {
			for _, n := range []int{65, 128, 129, foursTurnBytes - 1} {
				for _, other := range []int{0, 64} {
					ns := [4]int{other, other, other, other}
					ns[q] = n
					add("rest from "+from+", of one message the most", fmt.Sprintf("%d bytes of message %d, others of %d", n, q, other),
						func() error { return foursTailCase(p, from, ns) })
				}
			}
		}
	}
	add("sums to GHASH", "every message", func() error { return foursHashCase(p) })
	for n := 4; n <= 16; n++ {
		for _, more := range []bool{false, true} {
			rights := []uint64{0}
			if p.Contract.Opens() {
				rights = []uint64{0, 15}
			}
			if p.Contract.Opens() && n == 16 {
				rights = nil
				for r := range uint64(16) {
					rights = append(rights, r)
				}
			}
			for _, right := range rights {
				add("tags", fmt.Sprintf("%d bytes, right ones %04b, more messages: %v", n, right, more),
					func() error { return foursTagsCase(p, n, right, more) })
			}
		}
	}
	return list
}
