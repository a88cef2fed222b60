// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"strings"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the kernels for amd64 without AVX-512, which differ in the
// number of blocks in a register, their lanes. The program is cut at labels:
//
//	entry ─> j0 ─> dispatch
//	entry ─> nonce_part ─> nonce_last ─> j0
//	j0 ─> aad_part ─> aad_last ─> dispatch
//	dispatch ─> short ─> short_more ─> short_fewer ─> finish ─> return
//	dispatch ─> reduced ─> the bulk loop ─> short
//	reduced ─> short ... short_fewer ─> dispatch: a part alone, for other nonces
//	finish ─> clear ─> return, after a wrong tag
//
// A state is a set of registers with what they hold. All others may hold
// anything there, so they begin as junk, and each case checks its frame: what
// it need not change it must leave, so that a state carries over what it does
// not name. That goes for the stack too. In every state:
//
// The three sums of products, reduced, are Y·H^k, plus the length block times H
// where that is in already. Y is GHASH of what went before, and H^k is the
// power at r10, for the next block: k is the number of blocks left of this
// part of the text, and one more for the length block. Reduction is linear, so
// a step is checked by what it adds: each block that it takes, times the power
// for it.
//
// General registers hold nothing secret, but for r10 and r11, which the end of
// the program sets, and rax before the short path, which sets it.
const (
	avxLens  = 16 // offset of the length block on the stack; EK0 lies at 0
	avxFrame = 40 // bytes of the stack below the stack pointer at entry
)

// An avxShape is what differs between the kernels.
type avxShape struct {
	lanes int // blocks in a register
	turn  int // bytes of a turn of the bulk loop, and most that the short path takes
}

func avxShapeOf(p *ir.Program) avxShape {
	if p.Contract.Kernel == "aesni" {
		return avxShape{1, 512}
	}
	return avxShape{2, 512}
}

// top is the highest power: for the blocks of the short path, one that leads
// and the length block.
func (k avxShape) top() int { return k.turn/16 + 2 }

// end is the offset behind the powers.
func (k avxShape) end() int { return powersAt + 16*k.top() }

// keyBlock returns the places in the key block. The middles of the powers in
// two registers stand as unpacking those two gives them.
func (k avxShape) keyBlock() keyBlock {
	blocks := k.turn / 16
	return keyBlock{size: k.end() + 8*blocks, end: k.end(), top: k.top(), middle: func(n int) (int, bool) {
		i := blocks - n
		pair, register, lane := i/(2*k.lanes), i/k.lanes%2, i%k.lanes
		return k.end() + 16*(k.lanes*pair+lane) + 8*register, n <= blocks
	}}
}

// avx is a session of a program.
type avx struct {
	*amd
	avxShape
	stack *region
	start map[ir.Reg]value.Value
	to    string // where the run has ended
	// stored is the part of the stack that the run must have stored to.
	stored [2]int
}

// newAvx makes a session at a label behind the entry, with EK0 and the length
// block on the stack.
func newAvx(p *ir.Program) *avx {
	k := avxShapeOf(p)
	e := &avx{amd: newAmd(p, k.keyBlock()), avxShape: k}
	b := append(append(Vec{}, e.ek0...), e.lens...)
	e.stack = e.mem.add("stack", append(b, e.s.Fresh("junk, return address, arguments", 8+8+4*8)...), true, false)
	e.unwritten(avxLens+16, avxFrame)
	e.sp = e.stack.base + avxFrame
	e.m.SetReg(amd64.RSP.Reg, e.stack.at(0))
	e.mem.whole = map[uint64]value.Value{}
	return e
}

// unwritten says that nothing has been stored yet to a part of the stack.
func (e *avx) unwritten(from, to int) {
	for i := from; i < to; i++ {
		e.stack.readable[i] = false
	}
}

// argument sets an argument on the stack: of nonce, its length, tag, its length.
func (e *avx) argument(n int, v value.Value) {
	e.mem.whole[e.stack.base+avxFrame+8+8*uint64(n)] = v
}

// run runs the program from a label until the next cut, which must be the label
// to, or the return.
func (e *avx) run(from, to string) error {
	e.m.MaxSteps = 10000
	e.start = map[ir.Reg]value.Value{}
	for r := range e.junk {
		e.start[r] = e.m.Reg(r)
	}
	bulk, _ := avxCut(e.p)
	e.upper = from != "" && e.lanes > 1 // what runs before may leave upper halves in use
	stop, err := e.session.run(from, bulk, "j0", "nonce_part", "nonce_last", "aad_part", "aad_last", "dispatch",
		"reduced", "short", "short_more", "short_fewer", "finish", "clear", "h", "powers")
	if err == nil && stop != to {
		err = orStop(nil, stop)
	}
	if err == nil && e.upper && e.lanes == 1 {
		err = fmt.Errorf("it writes more than 128 bits of a register")
	}
	e.to = stop
	return err
}

// frame checks the stack and the registers after a run: those wanted, and that
// all others but scratch are as before. Vector registers 0 to 9, 13 and 14, rax,
// r10, r11 and the flags are always scratch.
func (e *avx) frame(scratch []ir.Reg, want ...held) error {
	if err := e.wantAll(want...); err != nil {
		return err
	}
	if e.stack != nil {
		if err := e.stack.wantWritten(e.stored); err != nil {
			return err
		}
	}
	checked, free := map[ir.Reg]bool{}, map[ir.Reg]bool{}
	for _, w := range want {
		checked[w.r] = true
	}
	for _, r := range append(append(avxRegs(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14), amd64.RAX.Reg, amd64.R10.Reg, amd64.R11.Reg), scratch...) {
		free[r] = true
	}
	secret := map[ir.Reg]bool{amd64.R10.Reg: true, amd64.R11.Reg: true}
	secret[amd64.RAX.Reg] = !strings.HasPrefix(e.to, "short_") && e.to != "finish"
	for r, before := range e.start {
		switch have := e.m.Reg(r); {
		case checked[r], r.Bank == amd64.Flags, same(e.s, have, before):
		case !free[r]:
			return fmt.Errorf("%v changes: %s", r, e.difference(have, before))
		case r.Bank == amd64.GPR && !public(have) && !secret[r]:
			return fmt.Errorf("%v is left with something that may be secret at %s", r, e.to)
		}
	}
	return nil
}

// avxRegs returns vector registers by their numbers.
func avxRegs(ns ...int) (rs []ir.Reg) {
	for _, n := range ns {
		rs = append(rs, amd64.Z(n).Reg)
	}
	return rs
}

// avxSums are the registers of the sums: low, middle, high.
var avxSums = avxRegs(10, 11, 12)

func (e *avx) hold(hs ...held) {
	for _, h := range hs {
		e.m.SetReg(h.r, h.v)
	}
}

func gpr(what string, o ir.Operand, v value.Value) held { return held{what, o.Reg, v} }
func xmm(what string, n int, v value.Value) held        { return held{what, amd64.X(n).Reg, v} }

// kept wants a register to be as it was.
func (e *avx) kept(r ir.Reg) held { return held{"a register that should stay", r, e.start[r]} }

// vec returns a vector register, now or before the run, as far as the kernel
// uses it.
func (e *avx) vec(n int) Vec    { return e.s.bytes(e.m.Reg(amd64.Z(n).Reg))[:16*e.lanes] }
func (e *avx) before(n int) Vec { return e.s.bytes(e.start[amd64.Z(n).Reg])[:16*e.lanes] }

// element returns what GHASH has so far, any element, and its meaning.
func (e *avx) element() (held, poly) {
	x := e.s.Fresh("Xi", 16)
	y := poly{}
	e.s.addLinear(y, x)
	return xmm("Xi", 12, x), y
}

// wantXi checks what GHASH has so far; nothing else is in its register.
func (e *avx) wantXi(y poly) error {
	xi := e.s.bytes(e.m.Reg(amd64.Z(12).Reg))
	if !zero(xi[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	return e.wantElement("GHASH", xi[:16], y)
}

// counters is the register of the next counter blocks, from cb on.
func (e *avx) counters(cb block) held {
	var v Vec
	for i := range e.lanes {
		v = append(v, e.s.reverse(e.spec.inc(cb, i))...)
	}
	return xmm("counter blocks", 15, v)
}

// anyCounter returns a counter block of which nothing is known.
func (e *avx) anyCounter() block { return e.counterBlock(e.s.Fresh("counter", 4)) }

// powerAt is the address of H^k.
func (e *avx) powerAt(k int) held { return gpr("powers", amd64.R10, e.key.at(e.end()-16*k)) }

// moved wants the pointers behind n bytes of text.
func (e *avx) moved(n int) []held {
	return []held{gpr("output", amd64.RSI, e.out.at(n)), gpr("input", amd64.RDX, e.in.at(n))}
}

// An avxLeft is what is left of a part of the text in blocks, the last of which may
// be a partial one, and whether more is left behind the part.
type avxLeft struct {
	blocks int
	full   bool
	more   bool
}

func (l avxLeft) String() string {
	s := fmt.Sprintf("%d blocks of text", l.blocks)
	if !l.full {
		s += ", the last not full"
	}
	if l.more {
		s += ", more behind"
	}
	return s
}

// avxLefts lists what may be left, from low to high blocks. More is behind only
// where a whole turn has been taken in steps of four blocks.
func avxLefts(low, high int) (ls []avxLeft) {
	for n := low; n <= high; n++ {
		ls = append(ls, avxLeft{n, true, false})
		if n > 0 {
			ls = append(ls, avxLeft{n, false, false})
		}
		if n%4 == 0 {
			ls = append(ls, avxLeft{n, true, true})
		}
	}
	return ls
}

// whole is the number of full blocks.
func (l avxLeft) whole() int {
	if l.full {
		return l.blocks
	}
	return l.blocks - 1
}

// bytes returns the number of bytes, off more than at the beginning of a case.
func (l avxLeft) bytes(off int) value.Value {
	if l.full {
		return number(16*l.blocks + off)
	}
	return Count{Of: "part", Min: uint64(16*l.blocks - 15), Max: uint64(16*l.blocks - 1), Off: int64(off)}
}

// rest is the register of what is left behind the part.
func (l avxLeft) rest() held {
	if l.more {
		return gpr("rest", amd64.R9, Count{Of: "rest", Min: 1})
	}
	return gpr("rest", amd64.R9, number(0))
}

// power is the exponent for the next block.
func (l avxLeft) power() int {
	if l.more {
		return l.blocks
	}
	return l.blocks + 1
}

// avxDispatchCase: dispatch to short, with less text than a turn.
func avxDispatchCase(p *ir.Program) error {
	e := newAvx(p)
	e.hold(gpr("length", amd64.RCX, Count{Of: "text", Max: uint64(e.turn - 1)}))
	if err := e.run("dispatch", "short"); err != nil {
		return err
	}
	return e.frame(nil, gpr("rest", amd64.R9, number(0)), e.kept(amd64.R11.Reg))
}

// avxReduceCase: dispatch to reduced, with more text. A block that leads is
// multiplied by H.
func avxReduceCase(p *ir.Program, lead int) error {
	e := newAvx(p)
	xi, y := e.element()
	e.hold(xi, gpr("length", amd64.RCX, Count{Of: "text", Min: uint64(e.turn)}), gpr("bytes that lead", amd64.R11, number(16*lead)))
	if err := e.run("dispatch", "reduced"); err != nil {
		return err
	}
	if err := e.frame(avxSums, gpr("rest", amd64.R9, number(0)), gpr("bytes that lead", amd64.R11, number(0))); err != nil {
		return err
	}
	return e.wantXi(y.times(lead))
}

// avxAloneCase: reduced to short, for nonces of other sizes than 12.
func avxAloneCase(p *ir.Program, nonceLen Count, more bool) error {
	e := newAvx(p)
	e.argument(1, nonceLen)
	length, rest := number(e.turn), number(0)
	if more {
		n := Count{Of: "text", Min: uint64(e.turn + 1)}
		length, rest = n, Count{Of: n.Of, Min: n.Min, Off: int64(-e.turn)}
	}
	e.hold(gpr("length", amd64.RCX, length), gpr("bytes that lead", amd64.R11, number(0)))
	if err := e.run("reduced", "short"); err != nil {
		return err
	}
	return e.frame(nil, gpr("length", amd64.RCX, number(e.turn)), gpr("rest", amd64.R9, rest), e.kept(amd64.R11.Reg))
}

// avxLeadCase: short to short_more, which begins the sums.
func avxLeadCase(p *ir.Program, l avxLeft, lead int) error {
	e := newAvx(p)
	xi, y := e.element()
	e.hold(xi, gpr("length", amd64.RCX, l.bytes(0)), l.rest(), gpr("bytes that lead", amd64.R11, number(16*lead)))
	if err := e.run("short", "short_more"); err != nil {
		return err
	}
	if err := e.frame(avxSums, e.powerAt(l.power())); err != nil {
		return err
	}
	y = y.times(l.power() + lead)
	if !l.more {
		y.plus(e.s.step(poly{}, e.lens), 0)
	}
	return e.wantSums(e.vec(10), e.vec(11), e.vec(12), y)
}

// wantSums checks what sums mean, all lanes together.
func (e *avx) wantSums(low, mid, high Vec, y poly) error {
	all := func(v Vec) Vec {
		sum := v[:16]
		for at := 16; at < len(v); at += 16 {
			sum = e.spec.xor(sum, v[at:at+16])
		}
		return sum
	}
	return e.wantElement("sums of products", e.s.bytes(reduce128(e.s, all(low), all(mid), all(high))), y)
}

// avxBlocksCase: one turn of the loop at a label, which takes some blocks.
func avxBlocksCase(p *ir.Program, label string, l avxLeft, blocks int) error {
	e := newAvx(p)
	n := 16 * blocks
	text := e.text(n)
	cb := e.anyCounter()
	e.hold(gpr("length", amd64.RCX, l.bytes(0)), l.rest(), e.powerAt(l.power()), e.counters(cb))
	if err := e.run(label, label); err != nil {
		return err
	}
	done := e.spec.gctr(cb, text)
	if err := e.wantBytes(e.out, 0, done); err != nil {
		return err
	}
	if err := e.frame(avxSums, append(e.moved(n), gpr("length", amd64.RCX, l.bytes(-n)),
		e.powerAt(l.power()-blocks), e.counters(e.spec.inc(cb, blocks)))...); err != nil {
		return err
	}
	added := func(n int) Vec { return e.spec.xor(e.vec(n), e.before(n)) }
	return e.wantSums(added(10), added(11), added(12),
		e.spec.absorb(poly{}, e.ciphertext(text, done)).times(l.power()-blocks))
}

// avxFewerCase: short_more to short_fewer, with less than four blocks.
func avxFewerCase(p *ir.Program, l avxLeft) error {
	e := newAvx(p)
	e.hold(gpr("length", amd64.RCX, l.bytes(0)))
	if err := e.run("short_more", "short_fewer"); err != nil {
		return err
	}
	return e.frame(nil, e.kept(amd64.R10.Reg))
}

// avxLastCase: short_fewer to finish with the last bytes of the text, less than
// 16, or to dispatch with none where more is behind.
func avxLastCase(p *ir.Program, n int, more bool) error {
	l := avxLeft{blocks: (n + 15) / 16, more: more}
	e := newAvx(p)
	text := e.text(n)
	cb := e.anyCounter()
	e.hold(gpr("length", amd64.RCX, number(n)), l.rest(), e.powerAt(l.power()), e.counters(cb))
	y := poly{}
	var low, mid, high Vec
	for j := range e.lanes {
		x := e.s.anySum(fmt.Sprintf("sums of lane %d", j))
		low, mid, high = append(low, x.low...), append(mid, x.mid...), append(high, x.high...)
		y.add(monomial{x.meaning, 0})
	}
	e.hold(xmm("low", 10, low), xmm("middle", 11, mid), xmm("high", 12, high))
	to := "finish"
	if more {
		to = "dispatch"
	}
	if err := e.run("short_fewer", to); err != nil {
		return err
	}
	done := e.spec.gctr(cb, text)
	if err := e.wantBytes(e.out, 0, done); err != nil {
		return err
	}
	want := []held{gpr("output", amd64.RSI, e.out.at(n))}
	scratch := append([]ir.Reg{}, avxSums...)
	if more {
		want = append(want, gpr("length", amd64.RCX, l.rest().v), gpr("bytes that lead", amd64.R11, number(0)))
	} else if n > 0 {
		scratch = append(scratch, amd64.Z(15).Reg, amd64.RDX.Reg) // nothing follows
	}
	if err := e.frame(scratch, want...); err != nil {
		return err
	}
	y.plus(e.spec.absorb(poly{}, e.ciphertext(text, done)), 1) // one power for the length block
	return e.wantXi(y)
}

// atFinish sets the state at finish, or at a label behind it, and returns what
// the tag should be.
func (e *avx) atFinish(tagLen int, textLen value.Value) (xi Vec) {
	open := e.p.Contract.Op == "open"
	e.tag = e.mem.add("tag", e.s.Fresh("tag", tagLen), !open, !open)
	e.argument(2, e.tag.at(0))
	e.argument(3, number(tagLen))
	copy(e.stack.bytes[avxLens:], e.s.bytes(e.bits(textLen)))
	xi = e.s.Fresh("Xi", 16)
	e.hold(xmm("Xi", 12, xi))
	return xi
}

// returned checks a return: nothing but what the convention lets change has
// changed, no vector register holds anything, and EK0 is wiped.
func (e *avx) returned(want ...held) error {
	if e.upper {
		return fmt.Errorf("it returns without vzeroupper")
	}
	for n := range 16 {
		want = append(want, xmm("wiped", n, e.s.Const(512)))
	}
	want = append(want, gpr("stack pointer", amd64.RSP, Pointer(e.sp)))
	if e.stack != nil { // there is none in init
		e.stored = [2]int{0, 16}
		if err := e.wantBytes(e.stack, 0, make(Vec, 16)); err != nil {
			return err
		}
	}
	return e.frame([]ir.Reg{amd64.RCX.Reg, amd64.RSI.Reg}, want...)
}

// avxSealFinishCase: finish to the return, sealing.
func avxSealFinishCase(p *ir.Program, tagLen int) error {
	e := newAvx(p)
	xi := e.atFinish(tagLen, e.s.Fresh("bytes of text", 8))
	if err := e.run("finish", ""); err != nil {
		return err
	}
	if err := e.wantBytes(e.tag, 0, e.spec.xor(e.s.reverse(xi), e.ek0)[:tagLen]); err != nil {
		return err
	}
	return e.returned(e.kept(amd64.RAX.Reg), gpr("tag length", amd64.R10, number(tagLen)), gpr("wiped", amd64.R11, number(0)))
}

// avxRightCase: finish to the return, opening, with the right tag.
func avxRightCase(p *ir.Program, tagLen int) error {
	e := newAvx(p)
	xi := e.atFinish(tagLen, Count{Of: "text"})
	e.answers = []bool{true}
	if err := e.run("finish", ""); err != nil {
		return err
	}
	if err := e.wantCompared(xi, tagLen); err != nil {
		return err
	}
	return e.returned(gpr("result", amd64.RAX, number(1)), gpr("tag length", amd64.R10, number(tagLen)), gpr("wiped", amd64.R11, number(0)))
}

// avxWrongCase: finish to the return, opening n bytes, less than 16, with a wrong
// tag.
func avxWrongCase(p *ir.Program, tagLen, n int) error {
	e := newAvx(p)
	e.text(n)
	xi := e.atFinish(tagLen, number(n))
	e.hold(gpr("end of the output", amd64.RSI, e.out.at(n)))
	e.answers = []bool{false}
	if err := e.run("finish", ""); err != nil {
		return err
	}
	if err := e.wantCompared(xi, tagLen); err != nil {
		return err
	}
	return e.cleared(n, gpr("tag length", amd64.R10, number(tagLen)))
}

// cleared checks a return behind n bytes that have been cleared.
func (e *avx) cleared(n int, want ...held) error {
	if err := e.wantBytes(e.out, 0, make(Vec, n)); err != nil {
		return err
	}
	return e.returned(append(want, gpr("result", amd64.RAX, number(0)), gpr("wiped", amd64.R11, number(0)))...)
}

// avxToClearCase: finish to clear, with a wrong tag.
func avxToClearCase(p *ir.Program, tagLen int) error {
	e := newAvx(p)
	n := Count{Of: "text", Min: 16}
	xi := e.atFinish(tagLen, n)
	end := e.s.Fresh("end of the output", 8)
	e.hold(gpr("end of the output", amd64.RSI, end))
	e.answers = []bool{false}
	if err := e.run("finish", "clear"); err != nil {
		return err
	}
	if err := e.wantCompared(xi, tagLen); err != nil {
		return err
	}
	return e.frame(nil, gpr("length", amd64.RCX, n), gpr("output", amd64.RSI, value.Sub(e.s, end, n)), xmm("zeros", 0, e.s.Const(512)),
		gpr("tag length", amd64.R10, number(tagLen)))
}

// avxClearCase: clear to itself, or to the return with n bytes left, 16 to 31.
func avxClearCase(p *ir.Program, n int) error {
	e := newAvx(p)
	to, left := "", number(n)
	if n == 0 {
		to, left, n = "clear", Count{Of: "text", Min: 32}, 16
	}
	e.text(n)
	e.hold(gpr("length", amd64.RCX, left), xmm("zeros", 0, e.s.Const(512)))
	if err := e.run("clear", to); err != nil {
		return err
	}
	if to == "" {
		return e.cleared(n, e.kept(amd64.R10.Reg))
	}
	if err := e.wantBytes(e.out, 0, make(Vec, 16)); err != nil {
		return err
	}
	return e.frame(nil, gpr("length", amd64.RCX, Count{Of: "text", Min: 32, Off: -16}), gpr("output", amd64.RSI, e.out.at(16)),
		e.kept(amd64.Z(0).Reg), e.kept(amd64.R10.Reg))
}
