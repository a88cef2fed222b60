// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// vFirst holds Xi in its lowest lane until the first turn takes it, and then
// zeros: programs for turns have neither a length block nor EK0.
var (
	vFirst = Z(28)
	rState = R9
)

// vaesTurns returns the program that seals or opens whole turns: the bulk loop
// alone. In it vXi holds the last four blocks with the GHASH of what is before
// them, so that lane j counts as H^(4-j) and one row of powers makes Xi of it
// behind the last turn.
func vaesTurns(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open_turns"
	if seal {
		op = "seal_turns"
	}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	vaesEnterTurns(b)
	if seal {
		b.I("add", Low32(rCounter), ir.Imm(64))
		b.Append(vaesHalfTurn(bits, 0, noMask))
		b.I("jmp", ir.To("bulk_half"))
	}
	b.Label("bulk_turn")
	vaesNextTurn(b)
	if seal {
		vaesHalf(b, bits, 0, noMask, vaesTurnHash(4, 8, rOut, -vaesTurn), vaesAhead(0))
		b.Label("bulk_half") // the first half is written, and not yet hashed
		vaesHalf(b, bits, 1, noMask, vaesTurnHash(0, 4, rOut, 0), vaesAhead(1))
	} else {
		vaesHalf(b, bits, 0, noMask, vaesTurnHash(0, 5, rIn, 0), vaesAhead(0))
		vaesHalf(b, bits, 1, noMask, vaesTurnHash(5, 8, rIn, 0), vaesAhead(1))
	}
	b.Origin("next turn")
	b.I("add", rIn, ir.Imm(vaesTurn))
	b.I("add", rOut, ir.Imm(vaesTurn))
	b.I("sub", rLen, ir.Imm(vaesTurn))
	b.I("cmp", rLen, ir.Imm(vaesTurn))
	b.I("jae", ir.To("bulk_turn"))
	if seal {
		b.Append(vaesTurnHash(4, 8, rOut, -vaesTurn))
	}
	vaesLeaveTurns(b)
	return vaesProgram(op, bits, b)
}

// vaesAhead fetches half h of the turn after the next into the cache. A turn
// fills the window of the processor, which so sees no load ahead of it.
func vaesAhead(h int) stitch.Stream {
	b := &ir.Builder{ISA: ISA}
	at := int64(2*vaesTurn + h*vaesTurn/2)
	for i := range int64(8) {
		b.Origin("fetch blocks %d to %d of the turn after the next", 32*int64(h)+4*i, 32*int64(h)+4*i+3)
		b.I("prefetcht0", Addr(rIn, at+64*i))
	}
	return stitch.Stream{Name: "fetching", Code: b.Code}
}

// vaesEnterTurns loads constants and state.
func vaesEnterTurns(b *ir.Builder) {
	block := view(vBase)
	vaesConstants(b)
	b.I("mov", Low32(R10), ir.Imm(0x8888)) // the counter of each lane
	b.I("kmovq", K(7), R10)
	b.Origin("Xi")
	b.I("mov", rState, R8)
	b.I("vmovdqu64", view(vFirst), Mem(ir.State, 128, rState, 0))
	b.I("vpshufb", view(vFirst), view(vFirst), view(vBswap))
	b.I("vpxorq", view(vXi), view(vXi), view(vXi))
	b.Origin("CB of the first turn")
	b.I("mov", Low32(rCounter), Mem(ir.State, 32, rState, 28))
	b.I("bswap", Low32(rCounter))
	b.I("vmovdqu64", block, Mem(ir.State, 128, rState, 16))
	b.I("vpxorq", block, block, Mem(ir.KeyBlock, 128, rKey, 0))
	b.I("vshufi64x2", vBase, vBase, vBase, ir.Imm(broadcastLane0))
	b.I("lea", rTable, AddrConst("counters"))
}

// vaesTurnHash is the GHASH stream of some pairs of registers of a turn, of
// which there are 8, where base and at say where the turn's ciphertext is. The
// first register is vXi, the others are the turn's but for its last one: pair i
// begins with H^(64-8i). The last pair completes the sums, reduces them to vXi
// and adds the last register.
func vaesTurnHash(first, behind int, base ir.Operand, at int64) []ir.Inst {
	b := &ir.Builder{ISA: ISA}
	a, c := Z(12), Z(13)
	load := func(z ir.Operand, i int) {
		b.Origin("GHASH blocks %d to %d", 4*i, 4*i+3)
		b.I("vmovdqu64", z, Mem(ir.Text, 512, base, at+int64(64*i)))
		b.I("vpshufb", z, z, vBswap)
	}
	for i := 2 * first; i < 2*behind; i += 2 {
		if i == 0 {
			load(c, 0)
			b.Origin("GHASH blocks 0 to 3, add Xi to the first of all")
			b.I("vpxorq", c, c, vFirst)
			b.I("vpxorq", view(vFirst), view(vFirst), view(vFirst))
			vaesTwoRegisters(b, 0, "Xi and blocks 0 to 3", vXi, c, true)
			continue
		}
		load(a, i-1)
		load(c, i)
		vaesTwoRegisters(b, i, blockNames(4*i-4, 8), a, c, false)
	}
	if behind == 8 {
		load(a, 15)
		vaesReduceSixteen(b)
		b.Origin("GHASH blocks 60 to 63")
		b.I("vpxorq", vXi, vXi, a)
	}
	return b.Code
}

// vaesLeaveTurns makes Xi of the lanes of vXi, stores the state and returns.
func vaesLeaveTurns(b *ir.Builder) {
	block := X(0)
	b.Origin("GHASH of the last four blocks")
	vaesMultiply(b, vXi, Mem(ir.KeyBlock, 512, rKey, vaesPowersEnd-64), true)
	vaesReduce(b)
	vaesFold(b)
	b.Origin("Xi")
	b.I("vpshufb", view(vXi), view(vXi), view(vBswap))
	b.I("vmovdqu64", Mem(ir.State, 128, rState, 0), view(vXi))
	b.Origin("CB of the next turn")
	b.I("bswap", Low32(rCounter))
	b.I("vmovdqu64", block, Mem(ir.State, 128, rState, 16))
	b.I("vpinsrd", block, block, Low32(rCounter), ir.Imm(3))
	b.I("vmovdqu64", Mem(ir.State, 128, rState, 16), block)
	b.Origin("leave no secret in a register")
	for _, r := range []ir.Operand{RAX, R10, R11} {
		b.I("xor", Low32(r), Low32(r))
	}
	vaesWipe(b)
}
