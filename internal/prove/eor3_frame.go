// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// eor3Cases lists the cases of a program of eor3.
func eor3Cases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	if p.Contract.Op == "init" {
		add("key schedule, counter blocks, constants, H", "every key", func() error { return eor3ScheduleCase(p) })
		add("H times x^-1", "every H", func() error { return eor3HalveCase(p) })
		add("powers of H", "every H", func() error { return eor3PowersCase(p) })
		return list
	}
	for n := 1; n <= 12; n++ {
		add("entry", fmt.Sprintf("nonce of %d bytes", n), func() error { return eor3EntryCase(p, number(n)) })
	}
	add("entry", "nonce of 13 bytes and more", func() error { return eor3EntryCase(p, Count{Of: "nonce", Min: 13}) })
	for _, a := range []struct {
		name string
		p, n int
		done string
	}{{"nonce", 6, 7, "nonce_hashed"}, {"long_aad", 4, 5, "long_text"}} {
		for n := 1; n <= eor3Part; n++ {
			add(a.name+": a part", fmt.Sprintf("%d bytes", n), func() error { return eor3PartCase(p, a.name, a.n, number(n)) })
		}
		add(a.name+": a part", "of more", func() error { return eor3PartCase(p, a.name, a.n, Count{Min: eor3Part + 1}) })
		eor3Blocks(p, hashed{a.name, a.p, false}, 1, 1, add)
		add(a.name+": reduce", "the last part", func() error { return eor3ReduceCase(p, a.name+"_end", a.done, a.n, number(0)) })
		add(a.name+": reduce", "more behind", func() error {
			return eor3ReduceCase(p, a.name+"_end", a.name+"_part", a.n, Count{Min: 1})
		})
	}
	add("nonce: length", "any", func() error { return eor3NonceLengthCase(p) })
	add("J0", "nonce of 12 bytes", func() error { return eor3J0Case(p, true) })
	add("J0", "other nonces", func() error { return eor3J0Case(p, false) })
	for total := range eor3Top {
		for blocks := range total + 1 {
			add("lengths, short", fmt.Sprintf("%d blocks of AAD, %d of text", total-blocks, blocks), func() error {
				return eor3ShortCase(p, total-blocks, blocks)
			})
		}
	}
	for blocks := range eor3Top {
		add("lengths, long", fmt.Sprintf("%d blocks of text", blocks), func() error { return eor3LongCase(p, blocks) })
	}
	add("lengths, long", "32 blocks of text and more", func() error { return eor3LongCase(p, eor3Top) })
	add("long, AAD", "none", func() error { return eor3LongAADCase(p, number(0), "long_text") })
	add("long, AAD", "some", func() error { return eor3LongAADCase(p, Count{Min: 1}, "long_aad_part") })
	eor3Blocks(p, hashed{"aad", 4, false}, 2, eor3Top, add)
	for _, from := range []string{"aad_end", "short_text"} {
		add("short, text", "after "+from, func() error { return eor3ToTextCase(p, from) })
	}
	eor3Blocks(p, hashed{"text", 2, true}, 2, 2, add)
	add("text: reduce", "the last part", func() error { return eor3ReduceCase(p, "text_end", "finish", 3, number(0)) })
	add("text: reduce", "more behind", func() error { return eor3ReduceCase(p, "text_end", "long_text", 3, Count{Min: 1}) })

	add("long, text", "less than 256 bytes", func() error { return eor3PathCase(p, nil, Count{Max: eor3Turn - 1}, "rest") })
	add("long, text", "other nonces, 256 to 496 bytes", func() error {
		return eor3PathCase(p, number(0), Count{Min: eor3Turn, Max: 496}, "rest")
	})
	add("long, text", "other nonces, more", func() error { return eor3AloneCase(p) })
	add("long, text", "nonce of 12 bytes, 256 bytes and more", func() error {
		return eor3PathCase(p, number(12), Count{Min: eor3Turn}, "bulk")
	})
	for blocks := range eor3Top {
		add("rest of the text", fmt.Sprintf("%d blocks", blocks), func() error { return eor3RestCase(p, blocks) })
	}
	eor3BulkCases(p, add)
	tags := func(part string, run func(n int) error) {
		for n := 4; n <= 16; n++ {
			add(part, fmt.Sprintf("%d bytes", n), func() error { return run(n) })
		}
	}
	if p.Contract.Op == "seal" {
		tags("tag", func(n int) error { return eor3SealFinishCase(p, n) })
	} else {
		tags("right tag", func(n int) error { return eor3OpenFinishCase(p, n, true) })
		tags("wrong tag", func(n int) error { return eor3OpenFinishCase(p, n, false) })
	}
	if p.Contract.Op == "open" {
		for n := range 16 {
			add("clear the output", fmt.Sprintf("%d bytes left", n), func() error { return eor3ClearCase(p, n) })
		}
		add("clear the output", "16 bytes of more", func() error { return eor3ClearTurnCase(p) })
	}
	return list
}

// stack adds the stack frame: 64 bytes for registers, and two arguments.
func (e *eor3) stack(saved bool, args Vec) *region {
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

// eor3EntryCase: entry to j0 with a nonce of 12 bytes, else to nonce_part.
func eor3EntryCase(p *ir.Program, nonceLen value.Value) error {
	e := newEor3Entry(p)
	aadLen, textLen := Count{Of: "AAD"}, Count{Of: "text"}
	twelve := same(e.s, nonceLen, number(12))
	nonce := e.s.Fresh("nonce", 12)
	at := e.mem.add("nonce", nonce[:0], false, false)
	if twelve {
		at = e.mem.add("nonce", nonce, false, false)
	}
	args := e.s.Fresh("argument", 16)
	stack := e.stack(false, args)
	saved := stack.bytes
	stack.bytes = append(e.s.Fresh("junk below the stack pointer", 64), args...)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp))
	e.hold(x("text length", 3, textLen), x("AAD length", 5, aadLen), x("nonce", 6, Pointer(at.base)), x("nonce length", 7, nonceLen))
	to := "nonce_part"
	if twelve {
		to = "j0"
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
	c := eor3Constants()
	want := []held{
		{"stack pointer", arm64.SP.Reg, Pointer(stack.base)},
		x("tag", 8, args[:8]), x("tag length", 9, args[8:]),
		x("bits of AAD", 14, value.Shl(e.s, aadLen, 3)), x("bits of text", 15, value.Shl(e.s, textLen, 3)),
		x("start of the output", 16, e.start[xReg(1)]),
		v128("tbl indices", 29, value.FromBytes(c[:16])), v128("tbl indices", 30, value.FromBytes(c[16:32])),
		v128("one", 31, value.FromBytes(c[80:])),
	}
	for r, k := range e.spec.keys {
		want = append(want, v128("round key", 8+r, k))
	}
	if twelve {
		j0 := append(append(block{}, nonce...), Byte{}, Byte{}, Byte{}, Byte{c: 1})
		return e.frame(xs(6), append(want, v128("J0", 23, j0))...)
	}
	return e.frame(nil, append(want, x("bits of the nonce", 17, value.Shl(e.s, nonceLen, 3)), v128("Xi", 27, e.s.Const(128)))...)
}

// eor3PartCase: nonce_part or long_aad_part to the loop over blocks. A part
// has 512 bytes where there are more.
func eor3PartCase(p *ir.Program, name string, reg int, left value.Value) error {
	e := newEor3(p)
	xi, y := e.element("Xi")
	e.hold(v128("Xi", 27, xi), held{"bytes", xReg(reg), left})
	n := eor3Part
	after := value.Value(number(0))
	if c, ok := left.(Count); ok {
		c.Off = -eor3Part
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

// eor3ReduceCase: the end of a loop over blocks to where left bytes behind it
// lead.
func eor3ReduceCase(p *ir.Program, from, to string, reg int, left value.Value) error {
	e := newEor3(p)
	e.hold(held{"bytes", xReg(reg), left})
	if err := e.run(from, to); err != nil {
		return err
	}
	high, low, mid := e.before(24), e.before(25), e.before(26)
	mid = e.spec.xor(mid, e.spec.xor(high, low))
	return e.frame(sums, v128("Xi", 27, reduce128(e.s, low, mid, high)))
}

// eor3NonceLengthCase: nonce_hashed to j0.
func eor3NonceLengthCase(p *ir.Program) error {
	e := newEor3(p)
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

// eor3J0Case: j0 to lengths.
func eor3J0Case(p *ir.Program, twelve bool) error {
	e := newEor3(p)
	j0 := e.s.Fresh("J0", 16)
	if twelve {
		copy(j0[12:], Vec{{}, {}, {}, {c: 1}})
	}
	e.hold(v128("J0", 23, j0))
	if err := e.run("j0", "lengths"); err != nil {
		return err
	}
	ek0 := e.spec.xor(e.spec.cipher(j0), e.spec.keys[e.rounds])
	next := e.spec.inc(j0, 1)
	if twelve {
		next = append(append(block{}, j0[:12]...), Byte{}, Byte{}, Byte{}, Byte{c: 2})
	}
	return e.frame(nil, v128("EK0 but for the last round key", 23, ek0), v128("counter block", 28, e.rev32(next)))
}

// inBlocks returns a number of bytes that makes n blocks, the last of any size.
func inBlocks(of string, n int) value.Value {
	if n == 0 {
		return number(0)
	}
	return Count{Of: of, Min: uint64(16*n - 15), Max: uint64(16 * n)}
}

// eor3ShortCase: lengths to the loop over AAD, or to short_text without AAD.
func eor3ShortCase(p *ir.Program, aad, text int) error {
	e := newEor3(p)
	aadLen := inBlocks("AAD", aad)
	e.hold(x("AAD length", 5, aadLen), x("text length", 3, inBlocks("text", text)))
	to := "aad"
	want := []held{x("power", 11, e.powerAt(aad+text+1))}
	if aad == 0 {
		to = "short_text"
	} else {
		want = append(want, x("part", 10, aadLen))
	}
	if err := e.run("lengths", to); err != nil {
		return err
	}
	if err := e.frame(sums, want...); err != nil {
		return err
	}
	return e.wantBegun(e.meaning(e.lens).times(1))
}

// eor3LongCase: lengths to long, with that many blocks of text and enough AAD
// for 32 blocks; or with 32 blocks of text and more, and any AAD.
func eor3LongCase(p *ir.Program, text int) error {
	e := newEor3(p)
	textLen, aadLen := inBlocks("text", text), Count{Of: "AAD"}
	if text == eor3Top {
		textLen = Count{Of: "text", Min: 16*eor3Top - 15}
	} else {
		aadLen.Min = uint64(16*(eor3Top-text) - 15)
	}
	e.hold(x("AAD length", 5, aadLen), x("text length", 3, textLen))
	if err := e.run("lengths", "long"); err != nil {
		return err
	}
	return e.frame(nil)
}

// eor3LongAADCase: long to where the AAD leads.
func eor3LongAADCase(p *ir.Program, aadLen value.Value, to string) error {
	e := newEor3(p)
	e.hold(x("AAD length", 5, aadLen))
	if err := e.run("long", to); err != nil {
		return err
	}
	return e.frame(nil, v128("Xi", 27, e.s.Const(128)))
}

// eor3ToTextCase: behind the AAD of a short message to text.
func eor3ToTextCase(p *ir.Program, from string) error {
	e := newEor3(p)
	if err := e.run(from, "text"); err != nil {
		return err
	}
	return e.frame(nil, x("part", 10, e.start[xReg(3)]), x("bytes behind", 3, number(0)))
}

// eor3PathCase: long_text to rest or bulk.
func eor3PathCase(p *ir.Program, nonceLen, left value.Value, to string) error {
	e := newEor3(p)
	e.hold(x("bytes", 3, left))
	if nonceLen != nil {
		e.hold(x("nonce length", 7, nonceLen))
	}
	if err := e.run("long_text", to); err != nil {
		return err
	}
	return e.frame(nil)
}

// eor3AloneCase: long_text to text with 16 blocks.
func eor3AloneCase(p *ir.Program) error {
	e := newEor3(p)
	xi, y := e.element("Xi")
	left := Count{Min: 497}
	e.hold(x("bytes", 3, left), x("nonce length", 7, number(0)), v128("Xi", 27, xi))
	if err := e.run("long_text", "text"); err != nil {
		return err
	}
	left.Off = -eor3Turn
	if err := e.frame(sums, x("part", 10, number(eor3Turn)), x("bytes behind", 3, left),
		x("power", 11, e.powerAt(16))); err != nil {
		return err
	}
	return e.wantBegun(y.times(16))
}

// eor3RestCase: rest to text.
func eor3RestCase(p *ir.Program, blocks int) error {
	e := newEor3(p)
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
func (e *eor3) firstBlock(t turn) block { return e.spec.inc(e.counterBlock(t.upper, t.word), 2) }

// base returns the counter block in v12.
func (e *eor3) base(t turn) value.Value { return simplify(e.counterBlock(t.upper, t.word)) }

// begun returns v0 to v7: the first blocks of the turn after the first round.
func (e *eor3) begun(t turn) (hs []held) {
	for i := range 8 {
		state := e.spec.xor(e.spec.inc(e.firstBlock(t), i), e.spec.keys[0])
		state = e.s.bytes(e.s.MixColumns(shiftRows(e.s.bytes(e.s.SubBytes(state)))))
		hs = append(hs, v128("block begun", i, state))
	}
	return hs
}

// anyTurn returns a turn of which only the multiple of 16 is known.
func (e *eor3) anyTurn() turn {
	word := e.s.Fresh("counter", 4)
	e.s.atoms[first(word)].zeros = 4
	return turn{e.s.Fresh("nonce", 12), word}
}

// next returns the turn behind t.
func (e *eor3) next(t turn) turn { return turn{t.upper, e.s.Add(t.word, e.s.Const(32, 16))} }

// bulkScratch is what the bulk loop uses beside v0 to v7 and puts back at its
// end: round keys and the constant 1.
var bulkScratch = append(vs(8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 31), sums...)

// eor3BulkCases lists the cases of the bulk loop. Sealing, it hashes the turn
// before; opening, the turn itself.
func eor3BulkCases(p *ir.Program, add func(part, detail string, run func() error)) {
	last := Count{Of: "text", Min: eor3Turn, Max: 2*eor3Turn - 1}
	more := Count{Of: "text", Min: 2 * eor3Turn}
	if p.Contract.Op == "seal" {
		add("bulk, first turn", "the only one", func() error { return eor3EnterCase(p, last, "bulk_end") })
		add("bulk, first turn", "of more", func() error { return eor3EnterCase(p, more, "bulk_turn") })
		add("bulk, any turn", "the last", func() error { return eor3TurnCase(p, last, "bulk_end") })
		add("bulk, any turn", "not the last", func() error { return eor3TurnCase(p, more, "bulk_turn") })
		add("bulk, end", "any text behind", func() error { return eor3LeaveCase(p) })
		return
	}
	add("bulk, first turn", "any text", func() error { return eor3OpenEnterCase(p) })
	add("bulk, any turn", "the last", func() error { return eor3TurnCase(p, last, "rest") })
	add("bulk, any turn", "not the last", func() error { return eor3TurnCase(p, more, "bulk_turn") })
}

// eor3OpenEnterCase: bulk to bulk_turn, which only begins blocks.
func eor3OpenEnterCase(p *ir.Program) error {
	e := newEor3(p)
	t := turn{e.s.Fresh("nonce", 12), e.s.Const(32, 0)}
	e.hold(v128("counter block", 28, e.rev32(e.firstBlock(t))))
	if err := e.run("bulk", "bulk_turn"); err != nil {
		return err
	}
	return e.frame(bulkScratch, append(e.begun(t),
		x("counter", 17, number(0)), x("power", 11, e.powerAt(16)), v128("base", 12, e.base(t)))...)
}

// moved returns what each turn changes in general registers.
func (e *eor3) moved(left Count, t turn) []held {
	on := func(r int) value.Value { return e.s.Add(e.start[xReg(r)], number(eor3Turn)) }
	left.Off = -eor3Turn
	return []held{x("bytes", 3, left), x("output", 1, on(1)), x("input", 2, on(2)),
		x("power", 11, e.powerAt(16)), x("counter", 17, value.Extend(e.s, t.word, 64))}
}

// eor3EnterCase: bulk to bulk_turn or bulk_end, sealing: the first turn.
func eor3EnterCase(p *ir.Program, left Count, to string) error {
	e := newEor3(p)
	t := turn{e.s.Fresh("nonce", 12), e.s.Const(32, 0)}
	text := e.text(eor3Turn, nil)
	e.hold(x("bytes", 3, left), v128("counter block", 28, e.rev32(e.firstBlock(t))))
	if err := e.run("bulk", to); err != nil {
		return err
	}
	if err := e.wantText(0, e.spec.gctr(e.firstBlock(t), text)); err != nil {
		return err
	}
	t = e.next(t)
	return e.frame(bulkScratch, append(append(e.begun(t), v128("base", 12, e.base(t))), e.moved(left, t)...)...)
}

// eor3TurnCase: bulk_turn to itself, or to where the loop ends.
func eor3TurnCase(p *ir.Program, left Count, to string) error {
	e := newEor3(p)
	t := e.anyTurn()
	var before Vec
	if p.Contract.Op == "seal" {
		before = e.s.Fresh("ciphertext", eor3Turn)
	}
	text := e.text(eor3Turn, before)
	xi, y := e.element("Xi")
	for _, r := range bulkScratch {
		e.m.SetReg(r, e.junk[r])
	}
	e.hold(e.begun(t)...)
	upper := e.rev32(e.firstBlock(t)).(Vec)
	copy(upper[12:], e.junk[vReg(28)].(Vec)[12:])
	e.hold(x("bytes", 3, left), x("power", 11, e.powerAt(16)),
		x("counter", 17, value.Extend(e.s, t.word, 64)), v128("base", 12, e.base(t)), v128("Xi", 27, xi),
		v128("counter block", 28, upper))
	if err := e.run("bulk_turn", to); err != nil {
		return err
	}
	first := e.firstBlock(t)
	done := e.spec.gctr(first, text)
	if err := e.wantText(len(before), done); err != nil {
		return err
	}
	ciphertext := before
	if p.Contract.Op == "open" {
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
func (e *eor3) left(t turn, want ...held) error {
	for r, k := range e.spec.keys {
		want = append(want, v128("round key", 8+r, k))
	}
	for r := 8 + e.rounds + 1; r <= 22; r++ {
		want = append(want, v128("zero", r, e.s.Const(128)))
	}
	want = append(want, v128("one", 31, value.FromBytes(eor3Constants()[80:])),
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

// eor3LeaveCase: bulk_end to rest, sealing: GHASH of the last turn.
func eor3LeaveCase(p *ir.Program) error {
	e := newEor3(p)
	t := e.anyTurn()
	before := e.s.Fresh("ciphertext", eor3Turn)
	e.text(0, before)
	xi, y := e.element("Xi")
	for _, r := range bulkScratch {
		e.m.SetReg(r, e.junk[r])
	}
	upper := e.rev32(e.firstBlock(t)).(Vec)
	copy(upper[12:], e.junk[vReg(28)].(Vec)[12:])
	e.hold(x("power", 11, e.powerAt(16)), x("counter", 17, value.Extend(e.s, t.word, 64)),
		v128("Xi", 27, xi), v128("counter block", 28, upper))
	if err := e.run("bulk_end", "rest"); err != nil {
		return err
	}
	if err := e.wantElement("GHASH", e.reg(27), e.spec.absorb(y, before)); err != nil {
		return err
	}
	return e.left(t, x("counter", 17, nil))
}

// atFinish sets the state at finish; registers that hold secrets or may do so
// are listed.
func (e *eor3) atFinish(tagLen int, tag *region) (want Vec) {
	e.stack(true, nil)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp-64))
	xi := e.s.Fresh("Xi", 16)
	e.hold(v128("Xi", 27, xi), x("tag", 8, Pointer(tag.base)), x("tag length", 9, number(tagLen)))
	ek0 := e.spec.xor(e.s.bytes(e.junk[vReg(23)]), e.spec.keys[e.rounds])
	return e.spec.xor(e.s.reverse(xi), ek0)[:tagLen]
}

// secrets lists the vector registers that may hold secrets from the entry on.
func (e *eor3) secrets() (rs []ir.Reg) {
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
func (e *eor3) returned() error {
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

// eor3SealFinishCase: finish to the return, sealing.
func eor3SealFinishCase(p *ir.Program, tagLen int) error {
	e := newEor3(p)
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
func (e *eor3) wantKept(r, q int) error {
	if !same(e.s, e.m.Reg(xReg(r)), e.start[xReg(q)]) {
		return fmt.Errorf("x%d changes", r)
	}
	return nil
}

// eor3OpenFinishCase: finish to the return, opening, or to clear_more if the
// tag is wrong. The only branch on a secret is on whether the whole difference
// of the tags is zero: both halves of it, which x|y being zero says.
func eor3OpenFinishCase(p *ir.Program, tagLen int, right bool) error {
	e := newEor3(p)
	given := e.s.Fresh("tag", tagLen)
	tag := e.mem.add("tag", given, false, false)
	want := e.atFinish(tagLen, tag)
	textLen := Count{Of: "text"}
	e.hold(x("bits of text", 15, value.Shl(e.s, textLen, 3)))
	to := ""
	e.verdict = 1
	if !right {
		to = "clear_more"
		e.verdict = -1
	}
	if err := e.run("finish", to); err != nil {
		return err
	}
	diff := append(e.spec.xor(want, given), make(Vec, 16-tagLen)...)
	both := value.Or(e.s, simplify(diff[:8]), simplify(diff[8:]))
	if e.condition == nil || e.condition.negated || !e.condition.zero.equal(e.s.bytes(both)) {
		return fmt.Errorf("the result does not depend on the whole difference of the tags")
	}
	if err := e.want("result", xReg(0), value.Extend(e.s, e.condition, 64)); err != nil {
		return err
	}
	if right {
		return e.returned()
	}
	// Until the return, x12 and x13 hold parts of the difference.
	scratch := append(e.secrets(), xReg(0))
	e.hold(x("scratch", 12, number(0)), x("scratch", 13, number(0)), x("result", 0, number(0)))
	return e.frame(scratch, x("bytes", 3, textLen), v128("zeros", 0, e.s.Const(128)))
}

// atClear sets the state at clear_more.
func (e *eor3) atClear(left value.Value, n int) {
	e.stack(true, nil)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp-64))
	e.text(n, nil)
	e.hold(x("bytes", 3, left), x("output", 16, Pointer(e.out.base)), v128("zeros", 0, e.s.Const(128)),
		x("result", 0, e.junk[xReg(0)]), x("scratch", 12, e.s.Fresh("difference", 8)), x("scratch", 13, e.s.Fresh("difference", 8)))
}

// eor3ClearCase: clear_more to the return with less than 16 bytes left.
func eor3ClearCase(p *ir.Program, n int) error {
	e := newEor3(p)
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

// eor3ClearTurnCase: clear_more to itself.
func eor3ClearTurnCase(p *ir.Program) error {
	e := newEor3(p)
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
