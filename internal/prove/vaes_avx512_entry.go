// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// entry holds what the arguments are until the AAD is done with.
type entry struct {
	*vaes
	textLen, aadLen value.Value
	aad             Pointer
	bytes           Vec // of the nonce or the AAD that is being hashed
}

// newEntry makes a session with arguments, of which nil stands for any length. The
// bytes hashed by it, at most size of them, lie at the address it returns.
func newEntry(p *ir.Program, textLen, aadLen value.Value, size int) (*entry, Pointer) {
	e := &entry{vaes: newVaes(p), textLen: textLen, aadLen: aadLen}
	if textLen == nil {
		e.textLen = e.s.Fresh("bytes of text", 8)
	}
	e.text(0)
	e.bytes = e.s.Fresh("bytes", size)
	at := e.mem.add("bytes hashed", e.bytes, false, false).at(0)
	e.aad = 0x1234
	e.m.SetReg(amd64.RCX.Reg, e.textLen)
	e.m.SetReg(amd64.R8.Reg, e.aad)
	if aadLen == nil {
		e.aadLen = e.s.Fresh("bytes of AAD", 8)
	}
	e.m.SetReg(amd64.R9.Reg, e.aadLen)
	return e, at
}

// arguments that no part before dispatch changes.
func (e *entry) kept() []held {
	return []held{
		{"key block", amd64.RDI.Reg, e.key.at(0)},
		{"output", amd64.RSI.Reg, e.out.at(0)},
		{"input", amd64.RDX.Reg, e.in.at(0)},
		{"text length", amd64.RCX.Reg, e.textLen},
		{"length block", amd64.Z(28).Reg, e.lens},
	}
}

func (e *entry) keptAAD() []held {
	return append(e.kept(), held{"AAD", amd64.R8.Reg, e.aad}, held{"AAD length", amd64.R9.Reg, e.aadLen})
}

// vaesNonceCase: entry to j0, or to nonce_part for nonces of more than 64
// bytes. The lengths of text and AAD may be any, nil, unless the nonce has 12
// bytes: they say whether the message is brief.
func vaesNonceCase(p *ir.Program, nonceLen, textLen, aadLen value.Value) error {
	if err := endbr(p); err != nil {
		return err
	}
	size := 0
	if known(nonceLen) {
		size = int(nonceLen.(*value.Bits).Uint64())
	}
	e, at := newEntry(p, textLen, aadLen, size)
	e.arguments(at, nonceLen, nil, 16)
	e.lens = e.s.bytes(e.s.Concat(e.bits(e.textLen), e.bits(e.aadLen)))
	stop, err := e.run("", "j0", "nonce_part")
	if err != nil {
		return err
	}
	if stop == "nonce_part" {
		if known(nonceLen) {
			return orStop(nil, stop)
		}
		return e.wantNoncePart(at, nonceLen, nonceLen, poly{})
	}
	if size == 12 {
		return e.wantJ0(append(append(block{}, e.bytes...), Byte{}, Byte{}, Byte{}, Byte{c: 1}), nil)
	}
	return e.wantJ0(nil, e.nonceHash(poly{}, nonceLen))
}

// nonceHash returns GHASH of the bytes and the length of the nonce.
func (e *entry) nonceHash(y poly, nonceLen value.Value) poly {
	return e.s.step(e.spec.absorb(y, e.bytes), append(e.s.bytes(e.bits(nonceLen)), make(Vec, 8)...))
}

// wantJ0 checks an instance of the state at j0, where J0 is a block or means a
// polynomial.
func (e *entry) wantJ0(j0 block, y poly) error {
	if err := e.wantAll(e.keptAAD()...); err != nil {
		return err
	}
	if err := e.wantConstants(); err != nil {
		return err
	}
	if j0 != nil {
		return e.want("J0", amd64.Z(12).Reg, j0)
	}
	have := e.s.bytes(e.m.Reg(amd64.Z(12).Reg))
	if !zero(have[16:]) {
		return fmt.Errorf("more than J0 in a register")
	}
	return e.wantElement("J0", e.s.reverse(have[:16]), y)
}

// wantNoncePart checks an instance of the state at nonce_part.
func (e *entry) wantNoncePart(at Pointer, left, total value.Value, y poly) error {
	xi := e.s.bytes(e.m.Reg(amd64.Z(27).Reg))
	if !zero(xi[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	if err := e.wantElement("GHASH of the nonce", xi[:16], y); err != nil {
		return err
	}
	if err := e.wantConstants(); err != nil {
		return err
	}
	return e.wantAll(
		held{"key block", amd64.RDI.Reg, e.key.at(0)},
		held{"nonce", amd64.RSI.Reg, at},
		held{"bytes left", amd64.RDX.Reg, left},
		held{"output", amd64.Z(16).Reg, e.out.at(0)},
		held{"input", amd64.Z(17).Reg, e.in.at(0)},
		held{"bits of the nonce", amd64.Z(15).Reg, e.bits(total)},
		held{"text length", amd64.RCX.Reg, e.textLen},
		held{"AAD", amd64.R8.Reg, e.aad},
		held{"AAD length", amd64.R9.Reg, e.aadLen},
		held{"length block", amd64.Z(28).Reg, e.lens})
}

// atNoncePart sets the state at nonce_part, or at nonce_last, with size bytes
// of the nonce to be hashed. It returns GHASH so far.
func atNoncePart(p *ir.Program, left value.Value, size int) (e *entry, at Pointer, total Count, y poly) {
	e, at = newEntry(p, nil, nil, size)
	e.constants()
	e.m.SetReg(amd64.RSI.Reg, at)
	e.m.SetReg(amd64.RDX.Reg, left)
	e.m.SetReg(amd64.Z(16).Reg, e.out.at(0))
	e.m.SetReg(amd64.Z(17).Reg, e.in.at(0))
	total = Count{Of: "nonce", Min: 65}
	e.m.SetReg(amd64.Z(15).Reg, e.bits(total))
	e.m.SetReg(amd64.Z(28).Reg, e.lens)
	xi, y := e.leading(1, 0)
	e.m.SetReg(amd64.Z(27).Reg, simplify(xi))
	e.arguments(nil, total, nil, 16)
	return e, at, total, y
}

// vaesNoncePartCase: one part of the nonce, from nonce_part to nonce_last or
// back, for what partLeft says is left.
func vaesNoncePartCase(p *ir.Program, k int, full bool) error {
	to := "nonce_last"
	if k == 0 {
		to = "nonce_part"
	}
	left, behind, size := partLeft(k, full, 64, vaesRun)
	e, at, total, y := atNoncePart(p, left, size)
	if stop, err := e.run("nonce_part", "nonce_last", "nonce_part"); err != nil || stop != to {
		return orStop(err, stop)
	}
	return e.wantNoncePart(at+Pointer(size), behind, total, e.spec.absorb(y, e.bytes))
}

// vaesNonceLastCase: nonce_last to j0 with n bytes left.
func vaesNonceLastCase(p *ir.Program, n int) error {
	e, _, total, y := atNoncePart(p, number(n), n)
	if stop, err := e.run("nonce_last", "j0"); err != nil || stop != "j0" {
		return orStop(err, stop)
	}
	return e.wantJ0(nil, e.nonceHash(y, total))
}

// vaesAADCase: j0 to dispatch with n bytes of AAD, at most 64, or to aad_part
// for a length that is no known number.
func vaesAADCase(p *ir.Program, aadLen value.Value) error {
	size := 0
	if known(aadLen) {
		size = int(aadLen.(*value.Bits).Uint64())
	}
	e, at := newEntry(p, nil, aadLen, size)
	e.aad = at
	e.m.SetReg(amd64.R8.Reg, at)
	e.arguments(nil, value.FromUint64(12), nil, 16)
	e.constants()
	j0 := e.counterBlock(e.s.Fresh("counter", 4))
	e.m.SetReg(amd64.Z(12).Reg, j0)
	e.m.SetReg(amd64.Z(28).Reg, e.lens)
	stop, err := e.run("j0", "dispatch", "aad_part")
	if err != nil {
		return err
	}
	e.ek0 = e.spec.cipher(j0)
	next := e.spec.inc(j0, 1)
	if stop == "aad_part" && !known(aadLen) {
		return e.wantAADPart(at, aadLen, next, poly{})
	}
	if stop != "dispatch" || !known(aadLen) {
		return orStop(nil, stop)
	}
	return e.wantDispatch(next, e.bytes, poly{})
}

// wantDispatch checks an instance of the state at dispatch: last are the bytes
// of the last blocks of AAD, with y to be added to the first of them.
func (e *entry) wantDispatch(cb block, last Vec, y poly) error {
	if err := e.wantKept(); err != nil {
		return err
	}
	blocks := (len(last) + 15) / 16
	padded := append(append(Vec{}, last...), make(Vec, 64-len(last))...)
	xi := e.s.bytes(e.m.Reg(amd64.Z(27).Reg))
	for j := range 4 {
		want := poly{}
		e.s.addLinear(want, e.s.reverse(padded[16*j:16*j+16]))
		if j == 0 {
			want.plus(y, 0)
		}
		if err := e.wantElement(fmt.Sprintf("lane %d", j), xi[16*j:16*j+16], want); err != nil {
			return err
		}
	}
	return e.wantAll(append(e.kept(),
		held{"leading bytes", amd64.R11.Reg, value.FromUint64(uint64(16 * blocks))},
		held{"counter block", amd64.Z(30).Reg, simplify(fourVec(e.s.reverse(cb)))})...)
}

// wantAADPart checks an instance of the state at aad_part.
func (e *entry) wantAADPart(at Pointer, left value.Value, cb block, y poly) error {
	if err := e.wantKept(); err != nil {
		return err
	}
	xi := e.s.bytes(e.m.Reg(amd64.Z(27).Reg))
	if !zero(xi[16:]) {
		return fmt.Errorf("upper lanes of Xi are not zero")
	}
	if err := e.wantElement("GHASH of the AAD", xi[:16], y); err != nil {
		return err
	}
	return e.wantAll(append(e.kept(),
		held{"AAD", amd64.R8.Reg, at},
		held{"bytes left", amd64.R9.Reg, left},
		held{"counter block", amd64.Z(30).Reg, simplify(fourVec(e.s.reverse(cb)))})...)
}

// atAADPart sets the state at aad_part, or at aad_last, with size bytes of the
// AAD to be hashed. It returns GHASH so far.
func atAADPart(p *ir.Program, left value.Value, size int) (e *entry, at Pointer, cb block, y poly) {
	e, at = newEntry(p, nil, left, size)
	e.arguments(nil, value.FromUint64(12), nil, 16)
	cb = e.counterBlock(e.s.Fresh("counter", 4))
	xi, y := e.leading(1, 0)
	e.atDispatch(e.textLen, 0, cb, xi)
	e.m.SetReg(amd64.R11.Reg, e.junk[amd64.R11.Reg])
	e.m.SetReg(amd64.R8.Reg, at)
	e.m.SetReg(amd64.R9.Reg, left)
	return e, at, cb, y
}

// vaesAADPartCase: one part of the AAD, from aad_part to aad_last or back, for
// what partLeft(k) says is left.
func vaesAADPartCase(p *ir.Program, k int, full bool) error {
	to := "aad_last"
	if k == 0 {
		to = "aad_part"
	}
	left, behind, size := partLeft(k, full, 64, vaesRun)
	e, at, cb, y := atAADPart(p, left, size)
	if stop, err := e.run("aad_part", "aad_last", "aad_part"); err != nil || stop != to {
		return orStop(err, stop)
	}
	return e.wantAADPart(at+Pointer(size), behind, cb, e.spec.absorb(y, e.bytes))
}

// vaesAADLastCase: aad_last to dispatch with n bytes left.
func vaesAADLastCase(p *ir.Program, n int) error {
	e, _, cb, y := atAADPart(p, number(n), n)
	if stop, err := e.run("aad_last", "dispatch"); err != nil || stop != "dispatch" {
		return orStop(err, stop)
	}
	return e.wantDispatch(cb, e.bytes, y)
}
