// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"math/bits"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// avxBulkCases lists the cases of the bulk loop. What is left is counted from
// the beginning of a turn.
func avxBulkCases(p *ir.Program, add func(part, detail string, run func() error)) {
	turn := avxShapeOf(p).turn
	cut, written := avxCut(p)
	one, more := Count{Of: "text", Min: uint64(turn), Max: uint64(2*turn - 1)}, Count{Of: "text", Min: uint64(2 * turn)}
	enter := Count{Of: "text", Min: uint64(turn)}
	if written > 0 {
		add("into the bulk loop", "one turn alone", func() error { return avxBulkCase(p, "reduced", "short", one) })
		enter = more
	}
	add("into the bulk loop", fmt.Sprintf("%d bytes and more", enter.Min), func() error { return avxBulkCase(p, "reduced", cut, enter) })
	add("bulk loop, any turn", "the last", func() error { return avxBulkCase(p, cut, "short", one) })
	add("bulk loop, any turn", "not the last", func() error { return avxBulkCase(p, cut, cut, more) })
}

// avxCut is where the bulk loop is cut: where no sums are pending. Sealing, that
// is amid a turn, whose first half is written but not yet hashed.
func avxCut(p *ir.Program) (label string, written int) {
	if !p.Contract.Opens() {
		return "bulk_half", avxShapeOf(p).turn / 2
	}
	return "bulk_turn", 0
}

// inTurn lists what is held at the cut in a turn whose blocks have counters from
// 2 behind word on.
func (e *avx) inTurn(nonce block, word value.Value) []held {
	base := e.spec.xor(counterBlock(e.s, nonce, word), e.spec.keys[0])
	both := base
	for range e.lanes - 1 {
		both = append(append(Vec{}, both...), base...)
	}
	return []held{xmm("base of the counters", 15, both), gpr("counter", amd64.RAX, value.Extend(e.s, word, 64)),
		gpr("table of counters", amd64.R8, value.FromUint64(e.m.Symbols["counters"]))}
}

// avxBulkCase: from reduced or the cut, in any turn, to the cut in the next turn
// or to short.
func avxBulkCase(p *ir.Program, from, to string, left Count) error {
	e := newAvx(p)
	cut, half := avxCut(p)
	nonce := e.s.Fresh("nonce", 12)
	counter := func(word value.Value, n uint64) block {
		return counterBlock(e.s, nonce, e.s.Add(word, e.s.Const(32, n)))
	}
	word, written, turns := e.s.Const(32), 0, 1
	if from == cut {
		word, written = e.aligned(bits.TrailingZeros(uint(e.turn/16))), half
	} else if half == 0 {
		turns = 0
	}
	hashed := turns * e.turn
	total := hashed
	if to == cut {
		total += half
	}
	text := e.text(total)
	before := e.s.Fresh("ciphertext", written)
	copy(e.out.bytes, before)
	for i := range before {
		e.out.readable[i], e.in.readable[i] = true, false
	}
	xi, y := e.element()
	e.hold(xi, gpr("length", amd64.RCX, left), gpr("rest", amd64.R9, number(0)))
	if from == cut {
		e.hold(e.inTurn(nonce, word)...)
	} else {
		e.argument(1, number(12))
		e.hold(e.counters(counter(word, 2)), gpr("bytes that lead", amd64.R11, number(0)))
	}
	if err := e.run(from, to); err != nil {
		return err
	}
	done := e.spec.gctr(counter(word, 2), text)
	copy(done, before)
	if err := e.wantBytes(e.out, written, done[written:]); err != nil {
		return err
	}
	if err := e.out.wantWritten([2]int{written, total}); err != nil {
		return err
	}
	left.Off = int64(-hashed)
	next := e.s.Add(word, e.s.Const(32, uint64(hashed/16)))
	want := append(e.moved(hashed), gpr("length", amd64.RCX, left))
	if to == cut {
		want = append(want, e.inTurn(nonce, next)...)
	} else {
		want = append(want, e.counters(counter(next, 2)), gpr("bytes that lead", amd64.R11, number(0)))
	}
	if err := e.frame(append([]ir.Reg{amd64.R8.Reg}, avxSums...), want...); err != nil {
		return err
	}
	return e.wantXi(e.spec.absorb(y, e.ciphertext(text, done)[:hashed]))
}
