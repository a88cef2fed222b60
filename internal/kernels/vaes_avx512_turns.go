// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// vFirst holds, in its lowest lane, what Xi adds behind the first turn, and then
// zeros: programs for turns have neither a length block nor EK0.
var (
	vFirst = Z(28)
	rState = R9
)

// vaesTurns returns the program that seals or opens whole turns: the bulk loop
// alone.
func vaesTurns(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open_turns"
	if seal {
		op = "seal_turns"
	}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	vaesEnterTurns(b)
	vaesBulkTurns(b, bits, seal, true)
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
	vaesMasks(b)
	b.Origin("Xi")
	b.I("mov", rState, R8)
	b.I("vmovdqu64", view(vXi), Mem(ir.State, 128, rState, 0))
	b.I("vpshufb", view(vXi), view(vXi), view(vBswap))
	b.Origin("Xi times H^60")
	vaesMultiply(b, vXi, Mem(ir.KeyBlock, 512, rKey, vaesPowersEnd-16*60), true)
	vaesReduceSums(b)
	b.I("vmovdqu64", vFirst, vHigh)
	b.Element()
	b.I("vpxorq", view(vXi), view(vXi), view(vXi))
	b.Origin("CB of the first turn")
	b.I("mov", Low32(rCounter), Mem(ir.State, 32, rState, 28))
	b.I("bswap", Low32(rCounter))
	b.I("sub", Low32(rCounter), ir.Imm(vaesSkip))
	b.I("vmovdqu64", block, Mem(ir.State, 128, rState, 16))
	b.I("vpxorq", block, block, Mem(ir.KeyBlock, 128, rKey, 0))
	b.I("vshufi64x2", vBase, vBase, vBase, ir.Imm(broadcastLane0))
	vaesSetBase(b)
	b.I("lea", rTable, AddrConst("counters"))
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
	b.I("add", Low32(rCounter), ir.Imm(vaesSkip))
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
