// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The path of vaes-avx512 for brief messages is cut three times:
//
//	entry ─> brief          J0 and the length block
//	brief ─> brief_text     the products of AAD and length block
//	brief_text ─> brief_finish ─> return
//
// It touches the first registers alone: at every cut the others still hold what
// the caller left there, and may do so at the return.
const (
	briefTextMax   = 256
	briefAADMax    = 16
	briefRegisters = 16
)

// newBrief makes a session of a part of the brief path, with n bytes of text and
// the first counter block of the text.
func newBrief(p *ir.Program, n int) (v *vaes, text Vec, cb block) {
	v = newVaes(p)
	text = v.text(n)
	v.theirs = briefRegisters
	cb = v.counterBlock(v.s.Const(32, 2))
	v.ek0 = v.spec.cipher(v.spec.inc(cb, -1))
	return v, text, cb
}

// wantTheirs checks that the caller's registers are as they were.
func (v *vaes) wantTheirs() error {
	for n := v.theirs; n < amd64.Vec.Count; n++ {
		if r := amd64.Z(n).Reg; !same(v.s, v.m.Reg(r), v.junk[r]) {
			return fmt.Errorf("register %v changes", r)
		}
	}
	return nil
}

// atBrief lists what holds at brief and at brief_text, with n bytes of text.
func (v *vaes) atBrief(n value.Value, cb block) []held {
	nonce := append(append(Vec{}, cb[:12]...), make(Vec, 4)...)
	return []held{
		{"key block", amd64.RDI.Reg, v.key.at(0)},
		{"output", amd64.RSI.Reg, v.out.at(0)},
		{"input", amd64.RDX.Reg, v.in.at(0)},
		{"length", amd64.RCX.Reg, n},
		{"J0 xor round key 0", amd64.Z(4).Reg, v.spec.xor(v.spec.inc(cb, -1), v.spec.keys[0])},
		{"nonce xor round key 0", amd64.Z(5).Reg, v.spec.xor(nonce, v.spec.keys[0])},
	}
}

// atBriefAAD lists what holds at brief besides.
func (v *vaes) atBriefAAD(aad Pointer, aadLen value.Value) []held {
	return []held{
		{"AAD", amd64.R8.Reg, aad},
		{"AAD length", amd64.R9.Reg, aadLen},
		{"length block", amd64.Z(10).Reg, simplify(v.lens)},
	}
}

// atBriefText lists what holds at brief_text besides, for some blocks of text.
func (v *vaes) atBriefText(blocks int) []held {
	return []held{{"powers", amd64.R10.Reg, v.key.at(vaesEnd - 16*(blocks+1))}}
}

// set sets registers; bits above those given are zero.
func (v *vaes) set(hs ...held) {
	for _, h := range hs {
		v.m.SetReg(h.r, value.Extend(v.s, h.v, h.r.Bank.Width))
	}
}

// vaesBriefEntryCase: entry to brief.
func vaesBriefEntryCase(p *ir.Program, n, aadLen value.Value) error {
	if err := endbr(p); err != nil {
		return err
	}
	v, _, cb := newBrief(p, 0)
	aad := Pointer(0x1234)
	v.set(held{"length", amd64.RCX.Reg, n}, held{"AAD", amd64.R8.Reg, aad}, held{"AAD length", amd64.R9.Reg, aadLen})
	v.arguments(v.mem.add("nonce", cb[:12], false, false).at(0), value.FromUint64(12), nil, 16)
	v.lens = v.s.bytes(v.s.Concat(v.bits(n), v.bits(aadLen)))
	if stop, err := v.run("", "brief"); err != nil || stop != "brief" {
		return orStop(err, stop)
	}
	if err := v.wantTheirs(); err != nil {
		return err
	}
	return v.wantAll(append(v.atBrief(n, cb), v.atBriefAAD(aad, aadLen)...)...)
}

// vaesBriefCase: brief to brief_text, for a number of bytes of AAD and some blocks
// of text, the last of them full or partial.
func vaesBriefCase(p *ir.Program, aadLen, blocks int, full bool) error {
	v, _, cb := newBrief(p, 0)
	n := number(16 * blocks)
	if !full {
		n = Count{Min: uint64(16*blocks - 15), Max: uint64(16*blocks - 1)}
	}
	aad := v.s.Fresh("AAD", aadLen)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	v.set(v.atBrief(n, cb)...)
	v.set(v.atBriefAAD(v.mem.add("AAD", aad, false, false).at(0), number(aadLen))...)
	if stop, err := v.run("brief", "brief_text"); err != nil || stop != "brief_text" {
		return orStop(err, stop)
	}
	want := v.spec.absorb(poly{}, aad).times(blocks + 1)
	want.plus(v.s.step(poly{}, v.lens), 0)
	var sums [3]Vec
	for i := range sums {
		sums[i] = v.s.bytes(v.m.Reg(amd64.Z(7 + i).Reg))
		if !zero(sums[i][32:]) {
			return fmt.Errorf("upper lanes of the sums are not zero")
		}
	}
	have := poly{}
	for j := 0; j < 32; j += 16 {
		lane, err := v.s.polynomial(v.s.bytes(reduce128(v.s, sums[0][j:j+16], sums[1][j:j+16], sums[2][j:j+16])))
		if err != nil {
			return err
		}
		have.plus(lane, 0)
	}
	if !have.equal(want) {
		return fmt.Errorf("sums: %s", v.s.firstDifference(have, want))
	}
	if err := v.wantTheirs(); err != nil {
		return err
	}
	return v.wantAll(append(v.atBrief(n, cb), v.atBriefText(blocks)...)...)
}

// vaesBriefTextCase: brief_text to brief_finish with n bytes of text and any sums.
func vaesBriefTextCase(p *ir.Program, n int) error {
	v, text, cb := newBrief(p, n)
	v.arguments(nil, value.FromUint64(12), nil, 16)
	v.set(append(v.atBrief(number(n), cb), v.atBriefText((n+15)/16)...)...)
	y := poly{}
	var sums [3]Vec
	for j := range 2 {
		x := v.s.anySum(fmt.Sprintf("sums of lane %d", j))
		for i, part := range []Vec{x.low, x.mid, x.high} {
			sums[i] = append(sums[i], part...)
		}
		y.add(monomial{x.meaning, 0})
	}
	for i, sum := range sums {
		v.set(held{"sum", amd64.Z(7 + i).Reg, sum})
	}
	if stop, err := v.run("brief_text", "brief_finish"); err != nil || stop != "brief_finish" {
		return orStop(err, stop)
	}
	done := v.spec.gctr(cb, text)
	if err := v.wantBytes(v.out, 0, done); err != nil {
		return err
	}
	xi := v.s.bytes(v.m.Reg(amd64.Z(9).Reg))
	if !zero(xi[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	y.plus(v.spec.absorb(poly{}, v.ciphertext(text, done)), 1) // one power for the length block
	if err := v.wantElement("GHASH", xi[:16], y); err != nil {
		return err
	}
	if err := v.wantTheirs(); err != nil {
		return err
	}
	return v.wantAll(
		held{"EK0", amd64.Z(4).Reg, v.ek0},
		held{"output", amd64.RSI.Reg, v.out.at(0)},
		held{"length", amd64.RCX.Reg, number(n)})
}

// atBriefFinish sets the state at brief_finish behind n bytes of text. It returns
// what is the tag.
func atBriefFinish(p *ir.Program, tagLen, n int) (v *vaes, tag Vec, xi Vec) {
	v, _, _ = newBrief(p, n)
	seal := p.Contract.Op == "seal"
	v.tag = v.mem.add("tag", v.s.Fresh("tag", tagLen), seal, seal)
	v.arguments(nil, value.FromUint64(12), v.tag, tagLen)
	xi = v.s.Fresh("Xi", 16)
	v.ek0 = v.s.Fresh("EK0", 16)
	v.set(held{"length", amd64.RCX.Reg, number(n)}, held{"EK0", amd64.Z(4).Reg, v.ek0}, held{"GHASH", amd64.Z(9).Reg, xi})
	return v, v.s.bytes(v.s.Xor(v.s.reverse(xi), v.ek0)), xi
}

// vaesBriefSealCase: brief_finish to the return, sealing, for a size of tag.
func vaesBriefSealCase(p *ir.Program, tagLen int) error {
	v, tag, _ := atBriefFinish(p, tagLen, 0)
	if stop, err := v.run("brief_finish"); err != nil || stop != "" {
		return orStop(err, stop)
	}
	if err := v.wantBytes(v.tag, 0, tag[:tagLen]); err != nil {
		return err
	}
	return v.returned()
}

// vaesBriefOpenCase: brief_finish to the return, opening n bytes. The only branch
// on a secret is on whether the whole difference of the tags is zero.
func vaesBriefOpenCase(p *ir.Program, tagLen, n int, right bool) error {
	v, _, xi := atBriefFinish(p, tagLen, n)
	return v.opened(xi, "brief_finish", tagLen, n, right)
}
