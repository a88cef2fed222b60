// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// vaesInitSession makes a session with a key block that has not been written.
func vaesInitSession(p *ir.Program) *vaes {
	v := &vaes{session: newSession(p)}
	v.key = v.mem.add("key block", v.s.Fresh("junk in the key block", 1536), true, true)
	v.m.SetReg(amd64.RDI.Reg, v.key.at(0))
	stack := v.mem.add("stack", v.s.Fresh("return address", 8), false, false)
	v.sp = stack.base
	v.m.SetReg(amd64.RSP.Reg, Pointer(v.sp))
	return v
}

// wantWritten checks that exactly the bytes of these ranges were stored to.
func (r *region) wantWritten(ranges ...[2]int) error {
	for i, w := range r.written {
		in := false
		for _, x := range ranges {
			in = in || i >= x[0] && i < x[1]
		}
		if w != in {
			return fmt.Errorf("%s, byte %d: written %v, want %v", r.name, i, w, in)
		}
	}
	return nil
}

// vaesLanding checks that the first instruction is endbr64, where indirect
// calls may land.
func vaesLanding(p *ir.Program) error {
	if i := p.Code[0]; i.Form == nil || i.Form.Mnemonic != "endbr64" {
		return fmt.Errorf("the program does not begin with endbr64")
	}
	return nil
}

// vaesScheduleCase: entry to h. The round keys are those of FIPS 197, and H is
// the encryption of the zero block.
func vaesScheduleCase(p *ir.Program) error {
	if err := vaesLanding(p); err != nil {
		return err
	}
	v := vaesInitSession(p)
	key := v.s.Fresh("key", p.Contract.Bits/8)
	v.m.SetReg(amd64.RSI.Reg, v.mem.add("key", key, false, false).at(0))
	if stop, err := v.run("", "h"); err != nil || stop != "h" {
		return orStop(err, stop)
	}
	k := &spec{s: v.s, keys: expandKey(v.s, key)}
	var want Vec
	for _, r := range k.keys {
		want = append(want, r...)
	}
	if err := v.wantBytes(v.key, 0, want); err != nil {
		return err
	}
	if err := v.key.wantWritten([2]int{0, len(want)}); err != nil {
		return err
	}
	if err := v.wantConstants(); err != nil {
		return err
	}
	return v.wantAll(
		held{"key block", amd64.RDI.Reg, v.key.at(0)},
		held{"stack pointer", amd64.RSP.Reg, Pointer(v.sp)},
		held{"H", amd64.Z(27).Reg, k.cipher(make(block, 16))})
}

// vaesHalveCase: h to powers, which turns H into H·x^-1: a linear map, so that
// the matrix which the code is decides it.
func vaesHalveCase(p *ir.Program) error {
	v := vaesInitSession(p) // for the constants alone
	v.constants()
	v.key.writable = false // it stays as it is
	m := machine.New(linear{}, v.mem)
	for r := range v.junk { // which the domain refuses, but for the constants
		m.SetReg(r, v.m.Reg(r))
	}
	m.SetReg(amd64.Z(27).Reg, input())
	m.Stop = func(label string) bool { return label == "powers" }
	if stop, err := m.RunFrom(p, "h"); err != nil || stop != "powers" {
		return orStop(err, stop)
	}
	note(p, "h", "powers")
	var d value.Concrete
	if !same(nil, m.Reg(amd64.RDI.Reg), v.key.at(0)) || !same(nil, m.Reg(amd64.RSP.Reg), Pointer(v.sp)) {
		return fmt.Errorf("a pointer changes")
	}
	for _, h := range vaesConstants {
		if !same(nil, m.Reg(h.r), h.v) {
			return fmt.Errorf("%s changes", h.what)
		}
	}
	out := linear{}.of(m.Reg(amd64.Z(3).Reg))
	for _, f := range out[128:] {
		if f != (form{}) {
			return fmt.Errorf("more than 128 bits in the register of H")
		}
	}
	for i := range 128 {
		// The register holds bytes of the block; the integer has them reversed.
		h := value.Reverse(d, basis(i))
		if !same(nil, timesX(d, out[:128].at(h)), basis(i)) {
			return fmt.Errorf("bit %d of H is not divided by x", i)
		}
	}
	return nil
}

// vaesPowersCase: powers to the return.
func vaesPowersCase(p *ir.Program) error {
	v := vaesInitSession(p)
	v.constants()
	first := v.s.Fresh("H", 16)
	v.s.first = element{first[0].t[0].atom(), identity}
	v.s.power[v.s.first.a] = 1
	v.m.SetReg(amd64.Z(3).Reg, first)
	if stop, err := v.run("powers"); err != nil || stop != "" {
		return orStop(err, stop)
	}
	for n := 1; n <= vaesTop; n++ {
		t := v.key.bytes[vaesEnd-16*n : vaesEnd-16*n+16]
		if err := v.wantElement(fmt.Sprintf("H^%d", n), t, poly{{v.s.first, n - 1}: true}); err != nil {
			return err
		}
		if n <= 64 && n%4 == 0 {
			if err := v.wantBytes(v.key, vaesEnd+2*(64-n), halves(v.s, t)); err != nil {
				return err
			}
		}
	}
	if err := v.key.wantWritten([2]int{vaesPowersAt, 1536}); err != nil {
		return err
	}
	return v.returned()
}
