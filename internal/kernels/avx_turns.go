// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// avxTurnsOnly returns the program that seals or opens whole turns: the bulk loop
// alone.
func avxTurnsOnly(k *avxKernel, bits int, seal bool) *ir.Program {
	b := k.builder()
	op := "open_turns"
	if seal {
		op = "seal_turns"
	}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	avxEnterTurns(b)
	if seal {
		b.Append(avxHalfTurn(k, bits, 0))
		b.I("jmp", ir.To("bulk_half"))
	}
	avxTurns(b, bits, seal)
	if seal {
		b.Append(avxHalfHash(k, 1, rOut, -avxTurn/2))
	}
	avxLeaveTurns(b)
	return avxProgram(op, bits, b)
}

// avxEnterTurns loads the state.
func avxEnterTurns(b *avxBuilder) {
	xi, base := X(nXi), X(nBase)
	b.Origin("Xi")
	b.I("mov", rState, R8)
	b.I("vmovdqu", xi, Mem(ir.State, 128, rState, 0))
	b.I("vpshufb", xi, xi, Const(128, "bswap", 0))
	b.Origin("CB of the first turn")
	b.I("mov", Low32(rCounter), Mem(ir.State, 32, rState, 28))
	b.I("bswap", Low32(rCounter))
	b.I("sub", Low32(rCounter), ir.Imm(avxSkip))
	b.I("vmovdqu", base, Mem(ir.State, 128, rState, 16))
	b.I("vpxor", base, base, Mem(ir.KeyBlock, 128, rKey, 0))
	avxSetBase(b)
	b.I("lea", rTable, AddrConst("counters"))
}

// avxLeaveTurns stores the state and returns.
func avxLeaveTurns(b *avxBuilder) {
	xi, block := X(nXi), X(0)
	b.Origin("Xi")
	b.I("vpshufb", xi, xi, Const(128, "bswap", 0))
	b.I("vmovdqu", Mem(ir.State, 128, rState, 0), xi)
	b.Origin("CB of the next turn")
	b.I("add", Low32(rCounter), ir.Imm(avxSkip))
	b.I("bswap", Low32(rCounter))
	b.I("vmovdqu", block, Mem(ir.State, 128, rState, 16))
	b.I("vpinsrd", block, block, Low32(rCounter), ir.Imm(3))
	b.I("vmovdqu", Mem(ir.State, 128, rState, 16), block)
	b.Origin("leave no secret in a register")
	b.I("xor", Low32(RAX), Low32(RAX))
	b.I("xor", Low32(R11), Low32(R11))
	b.wipe(0)
	b.I("ret")
}
