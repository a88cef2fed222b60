// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the programs of vaes-avx512 for turns: entry to the cut in the
// bulk loop, from turn to turn, and to the return.

// vaesTurnsCases lists its cases. Text behind the last whole turn is left alone.
func vaesTurnsCases(p *ir.Program) []proofCase {
	return []proofCase{
		{"entry to the bulk loop", "any turns", func() error { return vaesEnterTurnsCase(p) }},
		{"from turn to turn", "any turn", func() error { return vaesTurnsTurnCase(p) }},
		{"last turn to the return", "any turn", func() error { return vaesLeaveTurnsCase(p) }},
	}
}

// vaesTurns is a session of a program for turns: at the entry, or at the cut in
// any turn.
type vaesTurns struct {
	*vaes
	state *region
	word  Vec   // multiple of 64 in the turn
	cb    block // first counter block of the turn
	y     poly  // GHASH before the turn
}

// newVaesTurns makes a session with n bytes of text from the beginning of the
// turn on, and state, which is any but for the nonce in it.
func newVaesTurns(p *ir.Program, left value.Value, n int) (v *vaesTurns, text Vec) {
	v = &vaesTurns{vaes: newVaes(p)}
	text = v.text(n)
	stack := v.mem.add("stack", v.s.Fresh("return address", 8), false, false)
	v.sp = stack.base
	v.m.SetReg(amd64.RSP.Reg, Pointer(v.sp))
	v.word = v.aligned(6)
	v.cb = v.counterBlock(v.s.Add(v.word, v.s.Const(32, 2)))
	v.state = v.mem.add("state", v.s.Fresh("state", 32), true, false)
	copy(v.state.bytes[16:], v.cb[:12])
	v.m.SetReg(amd64.RCX.Reg, left)
	return v, text
}

// hashed returns GHASH at the cut, where lane j of vXi counts as
// H^(4-j), and the lowest lane of vFirst as H^4 behind the turn.
func (v *vaesTurns) hashed() (poly, error) {
	y, err := v.lanes(4)
	if err != nil {
		return nil, err
	}
	first := v.s.bytes(v.m.Reg(amd64.Z(28).Reg))
	if !zero(first[16:]) {
		return nil, fmt.Errorf("upper lanes of the first Xi are not zero")
	}
	xi, err := v.s.polynomial(first[:16])
	if err != nil {
		return nil, err
	}
	y.plus(xi, 4-vaesRun/16)
	return y, nil
}

// held lists what holds at the cut in the turn with this counter, behind at
// bytes of text, besides GHASH.
func (v *vaesTurns) held(left value.Value, word value.Value, at int) []held {
	return append(append(v.inTurn(v.cb, word), []held{
		{"key block", amd64.RDI.Reg, v.key.at(0)},
		{"output", amd64.RSI.Reg, v.out.at(at)},
		{"input", amd64.RDX.Reg, v.in.at(at)},
		{"length", amd64.RCX.Reg, left},
		{"state", amd64.R9.Reg, v.state.at(0)},
	}...), vaesConstants...)
}

// wantCut checks an instance of the state at the cut.
func (v *vaesTurns) wantCut(left, word value.Value, y poly, at int) error {
	if err := v.wantAll(v.held(left, word, at)...); err != nil {
		return err
	}
	if err := v.state.wantWritten(); err != nil {
		return err
	}
	sum, err := v.hashed()
	if err != nil {
		return err
	}
	if !sum.equal(y) {
		return fmt.Errorf("GHASH: %s", v.s.firstDifference(sum, y))
	}
	return nil
}

// vaesAtCut makes a session at the cut in any turn, with n bytes of text from the
// beginning of the turn on. It returns the text and what becomes of it.
func vaesAtCut(p *ir.Program, left value.Value, n int) (v *vaesTurns, text, done Vec) {
	v, text = newVaesTurns(p, left, n)
	v.set(v.held(left, v.word, 0)...)
	lanes, y := v.leading(4, 4)
	first, xi := v.leading(1, 4-vaesRun/16)
	v.m.SetReg(amd64.Z(27).Reg, lanes)
	v.m.SetReg(amd64.Z(28).Reg, first)
	v.y = y
	v.y.plus(xi, 0)
	return v, text, v.amidTurn(v.cb, text)
}

// vaesEnterTurnsCase: entry to the cut in the first turn.
func vaesEnterTurnsCase(p *ir.Program) error {
	if err := endbr(p); err != nil {
		return err
	}
	label, written := vaesCut(p)
	left := Count{Min: vaesRun}
	v, text := newVaesTurns(p, left, written)
	copy(v.state.bytes[28:], v.cb[12:])
	v.m.SetReg(amd64.R8.Reg, v.state.at(0))
	if stop, err := v.run("", label); err != nil || stop != label {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.out, 0, v.spec.gctr(v.cb, text)); err != nil {
		return err
	}
	y := poly{}
	v.s.addLinear(y, v.s.reverse(v.state.bytes[:16]))
	return v.wantCut(left, v.word, y, 0)
}

// vaesTurnsTurnCase: from the cut in any turn to the cut in the next.
func vaesTurnsTurnCase(p *ir.Program) error {
	label, written := vaesCut(p)
	left := Count{Min: 2 * vaesRun}
	v, text, done := vaesAtCut(p, left, vaesRun+written)
	if stop, err := v.run(label, label); err != nil || stop != label {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	left.Off = -vaesRun
	return v.wantCut(left, v.s.Add(v.word, v.s.Const(32, 64)),
		v.spec.absorb(v.y, v.ciphertext(text, done)[:vaesRun]), vaesRun)
}

// vaesLeaveTurnsCase: from the cut in the last turn to the return.
func vaesLeaveTurnsCase(p *ir.Program) error {
	label, _ := vaesCut(p)
	v, text, done := vaesAtCut(p, Count{Min: vaesRun, Max: 2*vaesRun - 1}, vaesRun)
	if stop, err := v.run(label); err != nil || stop != "" {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	y := v.spec.absorb(v.y, v.ciphertext(text, done))
	if err := v.wantElement("Xi", v.s.reverse(v.state.bytes[:16]), y); err != nil {
		return err
	}
	if err := v.wantBytes(v.state, 16, v.spec.inc(v.cb, vaesRun/16)); err != nil {
		return err
	}
	if err := v.state.wantWritten([2]int{0, 32}); err != nil {
		return err
	}
	return v.returned()
}
