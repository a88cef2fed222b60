// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// newAvxSetup makes a session of init.
func newAvxSetup(p *ir.Program) *avx {
	k := avxShapeOf(p)
	return &avx{amd: newSetup(p, k.keyBlock()), avxShape: k}
}

// avxScheduleCase: entry to h, which makes round keys and H.
func avxScheduleCase(p *ir.Program) error {
	if err := endbr(p); err != nil {
		return err
	}
	e := newAvxSetup(p)
	key := e.aesKey()
	if err := e.run("", "h"); err != nil {
		return err
	}
	if err := e.wantSchedule(key, amd64.Z(0).Reg); err != nil {
		return err
	}
	return e.frame(nil)
}

// avxHalveCase: h to powers.
func avxHalveCase(p *ir.Program) error {
	return newAvxSetup(p).halve(amd64.Z(0).Reg, amd64.Z(1).Reg)
}

// avxPowersCase: powers to the return.
func avxPowersCase(p *ir.Program) error {
	e := newAvxSetup(p)
	e.firstPower(amd64.Z(1).Reg)
	if err := e.run("powers", ""); err != nil {
		return err
	}
	if err := e.wantPowers(e.keyBlock()); err != nil {
		return err
	}
	return e.returned()
}
