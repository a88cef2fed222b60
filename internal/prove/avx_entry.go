// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// avxCases lists the cases of a program of a kernel for amd64 without AVX-512.
func avxCases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	if p.Contract.Op == "init" {
		add("key schedule and H", "every key", func() error { return avxScheduleCase(p) })
		add("H times x^-1", "every H", func() error { return avxHalveCase(p) })
		add("powers of H", "every H", func() error { return avxPowersCase(p) })
		return list
	}
	if !p.Contract.Whole() {
		return avxTurnsCases(p)
	}
	turn := avxShapeOf(p).turn
	for _, c := range []struct {
		detail string
		length value.Value
		to     string
	}{
		{"nonce of 1 to 11 bytes", Count{Of: "nonce", Min: 1, Max: 11}, "nonce_last"},
		{"nonce of 12 bytes", number(12), "j0"},
		{"nonce of 13 to 15 bytes", Count{Of: "nonce", Min: 13, Max: 15}, "nonce_last"},
		{"nonce of 16 bytes", number(16), "nonce_last"},
		{"nonce of 17 bytes and more", Count{Of: "nonce", Min: 17}, "nonce_part"},
	} {
		add("entry", c.detail, func() error { return avxEntryCase(p, c.length, c.to) })
	}
	for _, h := range []avxHashed{avxNonce, avxAAD} {
		part := "hash the " + h.name
		for k := 1; k <= turn/16; k++ {
			add(part, fmt.Sprintf("%d to %d bytes left", 16*k+1, 16*k+15), func() error { return avxPartCase(p, h, k, false) })
			add(part, fmt.Sprintf("%d bytes left", 16*k+16), func() error { return avxPartCase(p, h, k, true) })
		}
		add(part, "more left, a part at a time", func() error { return avxPartCase(p, h, 0, false) })
	}
	for n := 1; n <= 16; n++ {
		add("last block of the nonce", fmt.Sprintf("%d bytes", n), func() error { return avxNonceLastCase(p, n) })
		add("last block of the AAD", fmt.Sprintf("%d bytes", n), func() error { return avxAADLastCase(p, n) })
	}
	for _, c := range []struct {
		detail string
		length value.Value
		to     string
	}{
		{"no AAD", number(0), "dispatch"},
		{"AAD of 1 to 15 bytes", Count{Of: "AAD", Min: 1, Max: 15}, "aad_last"},
		{"AAD of 16 bytes", number(16), "aad_last"},
		{"AAD of 17 bytes and more", Count{Of: "AAD", Min: 17}, "aad_part"},
	} {
		add("J0", c.detail, func() error { return avxJ0Case(p, c.length, c.to) })
	}

	add("choose the path", fmt.Sprintf("less than %d bytes", turn), func() error { return avxDispatchCase(p) })
	for lead := range 2 {
		add("choose the path", fmt.Sprintf("%d bytes and more, blocks that lead: %d", turn, lead), func() error { return avxReduceCase(p, lead) })
	}
	for _, c := range []struct {
		detail string
		nonce  Count
	}{
		{"nonce of 1 to 11 bytes", Count{Of: "nonce", Min: 1, Max: 11}},
		{"nonce of 13 bytes and more", Count{Of: "nonce", Min: 13}},
	} {
		add("a part alone", c.detail, func() error { return avxAloneCase(p, c.nonce, false) })
		add("a part alone", c.detail+", more text behind", func() error { return avxAloneCase(p, c.nonce, true) })
	}
	for _, l := range avxLefts(0, turn/16) {
		if !l.more {
			add("what leads, and the length", l.String()+", a block leads", func() error { return avxLeadCase(p, l, 1) })
		}
		if !l.more || l.blocks == turn/16 {
			add("what leads, and the length", l.String(), func() error { return avxLeadCase(p, l, 0) })
		}
		if l.whole() >= 4 {
			add("four blocks", l.String(), func() error { return avxBlocksCase(p, "short_more", l, 4) })
			continue
		}
		add("less than four blocks", l.String(), func() error { return avxFewerCase(p, l) })
		if l.whole() >= 1 {
			add("one block", l.String(), func() error { return avxBlocksCase(p, "short_fewer", l, 1) })
		}
	}
	for n := range 16 {
		add("the last bytes", fmt.Sprintf("%d bytes", n), func() error { return avxLastCase(p, n, false) })
	}
	add("end of a part alone", "more text behind", func() error { return avxLastCase(p, 0, true) })
	avxBulkCases(p, add)
	if p.Contract.Op == "seal" {
		for n := 4; n <= 16; n++ {
			add("tag", fmt.Sprintf("%d bytes", n), func() error { return avxSealFinishCase(p, n) })
		}
		return list
	}
	for n := 4; n <= 16; n++ {
		add("right tag", fmt.Sprintf("%d bytes", n), func() error { return avxRightCase(p, n) })
	}
	for n := 4; n <= 16; n++ {
		for text := range 16 {
			add("wrong tag", fmt.Sprintf("%d bytes, %d of text", n, text), func() error { return avxWrongCase(p, n, text) })
		}
		add("wrong tag", fmt.Sprintf("%d bytes, 16 of text and more", n), func() error { return avxToClearCase(p, n) })
	}
	add("clear the output", "32 bytes and more", func() error { return avxClearCase(p, 0) })
	for n := 16; n < 32; n++ {
		add("clear the output", fmt.Sprintf("%d bytes", n), func() error { return avxClearCase(p, n) })
	}
	return list
}

// avxEntryCase: entry to j0 with a nonce of 12 bytes, else to where it is hashed.
func avxEntryCase(p *ir.Program, nonceLen value.Value, to string) error {
	if err := endbr(p); err != nil {
		return err
	}
	e := newAvx(p)
	e.unwritten(0, avxFrame)
	e.stored = [2]int{avxLens, avxLens + 16}
	text, aad := Count{Of: "text"}, Count{Of: "AAD"}
	e.text(0)
	e.hold(gpr("stack pointer", amd64.RSP, Pointer(e.sp)), gpr("text length", amd64.RCX, text), gpr("AAD length", amd64.R9, aad))
	nonce := e.s.Fresh("nonce", 12)
	if to != "j0" {
		nonce = nil // of another size, it is not looked at yet
	}
	at := e.mem.add("nonce", nonce, false, false).at(0)
	e.argument(0, at)
	e.argument(1, nonceLen)
	if err := e.run("", to); err != nil {
		return err
	}
	if err := e.wantBytes(e.stack, avxLens, e.s.bytes(e.s.Concat(e.bits(text), e.bits(aad)))); err != nil {
		return err
	}
	want := []held{gpr("stack pointer", amd64.RSP, e.stack.at(0))}
	if to == "j0" {
		return e.frame(nil, append(want, xmm("J0", 0, append(nonce, Byte{}, Byte{}, Byte{}, Byte{c: 1})))...)
	}
	return e.frame(nil, append(append(want, avxNonce.left(to, at, nonceLen)...), xmm("Xi", 12, number(0)),
		xmm("output", 1, e.out.at(0)), xmm("input", 2, e.in.at(0)), xmm("bits of the nonce", 3, e.bits(nonceLen)))...)
}

// avxHashed is the nonce or the AAD with the registers of what is left of it.
type avxHashed struct {
	name            string
	pointer, length ir.Operand
}

var (
	avxNonce = avxHashed{"nonce", amd64.RSI, amd64.RDX}
	avxAAD   = avxHashed{"aad", amd64.R8, amd64.R9}
)

// left lists what is held where n bytes from at on are left, at one of the two
// labels; at the last one a flag tells whether a whole block is left.
func (h avxHashed) left(label string, at, n value.Value) []held {
	hs := []held{gpr("bytes hashed", h.pointer, at), gpr("bytes left", h.length, n)}
	if label == h.name+"_last" {
		var d value.Concrete
		whole := d.Const(1)
		if known(n) {
			whole = d.IsZero(value.Sub(d, n, number(16)))
		}
		hs = append(hs, held{"whether 16 bytes are left", amd64.ZF, whole})
	}
	return hs
}

// hash sets the state at one of those labels, with so many bytes left of which
// size are hashed. It returns those and GHASH so far.
func (e *avx) hash(h avxHashed, label string, n value.Value, size int) (bytes Vec, at Pointer, y poly) {
	if h.name == "nonce" {
		e.unwritten(0, avxLens)
	}
	bytes = e.s.Fresh("bytes hashed", size)
	at = e.mem.add("bytes hashed", bytes, false, false).at(0)
	xi, y := e.element()
	e.hold(append(h.left(label, at, n), xi)...)
	return bytes, at, y
}

// avxPartCase: nonce_part or aad_part to itself or to the last block, for what
// partLeft says is left. Registers 1 to 3 hold what the nonce needs afterwards.
func avxPartCase(p *ir.Program, h avxHashed, k int, full bool) error {
	e := newAvx(p)
	n, behind, size := partLeft(k, full, 16, e.turn)
	bytes, at, y := e.hash(h, h.name+"_part", n, size)
	to := h.name + "_last"
	if k == 0 {
		to = h.name + "_part"
	}
	if err := e.run(h.name+"_part", to); err != nil {
		return err
	}
	want := h.left(to, at+Pointer(size), behind)
	for _, r := range avxRegs(1, 2, 3) {
		want = append(want, e.kept(r))
	}
	if err := e.frame(avxSums, want...); err != nil {
		return err
	}
	return e.wantXi(e.spec.absorb(y, bytes))
}

// avxNonceLastCase: nonce_last to j0 with n bytes left.
func avxNonceLastCase(p *ir.Program, n int) error {
	e := newAvx(p)
	bytes, _, y := e.hash(avxNonce, "nonce_last", number(n), n)
	out, in, bits := e.s.Fresh("output", 8), e.s.Fresh("input", 8), e.s.Fresh("bits of the nonce", 8)
	e.hold(xmm("output", 1, out), xmm("input", 2, in), xmm("bits of the nonce", 3, bits))
	if err := e.run("nonce_last", "j0"); err != nil {
		return err
	}
	if err := e.frame(avxSums, gpr("output", amd64.RSI, out), gpr("input", amd64.RDX, in)); err != nil {
		return err
	}
	j0 := e.s.bytes(e.m.Reg(amd64.Z(0).Reg))
	if !zero(j0[16:]) {
		return fmt.Errorf("more than J0 in a register")
	}
	y = e.s.step(e.spec.absorb(y, bytes), append(append(Vec{}, bits...), make(Vec, 8)...))
	return e.wantElement("J0", e.s.reverse(j0[:16]), y)
}

// avxJ0Case: j0 to dispatch without AAD, else to where it is hashed.
func avxJ0Case(p *ir.Program, aadLen value.Value, to string) error {
	e := newAvx(p)
	e.unwritten(0, avxLens)
	e.stored = [2]int{0, 16}
	j0 := e.s.Fresh("J0", 16)
	at := Pointer(0x1234)
	e.hold(xmm("J0", 0, j0), gpr("AAD", amd64.R8, at), gpr("AAD length", amd64.R9, aadLen))
	if err := e.run("j0", to); err != nil {
		return err
	}
	if err := e.wantBytes(e.stack, 0, e.spec.cipher(j0)); err != nil {
		return err
	}
	want := append(avxAAD.left(to, at, aadLen), e.counters(e.spec.inc(j0, 1)), xmm("Xi", 12, number(0)))
	if to == "dispatch" {
		want = append(want, gpr("bytes that lead", amd64.R11, number(0)))
	}
	return e.frame(nil, want...)
}

// avxAADLastCase: aad_last to dispatch with n bytes left, which lead.
func avxAADLastCase(p *ir.Program, n int) error {
	e := newAvx(p)
	bytes, _, y := e.hash(avxAAD, "aad_last", number(n), n)
	if err := e.run("aad_last", "dispatch"); err != nil {
		return err
	}
	if err := e.frame(append([]ir.Reg{amd64.R8.Reg, amd64.R9.Reg}, avxSums...),
		gpr("bytes that lead", amd64.R11, number(16))); err != nil {
		return err
	}
	e.s.addLinear(y, e.s.reverse(append(append(Vec{}, bytes...), make(Vec, 16-n)...)))
	return e.wantXi(y)
}
