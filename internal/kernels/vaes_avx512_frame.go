// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// vaesText returns the program that seals or opens one message.
//
// Text goes through the bulk loop in turns of 64 blocks and what is left, or
// the whole of a short message, through the short path, which multiplies each
// block by its own power of H and reduces once.
func vaesText(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open"
	if seal {
		op = "seal"
	}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	vaesBrief(b, bits, seal)
	b.Label("whole")
	vaesLengths(b)
	vaesJ0(b, bits)
	vaesAAD(b)
	vaesDispatch(b)
	vaesBulk(b, bits, seal)
	vaesShortPath(b, bits, seal)
	vaesFinish(b, seal)
	return vaesProgram(op, bits, b)
}

// vaesLengths makes the length block and loads the constants.
func vaesLengths(b *ir.Builder) {
	vaesConstants(b)
	vaesLengthBlock(b, vLens)
}

// vaesConstants loads the constants that keep their registers.
func vaesConstants(b *ir.Builder) {
	b.Origin("constants")
	b.I("vbroadcasti32x4", vBswap, Const(128, "bswap", 0))
	b.I("vbroadcasti32x4", vPoly, Const(128, "poly", 0))
}

// vaesLengthBlock makes the length block in x, as an integer. It uses rax.
func vaesLengthBlock(b *ir.Builder, x ir.Operand) {
	b.Origin("length block: bits of text, bits of AAD")
	b.I("mov", RAX, rLen)
	b.I("shl", RAX, ir.Imm(3))
	b.I("vmovq", x, RAX)
	b.I("mov", RAX, rAADLen)
	b.I("shl", RAX, ir.Imm(3))
	b.I("vpinsrq", x, x, RAX, ir.Imm(1))
}

// vaesJ0 derives J0 from the nonce (SP 800-38D, 7.1, step 2), which is at r10 and
// has r11 bytes, encrypts it to EK0 and leaves the counter block after it in vCtr.
func vaesJ0(b *ir.Builder, bits int) {
	j0 := X(12)
	b.Origin("nonce of 12 bytes: J0 = nonce, 1")
	b.I("cmp", R11, ir.Imm(12))
	b.I("jne", ir.To("nonce_hash"))
	loadNonce(b, j0)
	b.I("mov", Low32(RAX), ir.Imm(1<<24))
	b.I("vpinsrd", j0, j0, Low32(RAX), ir.Imm(3))
	b.I("jmp", ir.To("j0"))

	b.Label("nonce_hash")
	b.Origin("nonce of another size: J0 = GHASH(nonce, length)")
	b.I("vmovq", X(16), rOut)
	b.I("vmovq", X(17), rIn)
	b.I("mov", rOut, R10)
	b.I("mov", rIn, R11)
	b.I("shl", R11, ir.Imm(3))
	b.I("vmovq", X(15), R11)
	vaesAbsorb(b, "nonce", ir.Nonce, rOut, rIn)
	b.I("vmovq", rOut, X(16))
	b.I("vmovq", rIn, X(17))
	b.Origin("GHASH the last blocks of the nonce")
	b.I("lea", rPowers, Addr(rKey, vaesPowersEnd-16))
	b.I("sub", rPowers, rLead)
	vaesMultiply(b, vXi, Mem(ir.KeyBlock, 512, rPowers, 0), true)
	b.Origin("GHASH the length of the nonce")
	vaesMultiplyBlock(b, X(15))
	vaesReduce(b)
	vaesFold(b)
	b.I("vpshufb", j0, view(vXi), view(vBswap))

	b.Label("j0")
	b.Origin("CB after J0")
	b.I("vpshufb", view(vCtr), j0, view(vBswap))
	b.I("vpaddd", view(vCtr), view(vCtr), Const(128, "one", 0))
	b.I("vshufi64x2", vCtr, vCtr, vCtr, ir.Imm(broadcastLane0))
	b.I("vmovdqu64", vEK0, j0)
	vaesBlock(b, bits, vEK0, "EK0")
}

// vaesMultiplyBlock adds the product of the single block x with H to the sums.
func vaesMultiplyBlock(b *ir.Builder, x ir.Operand) {
	h := Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16)
	b.I("vpclmulqdq", X(18), x, h, ir.Imm(lowLow))
	b.I("vpclmulqdq", X(19), x, h, ir.Imm(highLow))
	b.I("vpclmulqdq", X(20), x, h, ir.Imm(lowHigh))
	b.I("vpclmulqdq", X(21), x, h, ir.Imm(highHigh))
	b.I("vpxorq", vLow, vLow, Z(18))
	b.I("vpternlogq", vMid, Z(19), Z(20), ir.Imm(xor3))
	b.I("vpxorq", vHigh, vHigh, Z(21))
}

// vaesAAD leaves the last blocks of the AAD in vXi and their bytes of powers
// in rLead; both are zero without AAD.
func vaesAAD(b *ir.Builder) {
	b.Origin("AAD")
	b.I("vpxorq", view(vXi), view(vXi), view(vXi))
	b.I("xor", Low32(rLead), Low32(rLead))
	b.I("test", rAADLen, rAADLen)
	b.I("je", ir.To("dispatch"))
	vaesAbsorb(b, "aad", ir.AAD, rAAD, rAADLen)
}

// vaesDispatch decides how the text that is left goes on: the short path takes
// up to vaesShort bytes. Longer texts go through the bulk loop if the nonce has
// 12 bytes: their counters are known, and begin at 2. With other nonces the
// counter derives from H, and neither a branch nor an address may depend on
// it; they take the short path in parts of 64 blocks.
func vaesDispatch(b *ir.Builder) {
	b.Label("dispatch")
	b.Origin("choose the path")
	b.I("xor", Low32(rRest), Low32(rRest))
	b.I("cmp", rLen, ir.Imm(vaesShort))
	b.I("jbe", ir.To("short"))
	b.I("mov", RAX, argNonceLen)
	b.I("cmp", RAX, ir.Imm(12))
	b.I("je", ir.To("bulk"))
	b.Origin("the next 64 blocks alone")
	b.I("mov", rRest, rLen)
	b.I("mov", Low32(rLen), ir.Imm(vaesTurn))
	b.I("sub", rRest, rLen)
	b.I("jmp", ir.To("short"))
}

// vaesBulk takes turns of 64 blocks while there are as many. The lanes of vXi
// lead what is left.
func vaesBulk(b *ir.Builder, bits int, seal bool) {
	b.Label("bulk")
	b.Origin("the blocks that lead, into the last lanes")
	b.I("lea", RAX, AddrConst("quad_numbers"))
	b.I("add", RAX, rLead)
	b.I("vmovdqu64", Z(19), Mem(ir.Rodata, 512, RAX, 0))
	b.I("vpermq", vXi, Z(19), vXi)
	vaesMasks(b)
	b.Origin("prepare the bulk loop")
	b.I("xor", Low32(rCounter), Low32(rCounter))
	b.I("lea", rTable, AddrConst("counters"))
	roundKey(b, Z(8), 0)
	b.I("vpshufb", vBase, vCtr, vBswap)
	b.I("vpxorq", vBase, vBase, Z(8))
	b.I("mov", Low32(R11), Mem(ir.KeyBlock, 32, rKey, 12)) // the counter 0, xor round key 0
	b.I("vpbroadcastd", Masked(vBase, vWords), Low32(R11))
	vaesBulkTurns(b, bits, seal, false)
	b.Origin("counter for the short path")
	b.I("add", Low32(rCounter), ir.Imm(vaesSkip))
	b.I("mov", Low32(R10), ir.Imm(0x1111))
	b.I("kmovq", K(5), R10)
	b.I("vpbroadcastd", Masked(vCtr, K(5)), Low32(rCounter))
	b.I("mov", Low32(rLead), ir.Imm(64))
}

// vaesBulkTurns is the bulk loop: one turn and more, while as much is left. When it
// seals, GHASH runs half a turn behind on the ciphertext just written; when it
// opens, GHASH runs beside on the ciphertext about to be overwritten. In the
// programs for turns alone vFirst is added behind the first turn, and what comes is
// fetched.
func vaesBulkTurns(b *ir.Builder, bits int, seal, alone bool) {
	ahead := func(h int) (s []stitch.Stream) {
		if alone {
			s = append(s, vaesAhead(h))
		}
		return s
	}
	if seal {
		b.Append(vaesHalfTurn(bits, 0))
		b.I("jmp", ir.To("bulk_half"))
	}
	b.Label("bulk_turn")
	if seal {
		vaesHalf(b, bits, 0, vaesTurnHash(4, 8, rOut, -vaesTurn, alone), ahead(0)...)
		b.Label("bulk_half") // the first half is written, and not yet hashed
		vaesHalf(b, bits, 1, vaesTurnHash(0, 4, rOut, 0, alone), ahead(1)...)
	} else {
		vaesHalf(b, bits, 0, vaesTurnHash(0, 5, rIn, 0, alone), ahead(0)...)
		vaesHalf(b, bits, 1, vaesTurnHash(5, 8, rIn, 0, alone), ahead(1)...)
	}
	b.Origin("next turn")
	b.I("add", rIn, ir.Imm(vaesTurn))
	b.I("add", rOut, ir.Imm(vaesTurn))
	b.I("sub", rLen, ir.Imm(vaesTurn))
	b.I("cmp", rLen, ir.Imm(vaesTurn))
	b.I("jae", ir.To("bulk_turn"))
	if seal {
		b.Append(vaesTurnHash(4, 8, rOut, -vaesTurn, alone))
	}
}

// vaesHalf stitches half a turn of counter mode, half h, GHASH, and others.
func vaesHalf(b *ir.Builder, bits, h int, hash []ir.Inst, others ...stitch.Stream) {
	b.Append(merge(vaesModel, append([]stitch.Stream{
		{Name: "counter mode", Code: vaesHalfTurn(bits, h)},
		{Name: "GHASH", Code: hash}}, others...)...))
}

// vaesShortPath takes rLen bytes of text, at most vaesShort, behind the
// blocks or lanes in vXi, and the length block unless rRest bytes of text are
// to follow. It leaves GHASH in the lowest lane of vXi.
func vaesShortPath(b *ir.Builder, bits int, seal bool) {
	b.Label("short")
	b.Origin("powers of H for what is left")
	b.I("lea", R10, Addr(rLen, 15))
	b.I("and", R10, ir.Imm(-16))
	b.I("lea", RAX, Addr(rKey, vaesPowersEnd))
	b.I("sub", RAX, R10)
	b.I("lea", R10, Addr(RAX, -16))
	b.I("test", rRest, rRest)
	b.I("cmovne", R10, RAX)
	b.I("mov", RAX, R10)
	b.I("sub", RAX, rLead)
	b.Origin("GHASH what leads")
	vaesMultiply(b, vXi, Mem(ir.KeyBlock, 512, RAX, 0), true)
	b.I("test", rRest, rRest)
	b.I("jne", ir.To("short_counter"))
	b.Origin("GHASH the length block")
	vaesMultiplyBlock(b, vLens)
	b.Label("short_counter")
	b.Origin("counters")
	b.I("vbroadcasti32x4", Z(13), Const(128, "four", 0))
	b.I("vpaddd", Z(12), vCtr, Const(512, "lane_numbers", 0))
	b.I("cmp", rLen, ir.Imm(256))
	b.I("jbe", ir.To("short_tail"))
	more := func() {
		b.Origin("next 16 blocks")
		b.I("add", rIn, ir.Imm(256))
		b.I("add", rOut, ir.Imm(256))
		b.I("add", rPowers, ir.Imm(256))
		b.I("sub", rLen, ir.Imm(256))
		b.I("cmp", rLen, ir.Imm(256))
	}
	if seal {
		vaesGroupAndHash(b, bits, 4, noMask, seal, false)
		more()
		b.I("jbe", ir.To("pending_tail"))
	}
	b.Label("short_group")
	vaesGroupAndHash(b, bits, 4, noMask, seal, true)
	more()
	b.I("ja", ir.To("short_group"))
	if seal {
		b.Label("pending_tail")
		vaesTails(b, bits, "pending", seal, true)
	}
	b.Label("short_tail")
	b.Origin("registers in the tail")
	b.I("test", rLen, rLen)
	b.I("je", ir.To("short_end")) // only an empty text leaves nothing
	vaesTails(b, bits, "tail", seal, false)

	b.Label("short_end")
	vaesReduce(b)
	vaesFold(b)
	b.I("test", rRest, rRest)
	b.I("je", ir.To("finish"))
	b.Origin("go on behind the part of 64 blocks")
	b.I("mov", rLen, rRest)
	b.I("vbroadcasti32x4", Z(12), Const(128, "sixty_four", 0))
	b.I("vpaddd", vCtr, vCtr, Z(12))
	b.I("xor", Low32(rLead), Low32(rLead))
	b.I("jmp", ir.To("dispatch"))
}

// vaesTails takes the last 1 to 256 bytes of text, by the number of registers
// that they need.
func vaesTails(b *ir.Builder, bits int, name string, seal, pending bool) {
	b.Origin("registers in the tail")
	b.I("cmp", rLen, ir.Imm(128))
	b.I("ja", ir.To(name+"_3_or_4"))
	b.I("cmp", rLen, ir.Imm(64))
	b.I("ja", ir.To(name+"_2"))
	vaesTail(b, bits, 1, seal, pending)
	b.Label(name + "_2")
	vaesTail(b, bits, 2, seal, pending)
	b.Label(name + "_3_or_4")
	b.I("cmp", rLen, ir.Imm(192))
	b.I("ja", ir.To(name+"_4"))
	vaesTail(b, bits, 3, seal, pending)
	b.Label(name + "_4")
	vaesTail(b, bits, 4, seal, pending)
}

// vaesTail takes the last 1 to 64 bytes of the n-th register and the full
// registers before it.
func vaesTail(b *ir.Builder, bits, n int, seal, pending bool) {
	b.Origin("tail of %d registers", n)
	b.I("lea", R11, Addr(rLen, int64(-64*(n-1))))
	vaesMaskOf(b, K(1), R11)
	vaesGroupAndHash(b, bits, n, textMask{register: n - 1, k: K(1)}, seal, pending)
	for i := range n {
		if seal {
			b.Origin("GHASH of register %d", i)
			vaesMultiply(b, vaesPending[i], Mem(ir.KeyBlock, 512, rPowers, int64(64*i)), false)
		}
	}
	b.I("add", rIn, rLen)
	b.I("add", rOut, rLen)
	b.I("jmp", ir.To("short_end"))
}

// vaesPending holds ciphertext of the group before, byte-reversed, whose
// products are still to be added when sealing.
var vaesPending = []ir.Operand{Z(14), Z(15), Z(16), Z(17)}

// vaesGroupAndHash takes n registers of text through counter mode. Opening, it
// adds the products of their ciphertext with the powers at rPowers to the
// sums. Sealing, it adds those of the group before, if any are pending, and
// leaves the ciphertext pending.
func vaesGroupAndHash(b *ir.Builder, bits, n int, mask textMask, seal, pending bool) {
	ctr := &ir.Builder{ISA: ISA}
	vaesGroup(ctr, bits, n, mask)
	hash := &ir.Builder{ISA: ISA}
	switch {
	case seal && pending:
		for i, c := range vaesPending {
			hash.Origin("GHASH of register %d before", i)
			vaesMultiply(hash, c, Mem(ir.KeyBlock, 512, rPowers, int64(64*i-256)), false)
		}
	case !seal:
		for i := range n {
			hash.Origin("GHASH of register %d", i)
			c := Z(14 + i)
			mask.load(hash, i, c, rIn, int64(64*i))
			hash.I("vpshufb", c, c, vBswap)
			vaesMultiply(hash, c, Mem(ir.KeyBlock, 512, rPowers, int64(64*i)), false)
		}
	}
	b.Append(merge(vaesModel,
		stitch.Stream{Name: "counter mode", Code: ctr.Code},
		stitch.Stream{Name: "GHASH", Code: hash.Code}))
	if !seal {
		return
	}
	for i := range n {
		b.Origin("register %d is pending", i)
		c := Z(i)
		if i == mask.register {
			b.I("vmovdqu8", Zeroed(c, mask.k), c)
		}
		b.I("vpshufb", vaesPending[i], c, vBswap)
	}
}

// vaesFinish makes the tag, writes or compares it, and wipes the registers.
func vaesFinish(b *ir.Builder, seal bool) {
	tag := X(12)
	b.Label("finish")
	b.Origin("tag = GHASH xor EK0")
	b.I("vpshufb", tag, view(vXi), view(vBswap))
	b.I("vpxorq", tag, tag, vEK0)
	b.I("mov", R11, argTag)
	b.I("mov", R10, argTagLen)
	vaesMaskOf(b, K(1), R10)
	mem := Mem(ir.Tag, 128, R11, 0)
	if seal {
		b.I("vmovdqu8", Masked(mem, K(1)), tag)
	} else {
		b.Origin("compare the tag")
		b.I("vmovdqu8", Zeroed(X(13), K(1)), mem)
		b.I("vpxorq", tag, tag, X(13))
		b.I("vmovdqu8", Zeroed(tag, K(1)), tag)
		b.I("mov", Low32(RAX), ir.Imm(1))
		b.I("vptest", tag, tag)
		b.I("je", ir.To("wipe"))
		b.Origin("wrong tag: clear the output")
		b.I("vmovq", rLen, vLens)
		b.I("shr", rLen, ir.Imm(3))
		b.I("sub", rOut, rLen)
		b.Label("wrong")
		b.I("vpxorq", X(16), X(16), X(16))
		b.I("cmp", rLen, ir.Imm(64))
		b.I("jb", ir.To("clear_last"))
		b.Label("clear")
		b.I("vmovdqu64", Mem(ir.Text, 512, rOut, 0), Z(16))
		b.I("add", rOut, ir.Imm(64))
		b.I("sub", rLen, ir.Imm(64))
		b.I("cmp", rLen, ir.Imm(64))
		b.I("jae", ir.To("clear"))
		b.Label("clear_last")
		vaesMaskOf(b, K(1), rLen)
		b.I("vmovdqu8", Masked(Mem(ir.Text, 512, rOut, 0), K(1)), Z(16))
		b.I("xor", Low32(RAX), Low32(RAX))
	}
	b.Label("wipe")
	b.Origin("leave no secret in a register")
	b.I("xor", Low32(R11), Low32(R11))
	vaesWipe(b)
}

// vaesWipe clears all vector registers and returns.
func vaesWipe(b *ir.Builder) {
	for i := range 32 {
		if i < 16 {
			b.I("vpxor", X(i), X(i), X(i))
		} else {
			b.I("vpxorq", X(i), X(i), X(i))
		}
	}
	b.I("vzeroupper")
	b.I("ret")
}
