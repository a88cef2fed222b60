// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the programs of vaes-avx512 for four messages at a time:
//
//	entry ─> four ─> fours_finish                  four brief messages
//	         four ─> turns: one from any other ─> fours_tail
//	         four ─> fours_tail ─> fours_finish    every rest
//	         fours_finish ─> four, or the return
//
// Lengths of the four go through all values together, each message beginning
// elsewhere: no instruction but the choice of a path, which all four share, sees
// more than one of them.

const (
	foursTurnBytes = 256
	packetBytes    = 80
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
	m       [4]foursMessage
}

// foursMessage is one of the four.
type foursMessage struct {
	nonce, lens, text Vec
	in, out           *region
}

// newFours makes a session with four messages, of which a case adds what it
// needs.
func newFours(p *ir.Program, left value.Value) *fours {
	f := &fours{vaes: newVaes(p), left: left}
	stack := f.mem.add("stack", f.s.Fresh("return address", 8), false, false)
	f.sp = stack.base
	f.vaes.m.SetReg(amd64.RSP.Reg, Pointer(f.sp))
	bytes := f.s.Fresh("address or number", 4*packetBytes)
	for q := range f.m {
		m := &f.m[q]
		m.nonce, m.lens = f.s.Fresh(fmt.Sprintf("nonce %d", q), 12), f.s.Fresh(fmt.Sprintf("length block %d", q), 16)
		copy(bytes[packetBytes*q:], append(append(Vec{}, m.nonce...), make(Vec, 4)...))
		copy(bytes[packetBytes*q+64:], m.lens)
	}
	f.packets = f.mem.add("packets", bytes, false, false)
	f.mem.whole = map[uint64]value.Value{}
	f.vaes.m.SetReg(amd64.RSI.Reg, f.packets.at(0))
	f.vaes.m.SetReg(amd64.RDX.Reg, left)
	f.result = f.junk[amd64.RAX.Reg]
	return f
}

// field sets 8 bytes of what the caller says of a message.
func (f *fours) field(q, at int, v value.Value) {
	f.mem.whole[f.packets.base+uint64(packetBytes*q+at)] = v
}

// texts gives message q n bytes of text. In the middle of messages they begin
// behind those that are done; else that is where the message begins.
func (f *fours) texts(q, n int, middle bool) {
	m := &f.m[q]
	m.text = f.s.Fresh(fmt.Sprintf("text %d", q), n)
	m.out = f.mem.add(fmt.Sprintf("out %d", q), m.text, true, true)
	m.in = f.mem.add(fmt.Sprintf("in %d", q), m.text, false, false)
	m.in.inPlace = m.out
	for i, r := range []*region{m.out, m.in} {
		at := r.at(0)
		if middle {
			at = 1<<36 + Pointer(2*q+i)<<20 // where nothing is
			f.s.places[at] = r.at(0)
		}
		f.field(q, 16+8*i, at)
	}
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
	return f.wantAll(
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)},
		held{"mask of a tag", amd64.K(2).Reg, f.junk[amd64.K(2).Reg]})
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

// foursCut is where the turns are cut. Sealing, the first two messages are half a
// turn ahead of GHASH there.
func foursCut(p *ir.Program) (label string, ahead bool) {
	if p.Contract.Opens() {
		return "fours_turn", false
	}
	return "fours_half", true
}

// wantTurn checks an instance of the state at the cut: done is what rcx holds.
func (f *fours) wantTurn(done, word value.Value, ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	left := held{"packets left", amd64.RDX.Reg, f.left}
	if _, ahead := foursCut(f.p); ahead {
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
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
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
	return f.wantAll(
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)},
		held{"packets left", amd64.RDX.Reg, f.left},
		held{"mask of a tag", amd64.K(2).Reg, value.FromUint64(1<<tagLen - 1)})
}

// aads gives each message AAD, of n bytes the first and, round and round up to
// most, of others the rest, and returns what it means as a GHASH state.
func (f *fours) aads(n, most int) (aad [4]Vec) {
	for q := range aad {
		aad[q] = f.s.Fresh(fmt.Sprintf("AAD %d", q), (n+q*most/4)%(most+1))
		f.field(q, 40, f.mem.add(fmt.Sprintf("AAD %d", q), aad[q], false, false).at(0))
		f.field(q, 48, number(len(aad[q])))
	}
	return aad
}

// foursStartCase: four to the turns or, where the first text has no whole turn,
// to fours_tail, with AAD of n bytes in the first message.
func foursStartCase(p *ir.Program, n int, text value.Value, turns bool) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
	f.constants()
	aad := f.aads(n, foursAADMost)
	f.field(0, 32, text)
	label, ahead := foursCut(p)
	if !turns {
		label = "fours_tail"
	}
	for q := range f.m {
		f.texts(q, foursTurnBytes, false)
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
// is false, to fours_tail.
func foursTurnCase(p *ir.Program, more bool) error {
	label, ahead := foursCut(p)
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	next := f.s.Add(word, f.s.Const(32, 16))
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	text := Count{Of: "text", Min: foursTurnBytes}
	f.field(0, 32, text)
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
		f.texts(q, n, true)
		m := f.m[q]
		want[q] = f.spec.gctr(f.cb(q, word), m.text)
		hashed := f.ciphertext(m.text, want[q])[:foursTurnBytes]
		if ahead && q < 2 { // the turn holds its ciphertext, which is anything
			hashed = f.s.Fresh(fmt.Sprintf("ciphertext %d", q), foursTurnBytes)
			copy(m.out.bytes, hashed)
			copy(want[q], hashed)
			for i := range hashed {
				m.out.readable[i], m.out.written[i] = true, true
			}
		}
		ys[q] = f.spec.absorb(ys[q], hashed)
	}
	// Sealing, the branch is taken to leave the turns; opening, to stay.
	f.answers = []bool{more != ahead}
	stop, err := f.run(label, label, "fours_tail")
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
	case !more && stop == "fours_tail":
		return f.wantTail(done, next, ys)
	}
	return orStop(nil, stop)
}

// rests returns how many bytes each text has: n and, round and round up to most,
// others.
func rests(n, most int) (ns [4]int) {
	for q := range ns {
		ns[q] = (n + q*most/4) % (most + 1)
	}
	return ns
}

// foursTailCase: fours_tail to fours_finish.
func foursTailCase(p *ir.Program, ns [4]int) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	for q, n := range ns {
		f.texts(q, n, true)
		length := f.s.Fresh("turns", 8) // which are any number
		length[0] = Byte{c: byte(n)}
		f.field(q, 32, length)
	}
	if stop, err := f.run("fours_tail", "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	for q := range f.m {
		done := f.spec.gctr(f.cb(q, word), f.m[q].text)
		if err := f.wantBytes(f.m[q].out, 0, done); err != nil {
			return err
		}
		ys[q] = f.spec.absorb(ys[q], f.ciphertext(f.m[q].text, done))
	}
	return f.wantFinish(ys)
}

// foursBriefCase: four to fours_finish with brief messages, the first of which has
// n bytes of text.
func foursBriefCase(p *ir.Program, n int) error {
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
	f.constants()
	aad := f.aads(n%(briefAADMost+1), briefAADMost)
	for q, n := range rests(n, briefTextMost) {
		f.texts(q, n, false)
		f.field(q, 32, number(n))
	}
	if stop, err := f.run("four", "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	var ys [4]poly
	for q := range f.m {
		done := f.spec.gctr(f.cb(q, f.s.Const(32, 2)), f.m[q].text)
		if err := f.wantBytes(f.m[q].out, 0, done); err != nil {
			return err
		}
		ys[q] = f.spec.absorb(f.spec.absorb(poly{}, aad[q]), f.ciphertext(f.m[q].text, done))
	}
	return f.wantFinish(ys)
}

// foursSums are the registers of the sums at fours_finish: low, middle and high.
var foursSums = [3]ir.Reg{amd64.Z(24).Reg, amd64.Z(25).Reg, amd64.Z(26).Reg}

// wantFinish checks an instance of the state at fours_finish: a message has its
// sums of products in its lane, one power of H ahead, and EK0.
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
		want := poly{}
		want.plus(y, 1)
		what := fmt.Sprintf("sums of message %d", q)
		if err := f.wantElement(what, f.s.bytes(reduce128(f.s, sums[0], sums[1], sums[2])), want); err != nil {
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
	f := newFours(p, Count{Of: "packets", Min: 4 * packetBytes})
	f.constants()
	var sums [3]Vec
	var ys [4]poly
	for q := range f.m {
		x := f.s.anySum(fmt.Sprintf("sums of message %d", q))
		for i, part := range []Vec{x.low, x.mid, x.high} {
			sums[i] = append(sums[i], part...)
		}
		ys[q] = f.s.step(poly{}, f.m[q].lens)
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
	f, open := newFours(p, left), p.Contract.Opens()
	f.constants()
	mask := value.FromUint64(1<<tagLen - 1)
	f.vaes.m.SetReg(amd64.K(2).Reg, mask)
	before := uint64(0b1011)
	if open {
		f.vaes.m.SetReg(amd64.RAX.Reg, value.FromUint64(before))
	}
	xi, ek0 := f.s.Fresh("GHASH", 64), f.s.Fresh("EK0", 64)
	f.vaes.m.SetReg(foursSums[2], xi)
	f.vaes.m.SetReg(amd64.Z(22).Reg, ek0)
	var tags [4]*region
	for q := range f.m {
		tags[q] = f.mem.add(fmt.Sprintf("tag %d", q), f.s.Fresh("tag", tagLen), !open, !open)
		f.field(q, 56, tags[q].at(0))
		if open {
			f.answers = append(f.answers, right>>(3-q)&1 == 0) // a branch around the bit
		}
	}
	stop, err := f.run("fours_tags", "four")
	if err != nil || (stop == "four") != more {
		return orStop(err, stop)
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
	return f.wantAll(
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(4 * packetBytes)},
		held{"packets left", amd64.RDX.Reg, Count{Of: "packets", Min: 8 * packetBytes, Off: -4 * packetBytes}},
		held{"mask of a tag", amd64.K(2).Reg, mask})
}

// foursCases lists the cases of a program for four messages.
func foursCases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
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
	for _, most := range []int{64, 128, foursTurnBytes - 1} {
		for n := 0; n <= most; n++ {
			add("rest", fmt.Sprintf("%d bytes, others of at most %d", n, most), func() error { return foursTailCase(p, rests(n, most)) })
		}
	}
	add("lengths and sums to GHASH", "every message", func() error { return foursHashCase(p) })
	for q := range 4 {
		for _, n := range []int{65, 128, 129, foursTurnBytes - 1} {
			for _, other := range []int{0, 64} {
				ns := [4]int{other, other, other, other}
				ns[q] = n
				add("rest, of one message the most", fmt.Sprintf("%d bytes of message %d, others of %d", n, q, other),
					func() error { return foursTailCase(p, ns) })
			}
		}
	}
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
