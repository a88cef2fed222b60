// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// avxText returns the program that seals or opens one message.
//
// Text goes through the bulk loop in turns of 32 blocks, and what is left, or
// the whole of a short message, through the short path, which multiplies each
// block by its own power of H and reduces once.
func avxText(k *avxKernel, bits int, seal bool) *ir.Program {
	b := k.builder()
	op := "open"
	if seal {
		op = "seal"
	}
	b.Origin("entry")
	b.Frame(func() {
		b.I("endbr64")
		b.I("sub", RSP, ir.Imm(avxStack))
	})
	avxLengths(b)
	avxJ0(b, bits)
	avxAAD(b)
	avxDispatch(b)
	avxBulk(b, bits, seal)
	avxShortPath(b, bits, seal)
	avxFinish(b, seal)
	return avxProgram(op, bits, b)
}

func stackMem(at int64) ir.Operand { return Mem(ir.Stack, 128, RSP, at) }

// avxLengths makes the length block.
func avxLengths(b *avxBuilder) {
	b.Origin("length block: bits of text, bits of AAD")
	b.I("mov", RAX, rLen)
	b.I("shl", RAX, ir.Imm(3))
	b.I("vmovq", X(0), RAX)
	b.I("mov", RAX, rAADLen)
	b.I("shl", RAX, ir.Imm(3))
	b.I("vpinsrq", X(0), X(0), RAX, ir.Imm(1))
	b.I("vmovdqu", stackMem(avxLens), X(0))
}

// avxJ0 derives J0 from the nonce (SP 800-38D, 7.1, step 2), encrypts it to
// EK0 and leaves the counter blocks after it in nCtr.
func avxJ0(b *avxBuilder, bits int) {
	j0 := X(0)
	b.Origin("nonce of 12 bytes: J0 = nonce, 1")
	b.I("mov", R10, avxNonce)
	b.I("mov", R11, avxNonceLen)
	b.I("cmp", R11, ir.Imm(12))
	b.I("jne", ir.To("nonce_hash"))
	loadNonce(&b.Builder, j0)
	b.I("mov", Low32(RAX), ir.Imm(1<<24))
	b.I("vpinsrd", j0, j0, Low32(RAX), ir.Imm(3))
	b.I("jmp", ir.To("j0"))

	b.Label("nonce_hash")
	b.Origin("nonce of another size: J0 = GHASH(nonce, length)")
	b.I("vmovq", X(1), rOut)
	b.I("vmovq", X(2), rIn)
	b.I("mov", rOut, R10)
	b.I("mov", rIn, R11)
	b.I("shl", R11, ir.Imm(3))
	b.I("vmovq", X(3), R11)
	avxAbsorb(b, "nonce", ir.Nonce, rOut, rIn)
	b.I("vmovq", rOut, X(1))
	b.I("vmovq", rIn, X(2))
	b.Origin("GHASH the last block of the nonce")
	b.multiply(X(nXi), Mem(ir.KeyBlock, 128, rKey, avxPowersEnd-32), true)
	b.Origin("GHASH the length of the nonce")
	b.multiply(X(3), Mem(ir.KeyBlock, 128, rKey, avxPowersEnd-16), false)
	b.reduce(X)
	b.I("vpshufb", j0, X(nXi), Const(128, "bswap", 0))

	b.Label("j0")
	b.Origin("CB after J0")
	b.I("vpshufb", X(nCtr), j0, Const(128, "bswap", 0))
	b.copyLane(nCtr)
	b.I("vpaddd", b.v(nCtr), b.v(nCtr), b.constant("next", 0))
	avxBlock(&b.Builder, bits, "EK0")
	b.I("vmovdqu", stackMem(avxEK0), X(0))
}

// avxAAD leaves the last block of the AAD in nXi and its bytes of powers in
// rLead; both are zero without AAD.
func avxAAD(b *avxBuilder) {
	b.Origin("AAD")
	b.I("vpxor", X(nXi), X(nXi), X(nXi))
	b.I("xor", Low32(rLead), Low32(rLead))
	b.I("test", rAADLen, rAADLen)
	b.I("je", ir.To("dispatch"))
	avxAbsorb(b, "aad", ir.AAD, rAAD, rAADLen)
	b.I("mov", Low32(rLead), ir.Imm(16))
}

// avxDispatch decides how the text that is left goes on: the short path takes
// less than a turn of the bulk loop. Longer texts go through that loop if the
// nonce has 12 bytes: their counters are known, and begin at 2. With other
// nonces the counter derives from H, and neither a branch nor an address may
// depend on it; they take the short path in parts of 32 blocks.
func avxDispatch(b *avxBuilder) {
	b.Label("dispatch")
	b.Origin("choose the path")
	b.I("xor", Low32(rRest), Low32(rRest))
	b.I("cmp", rLen, ir.Imm(avxTurn))
	b.I("jb", ir.To("short"))
	b.I("test", rLead, rLead)
	b.I("je", ir.To("reduced"))
	b.Origin("multiply the block that leads by H")
	b.multiply(X(nXi), Mem(ir.KeyBlock, 128, rKey, avxPowersEnd-16), true)
	b.reduce(X)
	b.I("xor", Low32(rLead), Low32(rLead))

	b.Label("reduced")
	b.Origin("choose the path")
	b.I("mov", RAX, avxNonceLen)
	b.I("cmp", RAX, ir.Imm(12))
	b.I("je", ir.To("bulk"))
	b.Origin("the next 32 blocks alone")
	b.I("mov", rRest, rLen)
	b.I("mov", Low32(rLen), ir.Imm(avxTurn))
	b.I("sub", rRest, rLen)
	b.I("jmp", ir.To("short"))
}

// avxBulk takes turns of 32 blocks while there are as many. When it seals, GHASH
// runs half a turn behind on the ciphertext just written; when it opens, GHASH
// runs beside on the ciphertext about to be overwritten.
func avxBulk(b *avxBuilder, bits int, seal bool) {
	k := b.avxKernel
	b.Label("bulk")
	b.Origin("prepare the bulk loop")
	b.I("xor", Low32(rCounter), Low32(rCounter))
	b.I("lea", rTable, AddrConst("counters"))
	b.I("vpshufb", X(nBase), X(nCtr), Const(128, "bswap", 0))
	b.I("vpxor", X(nBase), X(nBase), Mem(ir.KeyBlock, 128, rKey, 0))
	avxSetBase(b)

	if seal {
		b.Append(avxHalfTurn(k, bits, 0))
		avxHalf(b, bits, 1, avxHalfHash(k, 0, rOut, 0))
		b.nextTurn()
		b.I("jb", ir.To("bulk_end"))
	}
	avxTurns(b, bits, seal)
	if seal {
		b.Label("bulk_end")
		b.Append(avxHalfHash(k, 1, rOut, -avxTurn/2))
	}
	b.Origin("counters for the short path")
	b.I("vpxor", X(nCtr), X(nBase), Mem(ir.KeyBlock, 128, rKey, 0))
	b.I("vpshufb", X(nCtr), X(nCtr), Const(128, "bswap", 0))
	b.I("add", Low32(rCounter), ir.Imm(1))
	b.I("vpinsrd", X(nCtr), X(nCtr), Low32(rCounter), ir.Imm(0))
	b.copyLane(nCtr)
	b.I("vpaddd", b.v(nCtr), b.v(nCtr), b.constant("next", 0))
	b.I("xor", Low32(rLead), Low32(rLead))
}

// avxSkip is how many counters of the first multiple of 32 no block of a text has:
// 0 and that of J0.
const avxSkip = 2

// avxTurns is the bulk loop: one turn and more, while as much is left.
func avxTurns(b *avxBuilder, bits int, seal bool) {
	k := b.avxKernel
	b.Label("bulk_turn")
	if seal {
		avxHalf(b, bits, 0, avxHalfHash(k, 1, rOut, -avxTurn/2))
		b.Label("bulk_half") // the first half is written, and not yet hashed
		avxHalf(b, bits, 1, avxHalfHash(k, 0, rOut, 0))
	} else {
		avxHalf(b, bits, 0, avxHalfHash(k, 0, rIn, 0))
		avxHalf(b, bits, 1, avxHalfHash(k, 1, rIn, avxTurn/2))
	}
	b.nextTurn()
	b.I("jae", ir.To("bulk_turn"))
}

// avxHalf stitches half a turn of counter mode, half h, and GHASH.
func avxHalf(b *avxBuilder, bits, h int, hash []ir.Inst) {
	b.Append(merge(avxModel,
		stitch.Stream{Name: "counter mode", Code: avxHalfTurn(b.avxKernel, bits, h)},
		stitch.Stream{Name: "GHASH", Code: hash}))
}

// nextTurn moves on by a turn and compares what is left with another.
func (b *avxBuilder) nextTurn() {
	b.Origin("next turn")
	b.I("add", rIn, ir.Imm(avxTurn))
	b.I("add", rOut, ir.Imm(avxTurn))
	b.I("sub", rLen, ir.Imm(avxTurn))
	b.I("cmp", rLen, ir.Imm(avxTurn))
}

// avxShortPath takes rLen bytes of text, at most a turn, behind the block in
// nXi, and the length block unless rRest bytes of text are to follow. It leaves
// GHASH in nXi.
func avxShortPath(b *avxBuilder, bits int, seal bool) {
	b.Label("short")
	b.Origin("powers of H for what is left")
	b.I("lea", rPowers, Addr(rLen, 15))
	b.I("and", rPowers, ir.Imm(-16))
	b.I("lea", RAX, Addr(rKey, avxPowersEnd))
	b.I("sub", RAX, rPowers)
	b.I("lea", rPowers, Addr(RAX, -16))
	b.I("test", rRest, rRest)
	b.I("cmovne", rPowers, RAX)
	b.I("mov", RAX, rPowers)
	b.I("sub", RAX, rLead)
	b.Origin("GHASH what leads")
	b.multiply(X(nXi), Mem(ir.KeyBlock, 128, RAX, 0), true)
	b.I("test", rRest, rRest)
	b.I("jne", ir.To("short_more"))
	b.Origin("GHASH the length block")
	b.I("vmovdqu", X(13), stackMem(avxLens))
	b.multiply(X(13), Mem(ir.KeyBlock, 128, rKey, avxPowersEnd-16), false)

	b.Label("short_more")
	b.Origin("four blocks of text")
	b.I("cmp", rLen, ir.Imm(64))
	b.I("jb", ir.To("short_fewer"))
	avxFourBlocks(b, bits, seal)
	b.I("jmp", ir.To("short_more"))

	b.Label("short_fewer")
	b.Origin("one block of text")
	b.I("cmp", rLen, ir.Imm(16))
	b.I("jb", ir.To("short_last"))
	avxOneBlock(b, bits, seal)
	b.I("jmp", ir.To("short_fewer"))

	b.Label("short_last")
	b.I("test", rLen, rLen)
	b.I("je", ir.To("short_end"))
	avxLastBytes(b, bits, seal)

	b.Label("short_end")
	b.reduce(b.v)
	b.fold()
	b.I("test", rRest, rRest)
	b.I("je", ir.To("finish"))
	b.Origin("go on behind the part of 32 blocks")
	b.I("mov", rLen, rRest)
	b.I("xor", Low32(rLead), Low32(rLead))
	b.I("jmp", ir.To("dispatch"))
}

// advance moves the pointers behind n bytes of text.
func (b *avxBuilder) advance(n int64) {
	for _, r := range []ir.Operand{rIn, rOut, rPowers} {
		b.I("add", r, ir.Imm(n))
	}
	b.I("sub", rLen, ir.Imm(n))
}

// avxFourBlocks takes four blocks of text.
func avxFourBlocks(b *avxBuilder, bits int, seal bool) {
	registers := 4 / b.lanes
	b.nextStates(registers)
	blocks := func(i int) string { return blockNames(i*b.lanes, b.lanes) }
	b.rounds(bits, registers, blocks)
	for i := range registers {
		state, text, at := b.v(i), b.v(4+i), int64(i)*b.bytes()
		b.Origin("text of %s", blocks(i))
		b.I("vmovdqu", text, Mem(ir.Text, b.width(), rIn, at))
		b.I("vpxor", state, state, text)
		b.I("vmovdqu", Mem(ir.Text, b.width(), rOut, at), state)
	}
	for i := range registers {
		c := b.v(4 + i)
		if seal {
			c = b.v(i)
		}
		b.Origin("GHASH %s", blocks(i))
		b.I("vpshufb", c, c, b.constant("bswap", 0))
		b.multiply(c, Mem(ir.KeyBlock, b.width(), rPowers, int64(i)*b.bytes()), false)
	}
	b.Origin("next four blocks")
	b.advance(64)
}

// keyStream makes one block of key stream in x0 and moves nCtr on by it.
func (b *avxBuilder) keyStream(bits int) {
	b.Origin("CB")
	b.I("vpshufb", X(0), X(nCtr), Const(128, "bswap", 0))
	b.I("vpaddd", b.v(nCtr), b.v(nCtr), b.constant("ones", 0))
	avxBlock(&b.Builder, bits, "AES block")
}

// hashBlock adds the product of the block in x with the power at rPowers.
func (b *avxBuilder) hashBlock(x ir.Operand) {
	b.Origin("GHASH block")
	b.I("vpshufb", x, x, Const(128, "bswap", 0))
	b.multiply(x, Mem(ir.KeyBlock, 128, rPowers, 0), false)
}

// avxOneBlock takes one block of text.
func avxOneBlock(b *avxBuilder, bits int, seal bool) {
	b.keyStream(bits)
	b.Origin("text")
	b.I("vmovdqu", X(4), Mem(ir.Text, 128, rIn, 0))
	b.I("vpxor", X(0), X(0), X(4))
	b.I("vmovdqu", Mem(ir.Text, 128, rOut, 0), X(0))
	if seal {
		b.hashBlock(X(0))
	} else {
		b.hashBlock(X(4))
	}
	b.Origin("next block")
	b.advance(16)
}

// avxLastBytes takes the last 1 to 15 bytes of text and leaves rOut behind them.
func avxLastBytes(b *avxBuilder, bits int, seal bool) {
	text := X(4)
	b.keyStream(bits)
	b.Origin("the last 1 to 15 bytes of text")
	b.loadBytes("text", ir.Text, text, rIn, rLen)
	b.I("vpxor", X(0), X(0), text)
	if seal {
		b.Origin("the last 1 to 15 bytes of text, zeros behind them")
		b.keepBytes(X(0), rLen)
		b.I("vmovdqu", text, X(0))
	}
	b.hashBlock(text)
	b.Origin("the last 1 to 15 bytes of text")
	b.storeBytes("text", ir.Text, X(0), rOut, rLen)
}

// loadBytes loads the n bytes at p, 1 to 15, into x and clears the rest of it. It
// begins with the last of them; p is changed.
func (b *avxBuilder) loadBytes(name string, space ir.Space, x, p, n ir.Operand) {
	b.I("vpxor", x, x, x)
	b.I("add", p, n)
	for _, size := range []struct {
		letter string
		bytes  int64
	}{{"b", 1}, {"w", 2}, {"d", 4}, {"q", 8}} {
		next := fmt.Sprintf("%s_load%d", name, 2*size.bytes)
		b.I("test", Low32(n), ir.Imm(size.bytes))
		b.I("je", ir.To(next))
		if size.letter != "b" {
			b.I("vpslldq", x, x, ir.Imm(size.bytes))
		}
		b.I("sub", p, ir.Imm(size.bytes))
		b.I("vpinsr"+size.letter, x, x, Mem(space, int(8*size.bytes), p, 0), ir.Imm(0))
		b.Label(next)
	}
}

// storeBytes stores the first n bytes of x, where n is given by its low four
// bits, at p; x and p are changed.
func (b *avxBuilder) storeBytes(name string, space ir.Space, x, p, n ir.Operand) {
	for _, size := range []struct {
		letter string
		bytes  int64
	}{{"q", 8}, {"d", 4}, {"w", 2}, {"b", 1}} {
		next := fmt.Sprintf("%s_stored%d", name, size.bytes)
		b.I("test", Low32(n), ir.Imm(size.bytes))
		b.I("je", ir.To(next))
		b.I("vpextr"+size.letter, Mem(space, int(8*size.bytes), p, 0), x, ir.Imm(0))
		b.I("add", p, ir.Imm(size.bytes))
		if size.letter != "b" {
			b.I("vpsrldq", x, x, ir.Imm(size.bytes))
		}
		b.Label(next)
	}
}

// keepBytes clears all but the first n bytes of x, 1 to 15. It uses rax.
func (b *avxBuilder) keepBytes(x, n ir.Operand) {
	b.I("lea", RAX, AddrConst("mask"))
	b.I("add", RAX, ir.Imm(16))
	b.I("sub", RAX, n)
	b.I("vpand", x, x, Mem(ir.Rodata, 128, RAX, 0))
}

// avxFinish makes the tag, writes or compares it, and wipes registers and stack.
func avxFinish(b *avxBuilder, seal bool) {
	tag, want := X(0), X(1)
	rTag, rTagLen := R11, R10
	b.Label("finish")
	b.Origin("tag = GHASH xor EK0")
	b.I("vpshufb", tag, X(nXi), Const(128, "bswap", 0))
	b.I("vpxor", tag, tag, stackMem(avxEK0))
	b.I("mov", rTag, avxTag)
	b.I("mov", rTagLen, avxTagLen)
	b.I("cmp", rTagLen, ir.Imm(16))
	b.I("jne", ir.To("tag_short"))
	if seal {
		b.I("vmovdqu", Mem(ir.Tag, 128, rTag, 0), tag)
	} else {
		b.I("vmovdqu", want, Mem(ir.Tag, 128, rTag, 0))
		b.I("vpxor", tag, tag, want)
		b.Label("tag_compare")
		b.Origin("compare the tag")
		b.I("mov", Low32(RAX), ir.Imm(1))
		b.I("vptest", tag, tag)
		b.I("je", ir.To("wipe"))
		b.Origin("wrong tag: clear the output")
		b.I("mov", rLen, Mem(ir.Stack, 64, RSP, avxLens))
		b.I("shr", rLen, ir.Imm(3))
		b.I("sub", rOut, rLen)
		b.I("vpxor", X(0), X(0), X(0))
		b.I("cmp", rLen, ir.Imm(16))
		b.I("jb", ir.To("clear_last"))
		b.Label("clear")
		b.I("vmovdqu", Mem(ir.Text, 128, rOut, 0), X(0))
		b.I("add", rOut, ir.Imm(16))
		b.I("sub", rLen, ir.Imm(16))
		b.I("cmp", rLen, ir.Imm(16))
		b.I("jae", ir.To("clear"))
		b.Label("clear_last")
		b.storeBytes("clear", ir.Text, X(0), rOut, rLen)
		b.I("xor", Low32(RAX), Low32(RAX))
	}
	b.Label("wipe")
	b.Origin("leave no secret in a register or on the stack")
	b.I("xor", Low32(R11), Low32(R11))
	b.I("vpxor", X(0), X(0), X(0))
	b.I("vmovdqu", stackMem(avxEK0), X(0))
	b.wipe(1)
	b.Frame(func() { b.I("add", RSP, ir.Imm(avxStack)) })
	b.Origin("return")
	b.I("ret")

	b.Label("tag_short")
	b.Origin("tag of less than 16 bytes")
	if seal {
		b.storeBytes("tag", ir.Tag, tag, rTag, rTagLen)
		b.I("jmp", ir.To("wipe"))
		return
	}
	b.loadBytes("tag", ir.Tag, want, rTag, rTagLen)
	b.I("vpxor", tag, tag, want)
	b.keepBytes(tag, rTagLen)
	b.I("jmp", ir.To("tag_compare"))
}

// wipe clears the vector registers from first on.
func (b *avxBuilder) wipe(first int) {
	for i := first; i < 16; i++ {
		b.I("vpxor", X(i), X(i), X(i))
	}
	if b.lanes == 2 {
		b.I("vzeroupper")
	}
}
