// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// Init is cut where H has been stored to v0, and where H·x^-1 has.

// newArmInit makes a session with a key block that has not been written.
func newArmInit(p *ir.Program) *arm {
	e := &arm{session: newSession(p), rounds: 6 + p.Contract.Bits/32}
	e.key = e.mem.add("key block", e.s.Fresh("junk in the key block", armEnd), true, true)
	e.sp = 1 << 50
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp))
	e.m.SetReg(xReg(0), Pointer(e.key.base))
	return e
}

// armInitConstants are the registers that hold constants from h on.
func armInitConstants() []held {
	c := armConstants()
	return []held{v128("reversal", 6, value.FromBytes(c[32:48])), v128("reduction constant", 5, value.FromBytes(c[48:64])),
		v128("zero", 7, value.FromBytes(make([]byte, 16)))}
}

// armScheduleCase: entry to h. The round keys are those of FIPS 197, the
// counter blocks, columns and constants are in place, and H is the encryption of the
// zero block.
func armScheduleCase(p *ir.Program) error {
	e := newArmInit(p)
	key := e.s.Fresh("key", p.Contract.Bits/8)
	e.m.SetReg(xReg(1), Pointer(e.mem.add("key", key, false, false).base))
	if err := landing(p); err != nil {
		return err
	}
	if err := e.run("", "h"); err != nil {
		return err
	}
	k := &spec{s: e.s, keys: expandKey(e.s, key)}
	var want Vec
	for _, r := range k.keys {
		want = append(want, r...)
	}
	if err := e.wantBytes(e.key, 0, want); err != nil {
		return err
	}
	for n := range 16 {
		block := append(Vec{}, k.keys[0]...)
		block[15] = block[15].plus(Byte{c: byte(n)})
		if err := e.wantBytes(e.key, armCounters+16*n, block); err != nil {
			return err
		}
	}
	if err := e.wantBytes(e.key, armConsts, constants(armConstants())); err != nil {
		return err
	}
	for n := 1; n <= armBriefest; n++ {
		if err := e.wantBytes(e.key, armColumns+4*n-4, k.column(n)); err != nil {
			return err
		}
	}
	if err := e.key.wantWritten([2]int{0, len(want)}, [2]int{armCounters, armHigh}, [2]int{armColumns, armEnd}); err != nil {
		return err
	}
	return e.frame(xs(2), append(armInitConstants(), v128("H", 0, k.cipher(make(block, 16))))...)
}

// armHalveCase: h to h_halved, which turns H into H·x^-1, in integer order: a
// linear map, so that the matrix which the code is decides it.
func armHalveCase(p *ir.Program) error {
	e := newArmInit(p) // for the memory alone, which stays as it is
	e.key.writable = false
	m := machine.New(linear{}, e.mem)
	before := map[ir.Reg]value.Value{vReg(0): input()}
	for _, h := range armInitConstants() {
		before[h.r] = h.v
	}
	for r, junk := range e.junk { // which the domain refuses
		if before[r] == nil {
			before[r] = junk
		}
		m.SetReg(r, before[r])
	}
	m.Stop = func(label string) bool { return label != "h" }
	if stop, err := m.RunFrom(p, "h"); err != nil || stop != "h_halved" {
		return orStop(err, stop)
	}
	note(p, "h", "h_halved")
	note(p, "h", "h_halved")
	var d value.Concrete
	out := linear{}.of(m.Reg(vReg(0)))
	for i := range 128 {
		h := value.Reverse(d, basis(i)) // the register held bytes of the block
		if !same(nil, timesX(d, out.at(h)), basis(i)) {
			return fmt.Errorf("bit %d of H is not divided by x", i)
		}
	}
	for r, v := range before {
		scratch := r.Bank == arm64.Vec && r.Num <= 2 || r == xReg(12) || r.Bank == arm64.Flags
		if !scratch && !same(nil, m.Reg(r), v) {
			return fmt.Errorf("%v changes", r)
		}
	}
	return nil
}

// armPowersCase: h_halved to the return.
func armPowersCase(p *ir.Program) error {
	e := newArmInit(p)
	halved := e.s.Fresh("H", 16)
	e.s.first = element{first(halved), identity}
	e.s.power[e.s.first.a] = 1
	e.hold(append(armInitConstants(), v128("H", 0, halved))...)
	e.m.After = func(i ir.Inst) error {
		if err := e.nameElements(i); err != nil || !i.Element {
			return err
		}
		name := first(e.s.bytes(e.m.Reg(i.Args[0].Reg)))
		if _, ok := e.s.power[name]; !ok {
			return fmt.Errorf("a product that is no power of H")
		}
		return nil
	}
	if err := e.run("h_halved", ""); err != nil {
		return err
	}
	for n := 1; n <= armTop; n++ {
		at := 8 * (armTop - n)
		half := func(from int) Vec { return e.key.bytes[from+at : from+at+8] }
		t := append(append(Vec{}, half(armLow)...), half(armHigh)...)
		if err := e.wantElement(fmt.Sprintf("H^%d", n), t, poly{{e.s.first, n - 1}: true}); err != nil {
			return err
		}
		if err := e.wantBytes(e.key, armMiddle+at, halves(e.s, t)); err != nil {
			return err
		}
	}
	if err := e.key.wantWritten([2]int{armHigh, armColumns}); err != nil {
		return err
	}
	wiped := vs(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
	for _, r := range wiped {
		if !known(e.m.Reg(r)) {
			return fmt.Errorf("%v is left with something that may be secret", r)
		}
	}
	return e.frame(append(wiped, xReg(2)))
}
