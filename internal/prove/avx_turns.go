// SPDX-License-Identifier: ISC

package prove

import (
	"math/bits"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// The proof of the programs for turns of the kernels for amd64 without AVX-512:
// entry to the cut in the bulk loop, from turn to turn, and to the return.

// avxTurnsCases lists its cases. Text behind the last whole turn is left alone.
func avxTurnsCases(p *ir.Program) []proofCase {
	turn := uint64(avxShapeOf(p).turn)
	cut, _ := avxCut(p)
	return []proofCase{
		{"entry to the bulk loop", "any turns", func() error { return avxTurnsCase(p, "", cut, Count{Min: turn}) }},
		{"from turn to turn", "any turn", func() error { return avxTurnsCase(p, cut, cut, Count{Min: 2 * turn}) }},
		{"last turn to the return", "any turn", func() error { return avxTurnsCase(p, cut, "", Count{Min: turn, Max: 2*turn - 1}) }},
	}
}

// avxTurnsCase: from the entry or the cut in any turn to the cut or the return.
func avxTurnsCase(p *ir.Program, from, to string, left Count) error {
	if err := endbr(p); err != nil {
		return err
	}
	k := avxShapeOf(p)
	e := &avx{amd: newAmd(p, k.keyBlock()), avxShape: k}
	address := e.mem.add("stack", e.s.Fresh("return address", 8), false, false)
	e.sp = address.base
	cut, half := avxCut(p)
	word := e.aligned(bits.TrailingZeros(uint(e.turn / 16)))
	cb := e.counterBlock(e.s.Add(word, e.s.Const(32, 2)))
	state := e.mem.add("state", append(e.s.Fresh("Xi", 16), cb...), true, false)
	total, hashed := e.turn, e.turn
	if to == cut {
		total += half
	}
	if from == "" {
		total, hashed = half, 0
	}
	text := e.text(total)
	e.hold(gpr("stack pointer", amd64.RSP, Pointer(e.sp)), gpr("length", amd64.RCX, left))
	done, y, written := e.spec.gctr(cb, text), poly{}, 0
	if from == "" {
		e.hold(gpr("state", amd64.R8, state.at(0)))
		e.s.addLinear(y, e.s.reverse(state.bytes[:16]))
	} else {
		var xi held
		xi, y = e.element()
		e.hold(append(e.inTurn(cb, word), xi, gpr("state", amd64.R9, state.at(0)))...)
		copy(state.bytes[28:], e.s.Fresh("first counter", 4))
		before := e.s.Fresh("ciphertext", half) // of the first half of the turn
		written = half
		copy(e.out.bytes, before)
		copy(done, before)
		for i := range before {
			e.out.readable[i], e.in.readable[i] = true, false
		}
	}
	if err := e.run(from, to); err != nil {
		return err
	}
	if err := e.wantBytes(e.out, written, done[written:]); err != nil {
		return err
	}
	if err := e.out.wantWritten([2]int{written, total}); err != nil {
		return err
	}
	left.Off = int64(-hashed)
	want := append(e.moved(hashed), gpr("length", amd64.RCX, left), gpr("state", amd64.R9, state.at(0)), e.kept(amd64.R10.Reg))
	y = e.spec.absorb(y, e.ciphertext(text, done)[:hashed])
	if to == cut {
		if err := state.wantWritten(); err != nil {
			return err
		}
		want = append(want, e.inTurn(cb, e.s.Add(word, e.s.Const(32, uint64(hashed/16))))...)
		if err := e.frame(avxSums, want...); err != nil {
			return err
		}
		return e.wantXi(y)
	}
	if err := e.wantElement("Xi", e.s.reverse(state.bytes[:16]), y); err != nil {
		return err
	}
	if err := e.wantBytes(state, 16, e.spec.inc(cb, e.turn/16)); err != nil {
		return err
	}
	if err := state.wantWritten([2]int{0, 32}); err != nil {
		return err
	}
	return e.returned(append(want, gpr("wiped", amd64.RAX, number(0)), gpr("wiped", amd64.R11, number(0)))...)
}
