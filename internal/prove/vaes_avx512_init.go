// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// vaesScheduleCase: entry to h, which makes round keys and H.
func vaesScheduleCase(p *ir.Program) error {
	if err := endbr(p); err != nil {
		return err
	}
	v := &vaes{newSetup(p, vaesKeyBlock), amd64.Vec.Count}
	key := v.aesKey()
	if stop, err := v.run("", "h"); err != nil || stop != "h" {
		return orStop(err, stop)
	}
	if err := v.wantSchedule(key, amd64.Z(27).Reg); err != nil {
		return err
	}
	if err := v.wantConstants(); err != nil {
		return err
	}
	return v.wantAll(
		held{"key block", amd64.RDI.Reg, v.key.at(0)},
		held{"stack pointer", amd64.RSP.Reg, Pointer(v.sp)})
}

// vaesHalveCase: h to powers.
func vaesHalveCase(p *ir.Program) error {
	return newSetup(p, vaesKeyBlock).halve(amd64.Z(27).Reg, amd64.Z(3).Reg, vaesConstants...)
}

// vaesPowersCase: powers to the return.
func vaesPowersCase(p *ir.Program) error {
	v := &vaes{newSetup(p, vaesKeyBlock), amd64.Vec.Count}
	v.constants()
	v.firstPower(amd64.Z(3).Reg)
	if stop, err := v.run("powers"); err != nil || stop != "" {
		return orStop(err, stop)
	}
	if err := v.wantPowers(vaesKeyBlock); err != nil {
		return err
	}
	return v.returned()
}
