// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// foursStash is the register that holds what is left of the packets in the turns of
// seal, where pointers take its place.
var foursStash = amd64.Z(22).Reg

// foursCut is where the turns are cut, and where they lead. Sealing, the first two
// messages are half a turn ahead of GHASH there, and in the end the last two.
func foursCut(p *ir.Program) (label, last string, ahead bool) {
	if p.Contract.Opens() {
		return "fours_turn", "fours_tail", false
	}
	return "fours_half", "fours_last", true
}

// wantTurn checks an instance of the state at the cut, with so many bytes done and
// word for the next counter.
func (f *fours) wantTurn(done, word value.Value, ys [4]poly) error {
	left := amd64.RDX.Reg
	if _, _, ahead := foursCut(f.p); ahead {
		left = foursStash
	}
	return f.wantBetween(left, done, word, ys)
}

// wantTail checks an instance of the state at fours_tail, likewise.
func (f *fours) wantTail(done, word value.Value, ys [4]poly) error {
	return f.wantBetween(amd64.RDX.Reg, done, word, ys)
}

// wantBetween is either, with what is left of the packets in a register.
func (f *fours) wantBetween(left ir.Reg, done, word value.Value, ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	if err := f.wantAll(
		held{"packets left", left, f.left},
		held{"bytes done", amd64.RCX.Reg, done},
		held{"counters", amd64.Z(21).Reg, simplify(f.counters(word))}); err != nil {
		return err
	}
	return f.wantStates(ys)
}

// foursTurnCase: from the cut in any turn to the cut in the next or, where more
// is false, to where the turns lead.
func foursTurnCase(p *ir.Program, more bool) error {
	label, last, ahead := foursCut(p)
	f := newFours(p, foursLeft, 16)
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	next := f.s.Add(word, f.s.Const(32, 16))
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	text := Count{Of: "text", Min: foursTurnBytes}
	f.length(0, text)
	if ahead {
		f.vaes.m.SetReg(foursStash, value.Extend(f.s, f.left, 512))
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
		for i, r := range foursBehind {
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

// foursBehind are the registers that point behind the ciphertext of the last two
// messages in fours_last.
var foursBehind = []ir.Reg{amd64.RAX.Reg, amd64.RDX.Reg}

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
