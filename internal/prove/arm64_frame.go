// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// armCases lists the cases of a program for arm64.
func armCases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	if p.Contract.Op == "init" {
		add("key schedule, counter blocks, constants, H", "every key", func() error { return armScheduleCase(p) })
		add("H times x^-1", "every H", func() error { return armHalveCase(p) })
		add("powers of H", "every H", func() error { return armPowersCase(p) })
		return list
	}
	if !p.Contract.Whole() {
		armTurnsCases(p, add)
		return list
	}
	for n := 1; n <= 12; n++ {
		add("entry", fmt.Sprintf("nonce of %d bytes", n), func() error { return armEntryCase(p, number(n)) })
	}
	add("entry", "nonce of 13 bytes and more", func() error { return armEntryCase(p, Count{Of: "nonce", Min: 13}) })
	for _, a := range []struct {
		name string
		p, n int
		done string
	}{{"nonce", 6, 7, "nonce_hashed"}, {"long_aad", 4, 5, "long_text"}} {
		for n := 1; n <= armPart; n++ {
			add(a.name+": a part", fmt.Sprintf("%d bytes", n), func() error { return armPartCase(p, a.name, a.n, number(n)) })
		}
		add(a.name+": a part", "of more", func() error { return armPartCase(p, a.name, a.n, Count{Min: armPart + 1}) })
		armBlocks(p, hashed{a.name, a.p, false}, 1, 1, add)
		add(a.name+": reduce", "the last part", func() error { return armReduceCase(p, a.name+"_end", a.done, a.n, number(0)) })
		add(a.name+": reduce", "more behind", func() error {
			return armReduceCase(p, a.name+"_end", a.name+"_part", a.n, Count{Min: 1})
		})
	}
	add("nonce: length", "any", func() error { return armNonceLengthCase(p) })
	add("long, J0", "nonce of 12 bytes", func() error { return armLongNonceCase(p) })
	add("J0", "nonce of 12 bytes", func() error { return armJ0Case(p, true) })
	add("J0", "other nonces", func() error { return armJ0Case(p, false) })
	for total := range armTop {
		for blocks := range total + 1 {
			add("lengths, brief", fmt.Sprintf("%d blocks of AAD, %d of text", total-blocks, blocks), func() error {
				return armLengthsCase(p, total-blocks, blocks)
			})
		}
	}
	for blocks := range armTop {
		add("lengths, long", fmt.Sprintf("%d blocks of text", blocks), func() error { return armLongCase(p, blocks) })
	}
	add("lengths, long", "32 blocks of text and more", func() error { return armLongCase(p, armTop) })
	add("long, AAD", "none", func() error { return armLongAADCase(p, number(0), "long_text") })
	add("long, AAD", "some", func() error { return armLongAADCase(p, Count{Min: 1}, "long_aad_part") })
	add("brief, J0", "any nonce", func() error { return armBriefJ0Case(p) })
	add("brief, length", "any", func() error { return armBriefLengthCase(p) })
	add("brief, AAD", "none", func() error { return armBriefAADCase(p, number(0), "brief") })
	add("brief, AAD", "16 bytes and more", func() error { return armBriefAADCase(p, Count{Of: "AAD", Min: 16}, "aad") })
	aad := hashed{"aad", 4, false}
	for k := 2; k <= armTop; k++ {
		for n := 1; n < 16; n++ {
			add("brief, AAD", fmt.Sprintf("%d bytes with H^%d", n, k), func() error {
				return armSome(p, aad, "brief_aad", "_end", n, k, 0, number(n), nil)
			})
		}
	}
	armBlocks(p, aad, 2, armTop, add)
	armBlocks(p, hashed{"brief", 2, true}, 2, 2, add)
	add("brief: reduce", "any", func() error { return armReduceCase(p, "brief_end", "finish", 3, Count{Of: "text"}) })
	armBlocks(p, hashed{"text", 2, true}, 2, 2, add)
	add("text: reduce", "the last part", func() error { return armReduceCase(p, "text_end", "finish", 3, number(0)) })
	add("text: reduce", "more behind", func() error { return armReduceCase(p, "text_end", "long_text", 3, Count{Min: 1}) })

	add("long, text", "less than 256 bytes", func() error { return armPathCase(p, nil, Count{Max: armTurn - 1}, "rest") })
	add("long, text", "other nonces, 256 to 496 bytes", func() error {
		return armPathCase(p, number(0), Count{Min: armTurn, Max: 496}, "rest")
	})
	add("long, text", "other nonces, more", func() error { return armAloneCase(p) })
	add("long, text", "nonce of 12 bytes, 256 bytes and more", func() error {
		return armPathCase(p, number(12), Count{Min: armTurn}, "bulk")
	})
	for blocks := range armTop {
		add("rest of the text", fmt.Sprintf("%d blocks", blocks), func() error { return armRestCase(p, blocks) })
	}
	armBulkCases(p, "rest", armEnterCase, add)
	tags := func(part string, run func(n int) error) {
		for n := 4; n <= 16; n++ {
			add(part, fmt.Sprintf("%d bytes", n), func() error { return run(n) })
		}
	}
	if !p.Contract.Opens() {
		tags("tag", func(n int) error { return armSealFinishCase(p, n) })
	} else {
		tags("right tag", func(n int) error { return armOpenFinishCase(p, n, true) })
		tags("wrong tag", func(n int) error { return armOpenFinishCase(p, n, false) })
	}
	if p.Contract.Opens() {
		for n := range 16 {
			add("clear the output", fmt.Sprintf("%d bytes left", n), func() error { return armClearCase(p, n) })
		}
		add("clear the output", "16 bytes of more", func() error { return armClearTurnCase(p) })
	}
	return list
}

// stack adds the stack frame: 64 bytes for registers, and two arguments.
func (e *arm) stack(saved bool, args Vec) *region {
	var b Vec
	for r := 8; r < 16; r++ {
		b = append(b, e.junk[vReg(r)].(Vec)[:8]...)
	}
	r := e.mem.add("stack", append(b, args...), !saved, false)
	for i := range 64 {
		r.readable[i] = saved
	}
	e.sp = r.base + 64
	return r
}

// landing checks that the first instruction is bti c, where indirect calls may
// land.
func landing(p *ir.Program) error {
	if i := p.Code[0]; i.Form == nil || i.Form.Mnemonic != "hint" || i.Args[0].Imm != 34 {
		return fmt.Errorf("the program does not begin with bti c")
	}
	return nil
}

// armEntryCase: entry to lengths with a nonce of 12 bytes, else to nonce_part.
func armEntryCase(p *ir.Program, nonceLen value.Value) error {
	e := newArmEntry(p)
	aadLen, textLen := Count{Of: "AAD"}, Count{Of: "text"}
	twelve := same(e.s, nonceLen, number(12))
	args := e.s.Fresh("argument", 16)
	stack := e.stack(false, args)
	saved := stack.bytes
	stack.bytes = append(e.s.Fresh("junk below the stack pointer", 64), args...)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp))
	e.hold(x("text length", 3, textLen), x("AAD length", 5, aadLen), x("nonce length", 7, nonceLen))
	to := "nonce_part"
	if twelve {
		to = "lengths"
	}
	if err := landing(p); err != nil {
		return err
	}
	if err := e.run("", to); err != nil {
		return err
	}
	if err := e.wantBytes(stack, 0, saved[:64]); err != nil {
		return err
	}
	if err := stack.wantWritten([2]int{0, 64}); err != nil {
		return err
	}
	c := armConstants()
	want := []held{
		{"stack pointer", arm64.SP.Reg, Pointer(stack.base)},
		x("tag", 8, args[:8]), x("tag length", 9, args[8:]),
		x("bits of AAD", 14, value.Shl(e.s, aadLen, 3)), x("bits of text", 15, value.Shl(e.s, textLen, 3)),
		v128("tbl indices", 29, value.FromBytes(c[:16])), v128("tbl indices", 30, value.FromBytes(c[16:32])),
	}
	if p.Contract.Opens() {
		want = append(want, x("start of the output", 16, e.start[xReg(1)]))
	}
	for r, k := range e.spec.keys {
		want = append(want, v128("round key", 8+r, k))
	}
	if twelve {
		return e.frame(nil, want...)
	}
	return e.frame(nil, append(want, x("bits of the nonce", 17, value.Shl(e.s, nonceLen, 3)), v128("Xi", 27, e.s.Const(128)))...)
}

// armPartCase: nonce_part or long_aad_part to the loop over blocks. A part
// has 512 bytes where there are more.
func armPartCase(p *ir.Program, name string, reg int, left value.Value) error {
	e := newArm(p)
	xi, y := e.element("Xi")
	e.hold(v128("Xi", 27, xi), held{"bytes", xReg(reg), left})
	n := armPart
	after := value.Value(number(0))
	if c, ok := left.(Count); ok {
		c.Off = -armPart
		after = c
	} else {
		n = int(left.(*value.Bits).Uint64())
	}
	if err := e.run(name+"_part", name); err != nil {
		return err
	}
	blocks := (n + 15) / 16
	if err := e.frame(sums, x("part", 10, number(n)), x("bytes behind", reg, after),
		x("power", 11, e.powerAt(blocks))); err != nil {
		return err
	}
	return e.wantBegun(y.times(blocks))
}

// armReduceCase: the end of a loop over blocks to where left bytes behind it
// lead.
func armReduceCase(p *ir.Program, from, to string, reg int, left value.Value) error {
	e := newArm(p)
	e.hold(held{"bytes", xReg(reg), left})
	if err := e.run(from, to); err != nil {
		return err
	}
	high, low, mid := e.before(24), e.before(25), e.before(26)
	mid = e.spec.xor(mid, e.spec.xor(high, low))
	return e.frame(sums, v128("Xi", 27, reduce128(e.s, low, mid, high)))
}

// armNonceLengthCase: nonce_hashed to j0.
func armNonceLengthCase(p *ir.Program) error {
	e := newArm(p)
	xi, y := e.element("Xi")
	bits := e.s.Fresh("bits of the nonce", 8)
	e.hold(v128("Xi", 27, xi), x("bits of the nonce", 17, bits))
	if err := e.run("nonce_hashed", "j0"); err != nil {
		return err
	}
	y.plus(e.meaning(append(append(Vec{}, bits...), make(Vec, 8)...)), 0)
	if err := e.wantElement("J0", e.s.reverse(e.reg(23)), y.times(1)); err != nil {
		return err
	}
	return e.frame(append(append(xs(11), sums...), vs(23, 27)...))
}

// nonce makes a nonce of 12 bytes that x6 points to.
func (e *arm) nonce() Vec {
	nonce := e.s.Fresh("nonce", 12)
	e.hold(x("nonce", 6, Pointer(e.mem.add("nonce", nonce, false, false).base)))
	return nonce
}

// armLongNonceCase: long_nonce to j0.
func armLongNonceCase(p *ir.Program) error {
	e := newArm(p)
	nonce := e.nonce()
	if err := e.run("long_nonce", "j0"); err != nil {
		return err
	}
	return e.frame(xs(6), v128("J0", 23, e.briefBlock(nonce, 1)))
}

// armBriefJ0Case: brief_j0 to lengths_block.
func armBriefJ0Case(p *ir.Program) error {
	e := newArm(p)
	nonce := e.nonce()
	e.withColumns(1, 1)
	if err := e.run("brief_j0", "lengths_block"); err != nil {
		return err
	}
	ek0 := e.spec.xor(e.spec.cipher(e.briefBlock(nonce, 1)), e.spec.keys[e.rounds])
	return e.frame(xs(6), append(e.brief(e.briefBlock(nonce, 2)), v128("EK0 but for the last round key", 23, ek0))...)
}

// armBriefLengthCase: lengths_block to brief_aad.
func armBriefLengthCase(p *ir.Program) error {
	e := newArm(p)
	if err := e.run("lengths_block", "brief_aad"); err != nil {
		return err
	}
	if err := e.frame(sums); err != nil {
		return err
	}
	return e.wantBegun(e.meaning(e.lens).times(1))
}

// armBriefAADCase: brief_aad to where no AAD or 16 bytes and more lead.
func armBriefAADCase(p *ir.Program, aadLen value.Value, to string) error {
	e := newArm(p)
	e.hold(x("AAD length", 5, aadLen))
	if err := e.run("brief_aad", to); err != nil {
		return err
	}
	if to == "aad" {
		return e.frame(nil, x("part", 10, aadLen))
	}
	return e.frame(nil)
}

// armJ0Case: j0 to long.
func armJ0Case(p *ir.Program, twelve bool) error {
	e := newArm(p)
	j0 := e.s.Fresh("J0", 16)
	if twelve {
		copy(j0[12:], Vec{{}, {}, {}, {c: 1}})
	}
	e.hold(v128("J0", 23, j0))
	if err := e.run("j0", "long"); err != nil {
		return err
	}
	ek0 := e.spec.xor(e.spec.cipher(j0), e.spec.keys[e.rounds])
	next := e.spec.inc(j0, 1)
	if twelve {
		next = append(append(block{}, j0[:12]...), Byte{}, Byte{}, Byte{}, Byte{c: 2})
	}
	return e.frame(nil, v128("EK0 but for the last round key", 23, ek0), v128("counter block", 28, e.rev32(next)),
		v128("one", 31, value.FromBytes(armConstants()[80:])))
}

// inBlocks returns a number of bytes that makes n blocks, the last of any size.
func inBlocks(of string, n int) value.Value {
	if n == 0 {
		return number(0)
	}
	return Count{Of: of, Min: uint64(16*n - 15), Max: uint64(16 * n)}
}

// armLengthsCase: lengths to brief_j0.
func armLengthsCase(p *ir.Program, aad, text int) error {
	e := newArm(p)
	e.hold(x("AAD length", 5, inBlocks("AAD", aad)), x("text length", 3, inBlocks("text", text)))
	if err := e.run("lengths", "brief_j0"); err != nil {
		return err
	}
	return e.frame(nil, x("power", 11, e.powerAt(aad+text+1)))
}

// armLongCase: lengths to long_nonce, with that many blocks of text and enough AAD
// for 32 blocks; or with 32 blocks of text and more, and any AAD.
func armLongCase(p *ir.Program, text int) error {
	e := newArm(p)
	textLen, aadLen := inBlocks("text", text), Count{Of: "AAD"}
	if text == armTop {
		textLen = Count{Of: "text", Min: 16*armTop - 15}
	} else {
		aadLen.Min = uint64(16*(armTop-text) - 15)
	}
	e.hold(x("AAD length", 5, aadLen), x("text length", 3, textLen))
	if err := e.run("lengths", "long_nonce"); err != nil {
		return err
	}
	return e.frame(nil)
}

// armLongAADCase: long to where the AAD leads.
func armLongAADCase(p *ir.Program, aadLen value.Value, to string) error {
	e := newArm(p)
	e.hold(x("AAD length", 5, aadLen))
	if err := e.run("long", to); err != nil {
		return err
	}
	return e.frame(nil, v128("Xi", 27, e.s.Const(128)))
}

// armPathCase: long_text to rest or bulk.
func armPathCase(p *ir.Program, nonceLen, left value.Value, to string) error {
	e := newArm(p)
	e.hold(x("bytes", 3, left))
	if nonceLen != nil {
		e.hold(x("nonce length", 7, nonceLen))
	}
	if err := e.run("long_text", to); err != nil {
		return err
	}
	return e.frame(nil)
}

// armAloneCase: long_text to text with 16 blocks.
func armAloneCase(p *ir.Program) error {
	e := newArm(p)
	xi, y := e.element("Xi")
	left := Count{Min: 497}
	e.hold(x("bytes", 3, left), x("nonce length", 7, number(0)), v128("Xi", 27, xi))
	if err := e.run("long_text", "text"); err != nil {
		return err
	}
	left.Off = -armTurn
	if err := e.frame(sums, x("part", 10, number(armTurn)), x("bytes behind", 3, left),
		x("power", 11, e.powerAt(16))); err != nil {
		return err
	}
	return e.wantBegun(y.times(16))
}

// armRestCase: rest to text.
func armRestCase(p *ir.Program, blocks int) error {
	e := newArm(p)
	xi, y := e.element("Xi")
	left := inBlocks("text", blocks)
	e.hold(x("bytes", 3, left), v128("Xi", 27, xi))
	if err := e.run("rest", "text"); err != nil {
		return err
	}
	if err := e.frame(sums, x("part", 10, left), x("bytes behind", 3, number(0)), x("counter", 17, number(0)),
		x("power", 11, e.powerAt(blocks+1))); err != nil {
		return err
	}
	y = y.times(blocks + 1)
	y.plus(e.meaning(e.lens), 1)
	return e.wantBegun(y)
}

// A turn is one of the bulk loop: its first counter is word, a multiple of 16,
// plus 2.
type turn struct {
	upper Vec
	word  value.Value // 32 bits
}

// firstBlock returns the first counter block of the turn.
func (e *arm) firstBlock(t turn) block {
	return e.spec.inc(e.counterBlock(t.upper, t.word), 2)
}

// base returns the counter block in v12.
func (e *arm) base(t turn) value.Value { return simplify(e.counterBlock(t.upper, t.word)) }

// begun returns v0 to v7: the first blocks of the turn after the first round.
func (e *arm) begun(t turn) (hs []held) {
	for i := range 8 {
		state := e.spec.xor(e.spec.inc(e.firstBlock(t), i), e.spec.keys[0])
		state = e.s.bytes(e.s.MixColumns(shiftRows(e.s.bytes(e.s.SubBytes(state)))))
		hs = append(hs, v128("block begun", i, state))
	}
	return hs
}

// anyTurn returns a turn of which only the multiple of 16 is known.
func (e *arm) anyTurn() turn {
	word := e.s.Fresh("counter", 4)
	e.s.atoms[first(word)].zeros = 4
	return turn{e.s.Fresh("nonce", 12), word}
}

// next returns the turn behind t.
func (e *arm) next(t turn) turn { return turn{t.upper, e.s.Add(t.word, e.s.Const(32, 16))} }

// bulkScratch is what the bulk loop uses beside v0 to v7 and puts back at its
// end: round keys and the constant 1.
var bulkScratch = append(vs(8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 31), sums...)

// armBulkCases lists the cases of the bulk loop: enter is the one that leads into
// it, and end the label behind it. Sealing, a turn hashes the one before; opening,
// itself.
func armBulkCases(p *ir.Program, end string, enter func(p *ir.Program, left Count, to string) error, add func(part, detail string, run func() error)) {
	last := Count{Of: "text", Min: armTurn, Max: 2*armTurn - 1}
	more := Count{Of: "text", Min: 2 * armTurn}
	if p.Contract.Opens() {
		add("bulk, first turn", "any text", func() error { return enter(p, Count{Of: "text", Min: armTurn}, "bulk_turn") })
		add("bulk, any turn", "the last", func() error { return armTurnCase(p, last, end) })
		add("bulk, any turn", "not the last", func() error { return armTurnCase(p, more, "bulk_turn") })
		return
	}
	add("bulk, first turn", "the only one", func() error { return enter(p, last, "bulk_end") })
	add("bulk, first turn", "of more", func() error { return enter(p, more, "bulk_turn") })
	add("bulk, any turn", "the last", func() error { return armTurnCase(p, last, "bulk_end") })
	add("bulk, any turn", "not the last", func() error { return armTurnCase(p, more, "bulk_turn") })
	add("bulk, end", "any text behind", func() error { return armLastCase(p, end) })
}

// moved returns what each turn changes in general registers.
func (e *arm) moved(left Count, t turn) []held {
	on := func(r int) value.Value { return e.s.Add(e.start[xReg(r)], number(armTurn)) }
	left.Off = -armTurn
	return []held{x("bytes", 3, left), x("output", 1, on(1)), x("input", 2, on(2)),
		x("power", 11, e.powerAt(16)), x("counter", 17, value.Extend(e.s, t.word, 64))}
}

// armEnterCase: bulk to bulk_turn or bulk_end.
func armEnterCase(p *ir.Program, left Count, to string) error {
	e := newArm(p)
	t := turn{e.s.Fresh("nonce", 12), e.s.Const(32, 0)}
	text := e.firstText()
	e.hold(x("bytes", 3, left), v128("counter block", 28, e.rev32(e.firstBlock(t))))
	if err := e.run("bulk", to); err != nil {
		return err
	}
	return e.entered(t, text, left)
}

// firstText returns the text that is taken before the loop begins: a turn when
// sealing, none when opening.
func (e *arm) firstText() Vec {
	if e.p.Contract.Opens() {
		return nil
	}
	return e.text(armTurn, nil)
}

// entered checks what holds where the loop begins, behind the first turn t when
// sealing and before it when opening, and what is wanted besides.
func (e *arm) entered(t turn, text Vec, left Count, want ...held) error {
	if e.p.Contract.Opens() {
		want = append(want, x("counter", 17, value.Extend(e.s, t.word, 64)), x("power", 11, e.powerAt(16)))
	} else {
		if err := e.wantText(0, e.spec.gctr(e.firstBlock(t), text)); err != nil {
			return err
		}
		t = e.next(t)
		want = append(want, e.moved(left, t)...)
	}
	return e.frame(bulkScratch, append(append(e.begun(t), v128("base", 12, e.base(t))), want...)...)
}

// atTurn sets what holds before any turn of the bulk loop, and behind the last. It
// returns the turn and the meaning of Xi.
func (e *arm) atTurn() (t turn, y poly) {
	t = e.anyTurn()
	xi, y := e.element("Xi")
	for _, r := range bulkScratch {
		e.m.SetReg(r, e.junk[r])
	}
	e.hold(x("power", 11, e.powerAt(16)), x("counter", 17, value.Extend(e.s, t.word, 64)),
		v128("base", 12, e.base(t)), v128("Xi", 27, xi))
	if e.p.Contract.Whole() {
		next := e.rev32(e.firstBlock(t)).(Vec)
		copy(next[12:], e.junk[vReg(28)].(Vec)[12:])
		e.hold(v128("counter block", 28, next))
	}
	return t, y
}

// armTurnCase: bulk_turn to itself, or to where the loop ends.
func armTurnCase(p *ir.Program, left Count, to string) error {
	e := newArm(p)
	t, y := e.atTurn()
	var before Vec
	if !p.Contract.Opens() {
		before = e.s.Fresh("ciphertext", armTurn)
	}
	text := e.text(armTurn, before)
	e.hold(e.begun(t)...)
	e.hold(x("bytes", 3, left))
	if err := e.run("bulk_turn", to); err != nil {
		return err
	}
	first := e.firstBlock(t)
	done := e.spec.gctr(first, text)
	if err := e.wantText(len(before), done); err != nil {
		return err
	}
	ciphertext := before
	if p.Contract.Opens() {
		ciphertext = text
	}
	if err := e.wantElement("GHASH", e.reg(27), e.spec.absorb(y, ciphertext)); err != nil {
		return err
	}
	t = e.next(t)
	if to == "rest" {
		return e.left(t, e.moved(left, t)...)
	}
	return e.frame(append(vs(27), bulkScratch...),
		append(append(e.begun(t), v128("base", 12, e.base(t))), e.moved(left, t)...)...)
}

// left checks what holds at rest, behind the last turn before t: round keys
// and constants are back, and nothing is left in the other registers.
func (e *arm) left(t turn, want ...held) error {
	for r, k := range e.spec.keys {
		want = append(want, v128("round key", 8+r, k))
	}
	for r := 8 + e.rounds + 1; r <= 22; r++ {
		want = append(want, v128("zero", r, e.s.Const(128)))
	}
	want = append(want, v128("one", 31, value.FromBytes(armConstants()[80:])),
		v128("counter block", 28, e.rev32(e.firstBlock(t))))
	for i, w := range want {
		if w.r == xReg(17) { // which has moved on to the counter itself
			want[i].v = value.Extend(e.s, e.s.Add(t.word, e.s.Const(32, 2)), 64)
		}
		if w.r == xReg(11) {
			want[i].v = e.powerAt(16)
		}
	}
	return e.frame(append(vs(27), sums...), want...)
}

// armLastCase: bulk_end to the end of the loop, sealing: GHASH of the last turn.
func armLastCase(p *ir.Program, end string) error {
	e := newArm(p)
	t, y := e.atTurn()
	before := e.s.Fresh("ciphertext", armTurn)
	e.text(0, before)
	if err := e.run("bulk_end", end); err != nil {
		return err
	}
	if err := e.wantElement("GHASH", e.reg(27), e.spec.absorb(y, before)); err != nil {
		return err
	}
	if end == "rest" {
		return e.left(t, x("counter", 17, nil))
	}
	return e.frame(append(vs(27), bulkScratch...), v128("base", 12, e.base(t)))
}

// atFinish sets the state at finish; registers that hold secrets or may do so
// are listed.
func (e *arm) atFinish(tagLen int, tag *region) (want Vec) {
	e.stack(true, nil)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp-64))
	xi := e.s.Fresh("Xi", 16)
	e.hold(v128("Xi", 27, xi), x("tag", 8, Pointer(tag.base)), x("tag length", 9, number(tagLen)))
	ek0 := e.spec.xor(e.s.bytes(e.junk[vReg(23)]), e.spec.keys[e.rounds])
	return e.spec.xor(e.s.reverse(xi), ek0)[:tagLen]
}

// secrets lists the vector registers that may hold secrets from the entry on.
func (e *arm) secrets() (rs []ir.Reg) {
	if !e.p.Contract.Whole() {
		return append(append(vs(0, 1, 2, 3, 4, 5, 6, 7), bulkScratch...), vReg(27))
	}
	for n := range 32 {
		if n < 8 || n <= 8+e.rounds || n >= 23 && n <= 28 {
			rs = append(rs, vReg(n))
		}
	}
	return rs
}

// returned checks a return: preserved registers come back, no register that
// may have held a secret does so still, and every other one is as it was or
// known. General registers besides the result hold what they held at finish,
// which is public, or numbers. Flags come from the length of the tag, from the
// comparison itself where the tag is right, so that the difference is zero, or
// from clearing the output.
func (e *arm) returned() error {
	if err := e.want("stack pointer", arm64.SP.Reg, Pointer(e.sp)); err != nil {
		return err
	}
	secret := map[ir.Reg]bool{}
	for _, r := range e.secrets() {
		secret[r] = true
	}
	call := e.p.ISA.Call
	for r := range e.junk {
		have := e.m.Reg(r)
		keep := call.PreservedBits(r)
		if r == call.SP || r.Bank == arm64.Flags || r == call.Result {
			continue
		}
		if keep > 0 && !same(e.s, e.s.Slice(have, 0, keep), e.s.Slice(e.junk[r], 0, keep)) {
			return fmt.Errorf("register %v does not come back", r)
		}
		if keep == r.Bank.Width {
			continue
		}
		if keep > 0 {
			have = e.s.Slice(have, keep, r.Bank.Width-keep)
		}
		_, count := have.(Count)
		_, pointer := have.(Pointer)
		if !known(have) && !count && !pointer && (secret[r] || !same(e.s, have, e.start[r])) {
			return fmt.Errorf("register %v is left with something that may be secret", r)
		}
	}
	return nil
}

// armSealFinishCase: finish to the return, sealing.
func armSealFinishCase(p *ir.Program, tagLen int) error {
	e := newArm(p)
	tag := e.mem.add("tag", e.s.Fresh("junk", tagLen), true, true)
	want := e.atFinish(tagLen, tag)
	if err := e.run("finish", ""); err != nil {
		return err
	}
	if err := e.wantBytes(tag, 0, want); err != nil {
		return err
	}
	if err := e.wantKept(0, 0); err != nil {
		return err
	}
	return e.returned()
}

// wantKept checks that a general register is as another was before.
func (e *arm) wantKept(r, q int) error {
	if !same(e.s, e.m.Reg(xReg(r)), e.start[xReg(q)]) {
		return fmt.Errorf("x%d changes", r)
	}
	return nil
}

// armOpenFinishCase: finish to the return, opening, or to clear_more if the
// tag is wrong. The only branch on a secret is on whether the whole difference
// of the tags is zero: both halves of it, which x|y being zero says.
func armOpenFinishCase(p *ir.Program, tagLen int, right bool) error {
	e := newArm(p)
	given := e.s.Fresh("tag", tagLen)
	tag := e.mem.add("tag", given, false, false)
	want := e.atFinish(tagLen, tag)
	textLen := Count{Of: "text"}
	e.hold(x("bits of text", 15, value.Shl(e.s, textLen, 3)))
	to := ""
	e.answers = []bool{right}
	if !right {
		to = "clear_more"
	}
	if err := e.run("finish", to); err != nil {
		return err
	}
	diff := append(e.spec.xor(want, given), make(Vec, 16-tagLen)...)
	both := value.Or(e.s, simplify(diff[:8]), simplify(diff[8:]))
	c := e.condition()
	if c == nil || c.negated || !c.zero.equal(e.s.bytes(both)) {
		return fmt.Errorf("the result does not depend on the whole difference of the tags")
	}
	if err := e.want("result", xReg(0), value.Extend(e.s, c, 64)); err != nil {
		return err
	}
	if right {
		return e.returned()
	}
	// Until the return, x12 and x13 hold parts of the difference.
	scratch := append(e.secrets(), xReg(0), xReg(8))
	e.hold(x("scratch", 12, number(0)), x("scratch", 13, number(0)), x("result", 0, number(0)))
	return e.frame(scratch, x("bytes", 3, textLen), x("key block", 6, Pointer(e.key.base)), v128("zeros", 0, e.s.Const(128)))
}

// atClear sets the state at clear_more.
func (e *arm) atClear(left value.Value, n int) {
	e.stack(true, nil)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp-64))
	e.text(n, nil)
	e.hold(x("bytes", 3, left), x("output", 16, Pointer(e.out.base)), x("key block", 6, Pointer(e.key.base)), v128("zeros", 0, e.s.Const(128)),
		x("result", 0, e.junk[xReg(0)]), x("scratch", 12, e.s.Fresh("difference", 8)), x("scratch", 13, e.s.Fresh("difference", 8)))
}

// armClearCase: clear_more to the return with less than 16 bytes left.
func armClearCase(p *ir.Program, n int) error {
	e := newArm(p)
	e.atClear(number(n), n)
	if err := e.run("clear_more", ""); err != nil {
		return err
	}
	if err := e.wantText(0, make(Vec, n)); err != nil {
		return err
	}
	for _, r := range xs(12, 13) {
		if !known(e.m.Reg(r)) {
			return fmt.Errorf("%v is left with a part of the tag", r)
		}
	}
	for f := range 4 {
		if !known(e.m.Reg(ir.Reg{Bank: arm64.Flags, Num: f})) {
			return fmt.Errorf("a flag is left from the tag")
		}
	}
	if err := e.wantKept(0, 0); err != nil {
		return err
	}
	return e.returned()
}

// armClearTurnCase: clear_more to itself.
func armClearTurnCase(p *ir.Program) error {
	e := newArm(p)
	left := Count{Of: "text", Min: 16}
	e.atClear(left, 16)
	if err := e.run("clear_more", "clear_more"); err != nil {
		return err
	}
	if err := e.wantText(0, make(Vec, 16)); err != nil {
		return err
	}
	left.Off = -16
	return e.frame(nil, x("bytes", 3, left), x("output", 16, Pointer(e.out.base+16)), v128("zeros", 0, e.s.Const(128)))
}
