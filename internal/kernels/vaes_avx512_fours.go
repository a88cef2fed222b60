// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// The programs for four messages keep them side by side: while one waits for the
// latency of its rounds and products, the ports work for the others. They read
// what the caller says of messages where that is (packets), and have a path for
// brief ones (brief). On the other one a message has a register of GHASH state, Xi
// and the last four blocks added to it, which is multiplied when the next ones
// come. The texts go in turns of four registers each, two messages at a time
// (turns); what is left of them, up to foursTurn-1 bytes, is hashed with its own
// powers of H, as in the short path (rest). Either path ends with the sums of the
// four messages in one set of registers, a message in each lane, for one reduction
// and four tags.

// Messages are brief when text and AAD have at most so many bytes: one register
// of text, and one block of AAD. If the first of four is brief, all are.
const (
	briefText = 64
	briefAAD  = 16
)

// foursTurn is the number of text bytes that a turn takes of each message.
const foursTurn = 4 * 64

// The registers that keep their role. States and round keys are in z0 to z9, as
// elsewhere.
var (
	fNext   = Z(21)                                    // counters of the next blocks of each message, one a lane
	fEK0    = Z(22)                                    // EK0 of each message, one a lane
	fXi     = []ir.Operand{Z(27), Z(28), Z(29), Z(30)} // GHASH state of each message
	fTagLen = K(0)                                     // bytes of a tag, or minus those when opening
	fTag    = K(2)                                     // the bytes of a tag
	fNonce  = K(7)                                     // the 12 bytes of a nonce, in every lane
	rAt     = RCX                                      // bytes of each text that are done
)

// fSums are the sums of products of messages with an even number and an odd one;
// fPair is where those of the first two messages come together, whose states are
// then no longer needed.
var (
	fSums = [2]vaesSums{{vLow, vMid, vHigh}, {Z(14), Z(15), Z(16)}}
	fPair = vaesSums{Z(27), Z(28), Z(12)}
)

// Which two lanes of each operand vshufi64x2 takes.
const (
	lowLanes  = 0x44
	highLanes = 0xee
	evenLanes = 0x88
	oddLanes  = 0xdd
)

// vaesFours returns the program that seals or opens messages four at a time.
func vaesFours(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open_fours"
	if seal {
		op = "seal_fours"
	}
	foursEntry(b, seal)
	b.Label("four")
	b.Origin("choose the path")
	foursTagLen(b, RCX, seal)
	foursLen(b, R8, RCX, 0, seal)
	b.I("cmp", R8, ir.Imm(briefText))
	b.I("ja", ir.To("fours"))
	b.I("mov", R9, packet(64, 0, packetAADLen))
	b.I("cmp", R9, ir.Imm(briefAAD))
	b.I("jbe", ir.To("brief"))
	b.Label("fours")
	for p := range 4 {
		foursAAD(b, p)
	}
	foursTurns(b, bits, seal)
	b.Label("fours_tail")
	foursTails(b, bits, "fours_tail", seal, nil)
	foursJoin(b)
	foursLengths(b, Z(12), Z(13), Z(18), R8, seal)
	b.Origin("GHASH the length blocks")
	b.I("vbroadcasti32x4", Z(13), Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16))
	fSums[0].multiply(b, Z(12), Z(13), false)
	b.I("jmp", ir.To("fours_finish"))
	foursBrief(b, bits, seal)
	foursFinish(b, seal)
	b.Origin("next four messages")
	b.I("add", rPackets, ir.Imm(4*packetSize))
	b.I("sub", rPacketsLen, ir.Imm(4*packetSize))
	b.I("jne", ir.To("four"))
	b.Origin("leave no secret in a register")
	vaesWipe(b)
	return vaesProgram(op, bits, b)
}

// foursEntry sets the registers that keep their role and, opening, the result.
func foursEntry(b *ir.Builder, seal bool) {
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	vaesConstants(b)
	b.Origin("mask of a nonce")
	b.I("mov", Low32(RAX), ir.Imm(0x7777))
	b.I("kmovq", fNonce, RAX)
	b.Origin("mask of a tag, in every lane")
	foursOnes(b, R8, RCX)
	b.I("mov", R9, R8)
	b.I("shl", R9, ir.Imm(16))
	b.I("xor", R8, R9)
	b.I("mov", R9, R8)
	b.I("shl", R9, ir.Imm(32))
	b.I("xor", R8, R9)
	b.I("kmovq", fTag, R8)
	if seal {
		b.Origin("bytes of a tag")
		b.I("kmovq", fTagLen, RCX)
		return
	}
	b.Origin("minus the bytes of a tag")
	b.I("xor", Low32(RAX), Low32(RAX))
	b.I("sub", RAX, RCX)
	b.I("kmovq", fTagLen, RAX)
	b.Origin("no message is verified")
	b.I("xor", Low32(RAX), Low32(RAX))
}

// foursFinish makes the four tags, writes or compares them, and adds what was
// appended to the lengths of Dst. Opening, the result gets a bit for each.
func foursFinish(b *ir.Builder, seal bool) {
	b.Label("fours_finish")
	vaesReduceSums(b)
	b.Label("fours_tags")
	b.Origin("tags = GHASH xor EK0")
	b.I("vpshufb", Z(12), vHigh, vBswap)
	b.I("vpxorq", Z(12), Z(12), fEK0)
	if !seal {
		b.I("vmovdqu8", Zeroed(Z(12), fTag), Z(12))
	}
	b.I("kmovq", R10, fTagLen)
	for p := range 4 {
		b.Origin("tag of message %d", p)
		tag, mem := X(12), Mem(ir.Tag, 128, R8, 0)
		if p > 0 {
			tag = X(13)
			b.I("vextracti32x4", tag, Z(12), ir.Imm(int64(p)))
		}
		foursLen(b, R9, R10, p, seal)
		b.I("mov", R11, packet(64, p, packetDstLen))
		b.I("add", R11, R9) // the result now belongs to Dst
		if seal {
			b.I("mov", R8, packet(64, p, packetDst))
			b.I("add", R8, R11)
			b.I("vmovdqu8", Masked(mem, fTag), tag)
			b.I("add", R11, R10)
			b.I("mov", packet(64, p, packetDstLen), R11)
			continue
		}
		b.I("mov", packet(64, p, packetDstLen), R11)
		b.I("mov", R8, packet(64, p, packetText))
		b.I("add", R8, R9)
		b.I("vmovdqu8", Zeroed(X(14), fTag), mem)
		b.I("vpxorq", X(14), X(14), tag)
		b.I("add", RAX, RAX)
		b.I("vptest", X(14), X(14))
		b.I("jne", ir.To(fmt.Sprintf("forged_%d", p)))
		b.I("add", RAX, ir.Imm(1))
		b.Label(fmt.Sprintf("forged_%d", p))
	}
}
