// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of vaes-avx512. The program is cut at labels. For each cut a state
// is written down once, in a function that sets it: a part of the program that
// begins there is run from that state, with opaque values wherever any value
// may stand, and a part that ends there is checked to reach an instance of it.
//
//	entry ─> brief_text ─> brief_finish        brief messages
//	entry ─> j0 ─> dispatch ─> finish          other messages of up to 1072 bytes
//	              dispatch ─> bulk loop: one turn from any turn; its end
//	              short ─> finish              what the loop leaves
//	              dispatch ─> dispatch         64 blocks, other nonces
//	entry ─> nonce_part ─> j0, j0 ─> aad_part ─> dispatch: long nonces, long AAD
//	finish ─> return, for every tag size

const (
	vaesTop  = 72
	vaesEnd  = powersAt + 16*vaesTop
	vaesLeft = 1072 // most bytes that the short path takes
	vaesRun  = 1024 // bytes of a turn
)

var vaesKeyBlock = keyBlock{size: 1536, end: vaesEnd, top: vaesTop,
	middle: func(n int) (int, bool) { return vaesEnd + 2*(64-n), n <= 64 && n%4 == 0 }}

// vaes is a session of a program of vaes-avx512.
type vaes struct {
	*amd
	theirs int // vector registers from here on are as the caller left them
}

func newVaes(p *ir.Program) *vaes { return &vaes{newAmd(p, vaesKeyBlock), amd64.Vec.Count} }

// arguments puts the stack arguments into memory: what the ABI passes behind
// the first six. Of nonce and tag, what the case does not need may be nil.
func (v *vaes) arguments(nonce value.Value, nonceLen value.Value, tag *region, tagLen int) {
	stack := v.mem.add("stack", v.s.Fresh("return address and arguments", 40), false, false)
	v.mem.whole = map[uint64]value.Value{stack.base + 16: nonceLen, stack.base + 32: number(tagLen)}
	if nonce != nil {
		v.mem.whole[stack.base+8] = nonce
	}
	if tag != nil {
		v.mem.whole[stack.base+24] = tag.at(0)
	}
	v.sp = stack.base
	v.m.SetReg(amd64.RSP.Reg, Pointer(v.sp))
}

// run runs a part and, where it ends at a label, checks what is true at every
// label: preserved registers and the stack pointer are as before. So are the
// registers that may still hold what they do now when the program returns, or
// they hold something public: those of the arguments, and masks.
func (v *vaes) run(from string, stops ...string) (string, error) {
	call := v.p.ISA.Call
	v.upper = v.upper || from != "" // what runs before may leave upper halves in use
	start := map[ir.Reg]value.Value{}
	for r := range v.junk {
		start[r] = v.m.Reg(r)
	}
	stop, err := v.session.run(from, stops...)
	if err != nil || stop == "" {
		return stop, err
	}
	for r, before := range start {
		have := v.m.Reg(r)
		if same(v.s, have, before) {
			continue
		}
		if r == call.SP || call.Preserved(r) {
			return "", fmt.Errorf("%v is not the same at %s", r, stop)
		}
		if lasts := slices.Contains(call.Args, r) || r.Bank == amd64.Mask; lasts && !public(have) &&
			!(stop == "clear" && r == amd64.RSI.Reg) { // where it is checked
			return "", fmt.Errorf("%v may hold a secret at %s", r, stop)
		}
	}
	return stop, nil
}

// returned checks also that no scratch register, and no vector register that is
// not the caller's, holds what it held where the part began: that may be a secret.
func (v *vaes) returned() error {
	for n := range v.theirs {
		if r := amd64.Z(n).Reg; !known(v.m.Reg(r)) {
			return fmt.Errorf("register %v is left with something unknown", r)
		}
	}
	for _, r := range []ir.Reg{amd64.RAX.Reg, amd64.R10.Reg, amd64.R11.Reg} {
		if v.p.Contract.Op != "init" && !known(v.m.Reg(r)) {
			return fmt.Errorf("register %v is left with something unknown", r)
		}
	}
	return v.session.returned()
}

// vaesConstants are the registers that hold constants from the beginning on.
var vaesConstants = func() []held {
	var bswap, poly [16]byte
	for i := range bswap {
		bswap[i] = byte(15 - i)
	}
	poly[0], poly[15] = 1, 0xc2
	return []held{
		{"constant bswap", amd64.Z(31).Reg, value.FromBytes(four(bswap))},
		{"constant poly", amd64.Z(23).Reg, value.FromBytes(four(poly))},
	}
}()

// constants sets the registers that hold constants.
func (v *vaes) constants() {
	for _, h := range vaesConstants {
		v.m.SetReg(h.r, h.v)
	}
}

func (v *vaes) wantConstants() error { return v.wantAll(vaesConstants...) }

func four(b [16]byte) (out []byte) {
	for range 4 {
		out = append(out, b[:]...)
	}
	return out
}

// fourVec repeats 16 bytes four times.
func fourVec(b Vec) (out Vec) {
	for range 4 {
		out = append(out, b...)
	}
	return out
}

// lanes returns opaque elements, one a lane, zero from n on, and what they
// mean where lane j counts as H^(top-j).
func (v *vaes) leading(n, top int) (Vec, poly) {
	z, y := make(Vec, 64), poly{}
	for j := range n {
		x := v.s.Fresh(fmt.Sprintf("Xi of lane %d", j), 16)
		copy(z[16*j:], x)
		y.add(monomial{element{x[0].t[0].atom(), identity}, top - j})
	}
	return z, y
}

// atDispatch sets the state at the label dispatch. Without blocks that lead, Xi is
// zero or, with a nonce of other than 12 bytes, that of the part before.
func (v *vaes) atDispatch(left value.Value, lead int, cb block, xi Vec) {
	v.constants()
	v.m.SetReg(amd64.RCX.Reg, left)
	v.number(amd64.R9.Reg, 0)
	v.number(amd64.R11.Reg, uint64(16*lead))
	v.m.SetReg(amd64.Z(27).Reg, simplify(xi))
	v.m.SetReg(amd64.Z(28).Reg, v.lens)
	v.m.SetReg(amd64.Z(29).Reg, v.ek0)
	v.m.SetReg(amd64.Z(30).Reg, simplify(fourVec(v.s.reverse(cb))))
}

// wantKept checks the registers that no part between dispatch and finish
// changes.
func (v *vaes) wantKept() error {
	for _, w := range []struct {
		what string
		r    ir.Reg
		v    value.Value
	}{
		{"length block", amd64.Z(28).Reg, v.lens},
		{"EK0", amd64.Z(29).Reg, v.ek0},
		{"key block", amd64.RDI.Reg, v.key.at(0)},
	} {
		if err := v.want(w.what, w.r, w.v); err != nil {
			return err
		}
	}
	return v.wantConstants()
}

// wantFinish checks an instance of the state at finish: the text from at on is
// processed, and GHASH of everything is in the lowest lane.
func (v *vaes) wantFinish(at int, processed Vec, y poly) error {
	if err := v.wantKept(); err != nil {
		return err
	}
	if err := v.wantBytes(v.out, at, processed); err != nil {
		return err
	}
	if err := v.want("end of the output", amd64.RSI.Reg, v.out.at(at+len(processed))); err != nil {
		return err
	}
	xi := v.s.bytes(v.m.Reg(amd64.Z(27).Reg))
	if !zero(xi[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	return v.wantElement("GHASH", xi[:16], y)
}

// vaesLeadCase: to short_counter with some blocks of text, the last of them full
// or partial, from dispatch behind lead blocks of AAD, or from short behind
// the bulk loop, whose four lanes lead as many blocks do.
func vaesLeadCase(p *ir.Program, texts int, full bool, lead int, bulk bool) error {
	v := newVaes(p)
	v.text(0)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	cb := v.counterBlock(v.s.Fresh("counter", 4))
	from := "dispatch"
	if bulk {
		from = "short"
	}
	xi, y := v.leading(max(lead, 1), lead)
	n := number(16 * texts)
	if !full {
		n = Count{Min: uint64(16*texts - 15), Max: uint64(16*texts - 1)}
	}
	v.atDispatch(n, lead, cb, xi)
	if stop, err := v.run(from, "short_counter"); err != nil || stop != "short_counter" {
		return orStop(err, stop)
	}
	blocks := texts + 1
	want := poly{}
	want.plus(v.s.step(poly{}, v.lens), 0)
	want.plus(y, blocks)
	low, mid, high := v.s.bytes(v.m.Reg(amd64.Z(24).Reg)), v.s.bytes(v.m.Reg(amd64.Z(25).Reg)), v.s.bytes(v.m.Reg(amd64.Z(26).Reg))
	have := poly{}
	for j := 0; j < 64; j += 16 {
		lane, err := v.s.polynomial(v.s.bytes(reduce128(v.s, low[j:j+16], mid[j:j+16], high[j:j+16])))
		if err != nil {
			return err
		}
		have.plus(lane, 0)
	}
	if !have.equal(want) {
		return fmt.Errorf("sums: %s", v.s.firstDifference(have, want))
	}
	if err := v.wantKept(); err != nil {
		return err
	}
	return v.wantAll(v.atShortCounter(n, texts, cb)...)
}

// atShortCounter lists what holds at short_counter besides constants and sums.
func (v *vaes) atShortCounter(n value.Value, texts int, cb block) []held {
	blocks := texts + 1
	return []held{
		{"length", amd64.RCX.Reg, n},
		{"output", amd64.RSI.Reg, v.out.at(0)},
		{"input", amd64.RDX.Reg, v.in.at(0)},
		{"rest", amd64.R9.Reg, value.FromUint64(0)},
		{"powers", amd64.R10.Reg, v.key.at(vaesEnd - 16*blocks)},
		{"counter block", amd64.Z(30).Reg, simplify(fourVec(v.s.reverse(cb)))},
	}
}

// vaesShortCase: short_counter to finish with n bytes of text and any sums.
func vaesShortCase(p *ir.Program, n int) error {
	v := newVaes(p)
	text := v.text(n)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	cb := v.counterBlock(v.s.Fresh("counter", 4))
	v.atDispatch(value.FromUint64(uint64(n)), 0, cb, make(Vec, 64))
	for _, z := range []int{11, 27} { // neither leads any more
		v.m.SetReg(amd64.R64(z&15).Reg, v.junk[amd64.R64(z&15).Reg])
	}
	for _, h := range v.atShortCounter(number(n), (n+15)/16, cb) {
		v.m.SetReg(h.r, h.v)
	}
	y := poly{}
	var low, mid, high Vec
	for j := range 4 {
		x := v.s.anySum(fmt.Sprintf("sums of lane %d", j))
		low, mid, high = append(low, x.low...), append(mid, x.mid...), append(high, x.high...)
		y.add(monomial{x.meaning, 0})
	}
	v.m.SetReg(amd64.Z(24).Reg, low)
	v.m.SetReg(amd64.Z(25).Reg, mid)
	v.m.SetReg(amd64.Z(26).Reg, high)
	if stop, err := v.run("short_counter", "finish"); err != nil || stop != "finish" {
		return orStop(err, stop)
	}
	done := v.spec.gctr(cb, text)
	y.plus(v.spec.absorb(poly{}, v.ciphertext(text, done)), 1) // one power for the length block
	return v.wantFinish(0, done, y)
}

// vaesPartCase: dispatch to itself, 64 blocks alone behind lead blocks of AAD or a
// part before, for nonces of other sizes than 12.
func vaesPartCase(p *ir.Program, nonceLen value.Value, lead int) error {
	v := newVaes(p)
	text := v.text(vaesRun)
	v.arguments(nil, nonceLen, nil, 16)
	cb := v.counterBlock(v.s.Fresh("counter", 4))
	xi, y := v.leading(max(lead, 1), lead)
	left := Count{Min: vaesLeft + 1}
	v.atDispatch(left, lead, cb, xi)
	if stop, err := v.run("dispatch", "dispatch"); err != nil || stop != "dispatch" {
		return orStop(err, stop)
	}
	done := v.spec.gctr(cb, text)
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	if err := v.wantKept(); err != nil {
		return err
	}
	left.Off = -vaesRun
	if err := v.wantAll(
		held{"length", amd64.RCX.Reg, left},
		held{"output", amd64.RSI.Reg, v.out.at(vaesRun)},
		held{"input", amd64.RDX.Reg, v.in.at(vaesRun)},
		held{"leading bytes", amd64.R11.Reg, value.FromUint64(0)},
		held{"counter block", amd64.Z(30).Reg, simplify(fourVec(v.s.reverse(v.spec.inc(cb, 64))))}); err != nil {
		return err
	}
	z := v.s.bytes(v.m.Reg(amd64.Z(27).Reg))
	if !zero(z[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	return v.wantElement("GHASH", z[:16], v.spec.absorb(y, v.ciphertext(text, done)))
}

// wantShort checks an instance of the state at short behind the bulk loop.
func (v *vaes) wantShort(left value.Value, cb block, done Vec, y poly) error {
	if err := v.wantKept(); err != nil {
		return err
	}
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	if err := v.wantLanes(y); err != nil {
		return err
	}
	return v.wantAll(
		held{"length", amd64.RCX.Reg, left},
		held{"output", amd64.RSI.Reg, v.out.at(len(done))},
		held{"input", amd64.RDX.Reg, v.in.at(len(done))},
		held{"rest", amd64.R9.Reg, value.FromUint64(0)},
		held{"leading bytes", amd64.R11.Reg, value.FromUint64(64)},
		held{"counter block", amd64.Z(30).Reg, simplify(fourVec(v.s.reverse(cb)))})
}

// wantLanes checks that the lanes of Xi together mean y, lane j as H^(4-j).
func (v *vaes) wantLanes(y poly) error {
	have, err := v.lanes(4)
	if err != nil {
		return err
	}
	if !have.equal(y) {
		return fmt.Errorf("GHASH: %s", v.s.firstDifference(have, y))
	}
	return nil
}

// lanes returns what the lanes of Xi together mean, lane j as H^(top-j).
func (v *vaes) lanes(top int) (poly, error) {
	y, xi := poly{}, v.s.bytes(v.m.Reg(amd64.Z(27).Reg))
	for j := range 4 {
		p, err := v.s.polynomial(xi[16*j : 16*j+16])
		if err != nil {
			return nil, err
		}
		y.plus(p, top-j)
	}
	return y, nil
}

// vaesCut is where the bulk loop is cut: where nothing but the lanes of Xi is
// pending. Sealing, that is amid a turn, whose first half is written but not
// yet hashed.
func vaesCut(p *ir.Program) (label string, written int) {
	if !p.Contract.Opens() {
		return "bulk_half", vaesRun / 2
	}
	return "bulk_turn", 0
}

// inTurn lists what is held at the cut in a turn whose blocks have counters from 2
// behind word on.
func (v *vaes) inTurn(cb block, word value.Value) []held {
	return []held{
		{"base of the counters", amd64.Z(22).Reg, fourVec(v.spec.xor(counterBlock(v.s, cb, word), v.spec.keys[0]))},
		{"counter", amd64.RAX.Reg, value.Extend(v.s, word, 64)},
		{"counter table", amd64.R8.Reg, value.FromUint64(v.m.Symbols["counters"])},
		{"mask", amd64.K(6).Reg, value.FromUint64(0xf0)},
		{"mask", amd64.K(7).Reg, value.FromUint64(0x8888)},
	}
}

// wantBulk checks an instance of the state at the cut in the turn with this
// counter, behind at bytes of text, where y is GHASH of what is before the turn.
func (v *vaes) wantBulk(left value.Value, cb block, word value.Value, y poly, at int) error {
	if err := v.wantKept(); err != nil {
		return err
	}
	if err := v.wantAll(append(v.inTurn(cb, word),
		held{"length", amd64.RCX.Reg, left},
		held{"output", amd64.RSI.Reg, v.out.at(at)},
		held{"input", amd64.RDX.Reg, v.in.at(at)},
		held{"rest", amd64.R9.Reg, value.FromUint64(0)},
		held{"counter block", amd64.Z(30).Reg, simplify(fourVec(v.s.reverse(cb)))})...); err != nil {
		return err
	}
	return v.wantLanes(y)
}

// vaesEnterCase: dispatch to the cut in the first turn, behind lead blocks of AAD.
func vaesEnterCase(p *ir.Program, lead int) error {
	label, written := vaesCut(p)
	v := newVaes(p)
	text := v.text(written)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	cb := v.counterBlock(v.s.Const(32, 2))
	xi, y := v.leading(lead, lead)
	left := Count{Min: vaesLeft + 1}
	v.atDispatch(left, lead, cb, xi)
	if stop, err := v.run("dispatch", label); err != nil || stop != label {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.out, 0, v.spec.gctr(cb, text)); err != nil {
		return err
	}
	return v.wantBulk(left, cb, v.s.Const(32, 0), y, 0)
}

// bulk sets up a session at the cut in any turn, with n bytes of text from the
// beginning of the turn on. It returns what the text becomes, and GHASH before the
// turn.
func (v *vaes) bulk(left value.Value, n int) (cb block, word Vec, text, done Vec, y poly) {
	text = v.text(n)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	cb = v.counterBlock(v.s.Const(32, 2))
	word = v.aligned(6)
	xi, y := v.leading(4, 4)
	v.atDispatch(left, 0, cb, xi)
	v.m.SetReg(amd64.R11.Reg, v.junk[amd64.R11.Reg])
	v.set(v.inTurn(cb, word)...)
	return cb, word, text, v.amidTurn(v.firstOf(cb, word), text), y
}

// firstOf returns the first counter block of a turn: that of a text, with the
// counter 2 behind word.
func (v *vaes) firstOf(cb block, word value.Value) block {
	return counterBlock(v.s, cb, v.s.Add(word, v.s.Const(32, 2)))
}

// amidTurn returns what text becomes, from the beginning of a turn on, of which
// the program has written as much as it has at the cut. That is ciphertext, and
// may be anything.
func (v *vaes) amidTurn(cb block, text Vec) (done Vec) {
	_, written := vaesCut(v.p)
	done = v.spec.gctr(cb, text)
	half := v.s.Fresh("ciphertext", written)
	copy(v.out.bytes, half)
	copy(done, half)
	for i := range written {
		v.out.readable[i], v.out.written[i] = true, true
	}
	return done
}

// vaesTurnCase: from the cut in any turn to the cut in the next.
func vaesTurnCase(p *ir.Program) error {
	label, written := vaesCut(p)
	v := newVaes(p)
	left := Count{Min: 2 * vaesRun}
	cb, word, text, done, y := v.bulk(left, vaesRun+written)
	if stop, err := v.run(label, label); err != nil || stop != label {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	left.Off = -vaesRun
	return v.wantBulk(left, cb, v.s.Add(word, v.s.Const(32, 64)),
		v.spec.absorb(y, v.ciphertext(text, done)[:vaesRun]), vaesRun)
}

// vaesLastTurnCase: from the cut in the last turn to short.
func vaesLastTurnCase(p *ir.Program) error {
	label, _ := vaesCut(p)
	v := newVaes(p)
	left := Count{Min: vaesRun, Max: 2*vaesRun - 1}
	cb, word, text, done, y := v.bulk(left, vaesRun)
	if stop, err := v.run(label, "short"); err != nil || stop != "short" {
		return orStop(err, stop)
	}
	left.Off = -vaesRun
	return v.wantShort(left, v.firstOf(cb, v.s.Add(word, v.s.Const(32, 64))), done, v.spec.absorb(y, v.ciphertext(text, done)))
}

// vaesSealFinishCase: finish to the return, sealing, for a size of tag.
func vaesSealFinishCase(p *ir.Program, tagLen int) error {
	v := newVaes(p)
	v.text(0)
	xi := v.atFinish(tagLen, value.FromUint64(0))
	if stop, err := v.run("finish"); err != nil || stop != "" {
		return orStop(err, stop)
	}
	want := v.s.bytes(v.s.Xor(v.s.reverse(xi), v.ek0))
	if err := v.wantBytes(v.tag, 0, want[:tagLen]); err != nil {
		return err
	}
	return v.returned()
}

// atFinish sets the state at finish behind n bytes of text, but for the end of
// the output.
func (v *vaes) atFinish(tagLen int, n value.Value) (xi Vec) {
	open := v.p.Contract.Op == "open"
	v.tag = v.mem.add("tag", v.s.Fresh("tag", tagLen), !open, !open)
	v.arguments(nil, value.FromUint64(12), v.tag, tagLen)
	v.constants()
	xi = v.s.Fresh("Xi", 16)
	v.m.SetReg(amd64.Z(27).Reg, xi)
	v.m.SetReg(amd64.Z(28).Reg, v.s.Concat(value.Shl(v.s, n, 3), v.s.Fresh("AAD bits", 8)))
	v.m.SetReg(amd64.Z(29).Reg, v.ek0)
	return xi
}

// vaesOpenFinishCase: finish to the return, opening n bytes. The only branch on
// a secret is on whether the whole difference of the tags is zero.
func vaesOpenFinishCase(p *ir.Program, tagLen, n int, right bool) error {
	v := newVaes(p)
	v.text(n)
	xi := v.atFinish(tagLen, value.FromUint64(uint64(n)))
	v.m.SetReg(amd64.RSI.Reg, v.out.at(n))
	return v.opened(xi, "finish", tagLen, n, right)
}

// opened goes on from where n bytes are opened and the tag is yet to be compared,
// with one that is right or wrong.
func (v *vaes) opened(xi Vec, from string, tagLen, n int, right bool) error {
	v.answers = []bool{right}
	if stop, err := v.run(from); err != nil || stop != "" {
		return orStop(err, stop)
	}
	if err := v.wantCompared(xi, tagLen); err != nil {
		return err
	}
	if !right {
		if err := v.wantBytes(v.out, 0, make(Vec, n)); err != nil {
			return err
		}
	} else if err := v.out.wantWritten(); err != nil {
		return fmt.Errorf("a right tag: %w", err)
	}
	result := uint64(0)
	if right {
		result = 1
	}
	if err := v.wantNumber("result", amd64.RAX.Reg, result); err != nil {
		return err
	}
	return v.returned()
}

// vaesToClearCase: finish to the loop that clears the output, after a wrong tag.
func vaesToClearCase(p *ir.Program) error {
	v := newVaes(p)
	v.text(0)
	left := Count{Of: "text", Min: 64}
	xi := v.atFinish(16, left)
	end := v.s.Fresh("end of the output", 8)
	v.m.SetReg(amd64.RSI.Reg, end)
	v.answers = []bool{false}
	if stop, err := v.run("finish", "clear"); err != nil || stop != "clear" {
		return orStop(err, stop)
	}
	if err := v.wantCompared(xi, 16); err != nil {
		return err
	}
	return v.wantAll(
		held{"length", amd64.RCX.Reg, left},
		held{"output", amd64.RSI.Reg, value.Sub(v.s, end, left)},
		held{"zeros", amd64.Z(16).Reg, v.s.Const(512)})
}

// vaesClearCase: one turn of the loop that clears the output.
func vaesClearCase(p *ir.Program) error {
	v := newVaes(p)
	v.text(64)
	v.m.SetReg(amd64.Z(16).Reg, v.s.Const(512))
	left := Count{Min: 128}
	v.m.SetReg(amd64.RCX.Reg, left)
	if stop, err := v.run("clear", "clear"); err != nil || stop != "clear" {
		return orStop(err, stop)
	}
	left.Off = -64
	if err := v.want("length", amd64.RCX.Reg, left); err != nil {
		return err
	}
	if err := v.want("output", amd64.RSI.Reg, v.out.at(64)); err != nil {
		return err
	}
	if err := v.want("zeros", amd64.Z(16).Reg, v.s.Const(512)); err != nil {
		return err
	}
	return v.wantBytes(v.out, 0, make(Vec, 64))
}
