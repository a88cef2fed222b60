// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// armTurnsOnly returns the program that takes whole turns of a message through the
// bulk loop, from one state of it to another.
func armTurnsOnly(k *armKernel, bits int, seal bool) *ir.Program {
	b := k.builder()
	op := "open_turns"
	if seal {
		op = "seal_turns"
	}
	reverse := V(2)
	b.Origin("entry")
	b.Frame(func() { b.I("hint", ir.Imm(34)) })
	armSave(b)
	b.Origin("constants")
	b.I("ldp", As("q", aFirsts), As("q", aLasts), keyMem(256, armFirsts))
	b.I("ldr", As("q", reverse), keyMem(128, armReverse))
	b.I("add", xPowers, xKey, ir.Imm(armH-8*15))
	b.Origin("Xi and the counter block")
	b.I("ldp", As("q", aXi), As("q", aBase), Mem(ir.State, 256, xState, 0))
	b.I("tbl", aXi, Table(aXi), reverse)
	b.I("mov", W(xCounter), Lane("s", aBase, 3))
	b.I("rev", W(xCounter), W(xCounter))
	b.I("sub", W(xCounter), W(xCounter), ir.Imm(armAhead))
	armTurns(b, bits, seal)

	b.Label("leave")
	b.Origin("Xi and the next counter block")
	b.I("ldr", As("q", reverse), keyMem(128, armReverse))
	b.I("tbl", aXi, Table(aXi), reverse)
	b.I("add", W(xCounter), W(xCounter), ir.Imm(armAhead))
	b.I("rev", W(xCounter), W(xCounter))
	b.I("mov", Lane("s", aBase, 3), W(xCounter))
	b.I("mov", xCounter, ir.Imm(0))
	b.I("stp", As("q", aXi), As("q", aBase), Mem(ir.State, 256, xState, 0))
	b.Origin("leave no secret in a register")
	armForget(b, xKey, 0, 8)
	armForget(b, xKey, 16, aEK0.Reg.Num)
	armForget(b, xKey, aHigh.Reg.Num, aXi.Reg.Num+1)
	armForget(b, xKey, aOne.Reg.Num, aOne.Reg.Num+1)
	armReturn(b, xKey)
	return armProgram(op, bits, b)
}
