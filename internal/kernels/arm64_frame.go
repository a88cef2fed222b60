// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// armText returns the program that seals or opens one message.
//
// A brief message has a nonce of 12 bytes and at most 31 blocks of AAD and text.
// Each block is multiplied by its own power of H, and all are reduced once. Of
// any other, the AAD is hashed in parts of 32 blocks, the bulk loop takes turns
// of 16 blocks of text, and the loop over single blocks takes what is left.
func armText(k *armKernel, bits int, seal bool) *ir.Program {
	b := k.builder()
	op := "open"
	if seal {
		op = "seal"
	}
	armEntry(b, bits, seal)
	armBriefAAD(b, bits)
	armBlocksOfText(b, "brief", bits, seal)
	armReduce(b, V(0), V(1), V(2))
	armFinish(b, bits, seal)
	armJ0(b, bits)
	armLong(b, bits, seal)
	armBlocksOfText(b, "text", bits, seal)
	armReduce(b, V(0), V(1), V(2))
	b.I("cbnz", xLen, ir.To("long_text"))
	b.I("b", ir.To("finish"))
	armNonceHash(b)
	return armProgram(op, bits, b)
}

// armSaved calls f for each pair of registers to be preserved.
func armSaved(f func(d0, d1 ir.Operand, at int64)) {
	for i := range 4 {
		f(As("d", V(8+2*i)), As("d", V(9+2*i)), int64(16*i))
	}
}

// armSave saves registers.
func armSave(b *armBuilder) {
	b.Frame(func() {
		b.Origin("save registers")
		armSaved(func(d0, d1 ir.Operand, at int64) {
			mem := Mem(ir.Stack, 128, SP, at)
			if at == 0 {
				mem = Pre(ir.Stack, 128, SP, -64)
			}
			b.I("stp", d0, d1, mem)
		})
	})
}

// armReturn brings registers back and returns. block is where the key block is.
func armReturn(b *armBuilder, block ir.Operand) {
	b.Frame(func() {
		restore := func(d0, d1 ir.Operand, mem ir.Operand) {
			b.Origin("restore registers")
			b.I("ldp", d0, d1, mem)
			b.Instead(func() { // else this is what takes the round keys out
				b.Origin("leave no secret in a register")
				armForget(b, block, d0.Reg.Num, d1.Reg.Num+1)
			})
		}
		armSaved(func(d0, d1 ir.Operand, at int64) {
			if at > 0 {
				restore(d0, d1, Mem(ir.Stack, 128, SP, at))
			}
		})
		restore(As("d", V(8)), As("d", V(9)), Post(ir.Stack, 128, SP, 64))
	})
	b.Origin("return")
	b.I("ret")
}

// armEntry keeps registers, loads constants and round keys, and chooses the
// path.
func armEntry(b *armBuilder, bits int, seal bool) {
	b.Origin("entry")
	b.Frame(func() { b.I("hint", ir.Imm(34)) })
	b.Origin("arguments")
	b.I("ldp", xTag, xTagLen, Mem(ir.Args, 128, SP, 0))
	armSave(b)
	b.Origin("bits of AAD, bits of text")
	b.I("lsl", xAADBits, xAADLen, ir.Imm(3))
	b.I("lsl", xTextBits, xLen, ir.Imm(3))
	if !seal {
		b.I("mov", xStart, xOut)
	}
	b.Origin("constants")
	b.I("ldp", As("q", aFirsts), As("q", aLasts), keyMem(256, armFirsts))
	armLoadKeys(b, bits)
	b.Origin("choose the path")
	b.I("cmp", xNonceLen, ir.Imm(12))
	b.I("b.ne", ir.To("nonce_hash"))
	b.Label("lengths")
	b.Origin("blocks of AAD and text")
	b.I("add", xTmp, xLen, ir.Imm(15))
	b.I("lsr", xTmp, xTmp, ir.Imm(4))
	b.I("add", xTmp2, xAADLen, ir.Imm(15))
	b.I("lsr", xTmp2, xTmp2, ir.Imm(4))
	b.I("add", xTmp, xTmp, xTmp2)
	b.I("cmp", xTmp, ir.Imm(armTopExp-1))
	b.I("b.hi", ir.To("long_nonce"))
	armPowers(b, xTmp, armH)
}

// armBriefAAD encrypts J0 of a brief message, begins the sums with the length
// block and adds the AAD.
func armBriefAAD(b *armBuilder, bits int) {
	b.Label("brief_j0")
	armBrief(b)
	armNextBlocks(b, true, aEK0)
	armRounds(b, bits, true, "J0", aEK0)
	b.Label("lengths_block")
	armLengthBlock(b)
	b.Label("brief_aad")
	b.I("cbz", xAADLen, ir.To("brief"))
	b.I("subs", xPart, xAADLen, ir.Imm(16))
	b.I("b.lo", ir.To("aad_last"))
	b.I("mov", xPart, xAADLen)
	armBlocks(b, "aad", ir.AAD, xAAD)
}

// armJ0 makes J0 of a nonce of 12 bytes for a long message (SP 800-38D, 7.1, step
// 2). At j0, any J0 is encrypted to aEK0, and the counter block after it goes to
// aCtr.
func armJ0(b *armBuilder, bits int) {
	b.Label("long_nonce")
	b.Origin("nonce of 12 bytes: J0 = nonce, 1")
	b.I("ldr", As("d", aEK0), Post(ir.Nonce, 64, xNonce, 8))
	b.I("ld1", LoadLane("s", aEK0, 2), Mem(ir.Nonce, 32, xNonce, 0))
	b.I("mov", W(xTmp), ir.Imm(1<<24))
	b.I("mov", Lane("s", aEK0, 3), W(xTmp))
	b.Label("j0")
	b.Origin("CB after J0")
	b.I("ldr", As("q", aOne), keyMem(128, armOne))
	b.I("rev32", aCtr, aEK0)
	b.I("add", As("4s", aCtr), As("4s", aCtr), As("4s", aOne))
	armRounds(b, bits, false, "J0", aEK0)
}

// armPowers points xPowers n powers before the one at offset at. n is changed.
func armPowers(b *armBuilder, n ir.Operand, at int64) {
	b.I("lsl", n, n, ir.Imm(3))
	b.I("add", xPowers, xKey, ir.Imm(at))
	b.I("sub", xPowers, xPowers, n)
}

// armPartPowers points xPowers at the power of H for the first block of the
// part of xPart bytes, the last of which takes the power at the offset at.
func armPartPowers(b *armBuilder, at int64) {
	b.Origin("power of H for the first block")
	b.I("add", xTmp, xPart, ir.Imm(15))
	b.I("lsr", xTmp, xTmp, ir.Imm(4))
	armPowers(b, xTmp, at)
}

// armLengthBlock begins the sums with the products of the length block.
func armLengthBlock(b *armBuilder) {
	b.Origin("GHASH length block, halves")
	b.I("fmov", As("d", V(0)), xAADBits)
	b.I("fmov", As("d", V(1)), xTextBits)
	b.I("eor", V(2), V(0), V(1))
	armMultiply(b, "GHASH length block", [3]ir.Operand{V(0), V(1), V(2)}, V(3), xKey, armH, 0, true)
}

// armBlocks adds the products of the xPart bytes at p, at least 1, to the
// sums, and moves p and xPowers on.
func armBlocks(b *armBuilder, name string, space ir.Space, p ir.Operand) {
	c := [4]ir.Operand{V(0), V(1), V(2), V(3)}
	t := [4]ir.Operand{V(4), V(5), V(6), V(7)}
	b.Label(name)
	b.Origin("%s: four blocks", name)
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.lo", ir.To(name+"_fewer"))
	b.Label(name + "_four")
	b.I("ldp", As("q", c[0]), As("q", c[1]), Post(space, 256, p, 32))
	b.I("ldp", As("q", c[2]), As("q", c[3]), Post(space, 256, p, 32))
	armHash4(b, name, c, t, xPowers, 0, 32, false)
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.hs", ir.To(name+"_four"))
	b.Label(name + "_fewer")
	b.I("and", xPart, xPart, ir.Imm(63))
	b.I("cbz", xPart, ir.To(name+"_end"))
	b.Label(name + "_one")
	b.Origin("%s: one block", name)
	b.I("subs", xPart, xPart, ir.Imm(16))
	b.I("b.lo", ir.To(name+"_last"))
	b.I("ldr", As("q", V(0)), Post(space, 128, p, 16))
	armHash1(b, name, V(0), [3]ir.Operand{V(1), V(2), V(3)})
	b.I("cbnz", xPart, ir.To(name+"_one"))
	b.I("b", ir.To(name+"_end"))
	b.Label(name + "_last")
	b.Origin("%s: the last 1 to 15 bytes", name)
	h := [3]ir.Operand{V(1), V(2), V(3)}
	b.I("tbnz", xPart, ir.Imm(3), ir.To(name+"_load8"))
	armLoadFew(b, name, space, V(0), p, xPart, 16)
	armHalves(b, h, V(0), V(0), aLasts)
	b.I("b", ir.To(name+"_halves"))
	b.Label(name + "_load8")
	armLoadMany(b, space, V(0), V(4), V(5), p, xPart, 16)
	armHalves(b, h, V(0), V(4), aFirsts)
	b.Label(name + "_halves")
	armHashHalves(b, name, h, V(0))
	b.Label(name + "_end")
}

// armLoadBytes loads the bytes at p, 1 to 15, into v and clears the rest of it. n is
// their number less some, which is 0 or 16. p, u, t and xTmp end up as anything.
func armLoadBytes(b *armBuilder, name string, space ir.Space, v, u, t, p, n ir.Operand, less int64) {
	b.I("tbnz", n, ir.Imm(3), ir.To(name+"_load8"))
	armLoadFew(b, name, space, v, p, n, less)
	b.I("b", ir.To(name+"_loaded"))
	b.Label(name + "_load8")
	armLoadMany(b, space, v, u, t, p, n, less)
	b.I("trn1", As("2d", v), As("2d", v), As("2d", u))
	b.Label(name + "_loaded")
}

// armLoadMany is armLoadBytes for 8 to 15 bytes, in two halves: the first 8 go to v,
// and what is behind them to the low half of u. The last 8 are loaded for that, and
// moved over those that both have.
func armLoadMany(b *armBuilder, space ir.Space, v, u, t, p, n ir.Operand, less int64) {
	b.I("ldr", As("d", v), Mem(space, 64, p, 0))
	b.I("add", p, p, n)
	b.I("ldr", As("d", u), Mem(space, 64, p, less-8))
	b.I("sub", xTmp, xKey, n)
	b.I("ldr", As("d", t), Mem(ir.KeyBlock, 64, xTmp, armIota+16-less)) // beyond 7 are zeros
	b.I("tbl", u, Table(u), t)
}

// armLoadFew is armLoadBytes for 1 to 7 bytes. It begins with the last of them.
func armLoadFew(b *armBuilder, name string, space ir.Space, v, p, n ir.Operand, less int64) {
	b.I("movi", As("2d", v), ir.Imm(0))
	b.I("add", p, p, n)
	if less != 0 {
		b.I("add", p, p, ir.Imm(less))
	}
	b.I("tbz", n, ir.Imm(0), ir.To(name+"_load2"))
	b.I("ldr", As("b", v), Pre(space, 8, p, -1))
	for bit, size := range []string{"h", "s"} {
		bytes := int64(2) << bit
		b.Label(name + "_load" + string('0'+byte(bytes)))
		next := name + "_load4"
		if size == "s" {
			next = name + "_few"
		}
		b.I("tbz", n, ir.Imm(int64(bit+1)), ir.To(next))
		b.I("ext", v, v, v, ir.Imm(16-bytes))
		b.I("sub", p, p, ir.Imm(bytes))
		b.I("ld1", LoadLane(size, v, 0), Mem(space, int(8*bytes), p, 0))
	}
	b.Label(name + "_few")
}

// armStoreBytes stores the first n bytes of v, where n is given by its low
// four bits, at p; v and p are changed.
func armStoreBytes(b *armBuilder, name string, space ir.Space, v, p, n ir.Operand) {
	for bit, size := range []string{"d", "s", "h", "b"} {
		bytes := int64(8) >> bit
		next := name + "_stored" + string('0'+byte(bytes))
		b.I("tbz", n, ir.Imm(int64(3-bit)), ir.To(next))
		b.I("str", As(size, v), Post(space, int(8*bytes), p, bytes))
		if size != "b" {
			b.I("ext", v, v, v, ir.Imm(bytes))
		}
		b.Label(next)
	}
}

// armMask clears all but the first n bytes of v, using t and u.
func armMask(b *armBuilder, v, n, t, u ir.Operand) {
	b.I("dup", t, W(n))
	b.I("ldr", As("q", u), keyMem(128, armIota))
	b.I("cmhi", t, t, u)
	b.I("and", v, v, t)
}

// armBlocksOfText takes the text of a brief message, or xPart bytes of any other,
// with powers of H from xPowers on.
func armBlocksOfText(b *armBuilder, name string, bits int, seal bool) {
	brief := name == "brief"
	lastKey := armRoundKey(roundsFor(bits))
	s := [4]ir.Operand{V(0), V(1), V(2), V(3)} // AES states
	x := [4]ir.Operand{V(4), V(5), V(6), V(7)} // text
	c, t := x, s                               // ciphertext, scratch
	if seal {
		c, t = s, x
	}
	length := xPart
	if brief {
		length = xLen
	}
	b.Label(name)
	b.Origin("four blocks of text")
	b.I("subs", xPart, length, ir.Imm(64))
	b.I("b.lo", ir.To(name+"_fewer"))
	b.Label(name + "_four")
	armNextBlocks(b, brief, s[:]...)
	armRounds(b, bits, brief, "AES block", s[:]...)
	b.Origin("text")
	b.I("ldp", As("q", x[0]), As("q", x[1]), Post(ir.Text, 256, xIn, 32))
	b.I("ldp", As("q", x[2]), As("q", x[3]), Post(ir.Text, 256, xIn, 32))
	for i := range 4 {
		b.Origin("AES block %d, last round key, xor text", i)
		b.eor3(s[i], s[i], lastKey, x[i])
	}
	b.Origin("text")
	b.I("stp", As("q", s[0]), As("q", s[1]), Post(ir.Text, 256, xOut, 32))
	b.I("stp", As("q", s[2]), As("q", s[3]), Post(ir.Text, 256, xOut, 32))
	armHash4(b, "GHASH", c, t, xPowers, 0, 32, false)
	b.Origin("four blocks of text")
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.hs", ir.To(name+"_four"))
	b.Label(name + "_fewer")
	b.I("and", xPart, xPart, ir.Imm(63))
	b.I("cbz", xPart, ir.To(name+"_end"))

	b.Label(name + "_one")
	armNextBlocks(b, brief, s[0])
	armRounds(b, bits, brief, "AES block", s[0])
	b.Origin("one block of text")
	b.I("subs", xPart, xPart, ir.Imm(16))
	b.I("b.lo", ir.To(name+"_last"))
	b.I("ldr", As("q", x[0]), Post(ir.Text, 128, xIn, 16))
	b.eor3(s[0], s[0], lastKey, x[0])
	b.I("str", As("q", s[0]), Post(ir.Text, 128, xOut, 16))
	armHash1(b, "GHASH", c[0], [3]ir.Operand{V(1), V(2), V(3)})
	b.I("cbnz", xPart, ir.To(name+"_one"))
	b.I("b", ir.To(name+"_end"))

	b.Label(name + "_last")
	b.Origin("the last 1 to 15 bytes of text")
	armLoadBytes(b, name, ir.Text, x[0], x[1], x[2], xIn, xPart, 16)
	b.eor3(s[0], s[0], lastKey, x[0])
	if seal {
		b.I("and", xPart, xPart, ir.Imm(15))
		armMask(b, s[0], xPart, V(1), V(2))
		b.I("mov", x[0], s[0])
	}
	armHash1(b, "GHASH", x[0], [3]ir.Operand{V(1), V(2), V(3)})
	b.Origin("the last 1 to 15 bytes of text")
	armStoreBytes(b, name, ir.Text, s[0], xOut, xPart)
	b.Label(name + "_end")
}

// armFinish makes the tag, writes or compares it, and wipes the registers.
func armFinish(b *armBuilder, bits int, seal bool) {
	tag, want := V(0), V(1)
	block := xKey // where the key block is once x0 holds the result
	if !seal {
		block = xNonce
	}
	b.Label("finish")
	b.Origin("tag = GHASH xor EK0")
	b.I("ldr", As("q", V(2)), keyMem(128, armReverse))
	b.I("tbl", tag, Table(aXi), V(2))
	b.eor3(tag, tag, aEK0, armRoundKey(roundsFor(bits)))
	b.I("cmp", xTagLen, ir.Imm(16))
	b.I("b.ne", ir.To("tag_short"))
	if seal {
		b.I("str", As("q", tag), Mem(ir.Tag, 128, xTag, 0))
	} else {
		b.I("ldr", As("q", want), Mem(ir.Tag, 128, xTag, 0))
		b.Label("tag_compare")
		b.Origin("compare the tag")
		b.I("eor", tag, tag, want)
		b.I("fmov", xTmp, As("d", tag))
		b.I("mov", xTmp2, Lane("d", tag, 1))
		b.I("orr", xTmp, xTmp, xTmp2)
		b.I("cmp", xTmp, ir.Imm(0))
		b.I("mov", block, xKey)
		b.I("cset", X(0), Cond("eq"))
		b.I("b.eq", ir.To("wipe"))
		b.Origin("wrong tag: clear the output")
		b.I("lsr", xLen, xTextBits, ir.Imm(3))
		b.I("movi", As("2d", V(0)), ir.Imm(0))
		b.I("b", ir.To("clear_more"))
		b.Label("clear_block")
		b.I("str", As("q", V(0)), Post(ir.Text, 128, xStart, 16))
		b.Label("clear_more")
		b.I("subs", xLen, xLen, ir.Imm(16))
		b.I("b.hs", ir.To("clear_block"))
		armStoreBytes(b, "clear", ir.Text, V(0), xStart, xLen)
	}
	b.Label("wipe")
	b.Origin("leave no secret in a register")
	if !seal {
		b.I("mov", xTmp, ir.Imm(0))
		b.I("mov", xTmp2, ir.Imm(0))
	}
	armForget(b, block, 0, 8)
	armForget(b, block, 16, armRoundKey(roundsFor(bits)).Reg.Num+1)
	armForget(b, block, aEK0.Reg.Num, aCtr.Reg.Num+1)
	armReturn(b, block)

	b.Label("tag_short")
	b.Origin("tag of less than 16 bytes")
	if seal {
		armStoreBytes(b, "tag", ir.Tag, tag, xTag, xTagLen)
		b.I("b", ir.To("wipe"))
		return
	}
	armLoadBytes(b, "tag", ir.Tag, want, V(2), V(3), xTag, xTagLen, 0)
	armMask(b, tag, xTagLen, V(2), V(3))
	b.I("b", ir.To("tag_compare"))
}

// armForget loads constants over vector registers from first up to but not
// including end: two in one instruction.
func armForget(b *armBuilder, block ir.Operand, first, end int) {
	for ; first+1 < end; first += 2 {
		b.I("ldp", As("q", V(first)), As("q", V(first+1)), Mem(ir.KeyBlock, 256, block, armFirsts))
	}
	armWipe(b, first, end)
}

// armWipe clears vector registers from first up to but not including end.
func armWipe(b *armBuilder, first, end int) {
	for i := first; i < end; i++ {
		b.I("movi", As("2d", V(i)), ir.Imm(0))
	}
}

// armAbsorb hashes the length bytes at p, at least 1, in parts of at most 32
// blocks, each with one reduction.
func armAbsorb(b *armBuilder, name string, space ir.Space, p, length ir.Operand) {
	b.Label(name + "_part")
	b.Origin("%s: at most 32 blocks", name)
	b.I("mov", xPart, ir.Imm(16*armTopExp))
	b.I("cmp", length, xPart)
	b.I("csel", xPart, length, xPart, Cond("lo"))
	b.I("sub", length, length, xPart)
	armPartPowers(b, armH+8)
	armMultiplyXi(b, true)
	armBlocks(b, name, space, p)
	armReduce(b, V(0), V(1), V(2))
	b.I("cbnz", length, ir.To(name+"_part"))
}

// armNonceHash makes J0 = GHASH(nonce, length) in aEK0.
func armNonceHash(b *armBuilder) {
	b.Label("nonce_hash")
	b.Origin("nonce of another size: J0 = GHASH(nonce, length)")
	b.I("lsl", xCounter, xNonceLen, ir.Imm(3))
	b.I("movi", As("2d", aXi), ir.Imm(0))
	armAbsorb(b, "nonce", ir.Nonce, xNonce, xNonceLen)
	b.Label("nonce_hashed")
	b.Origin("GHASH length of the nonce")
	b.I("fmov", As("d", V(0)), xCounter)
	b.I("eor", aXi, aXi, V(0))
	b.I("add", xPowers, xKey, ir.Imm(armH))
	armMultiplyXi(b, true)
	armReduce(b, V(0), V(1), V(2))
	b.Origin("J0")
	b.I("ldr", As("q", V(2)), keyMem(128, armReverse))
	b.I("tbl", aEK0, Table(aXi), V(2))
	b.I("b", ir.To("j0"))
}

// armLong hashes the AAD of a long message, takes its text through the bulk loop
// and leaves what is left of it to armBlocksOfText. The bulk loop begins where
// the counter is 2 behind a multiple of 16, as it is after a 12-byte nonce; after
// another, armBlocksOfText takes all blocks, 16 at a time. No path depends on the
// counter, which may depend on H.
func armLong(b *armBuilder, bits int, seal bool) {
	b.Label("long")
	b.Origin("long message")
	b.I("movi", As("2d", aXi), ir.Imm(0))
	b.I("cbz", xAADLen, ir.To("long_text"))
	armAbsorb(b, "long_aad", ir.AAD, xAAD, xAADLen)

	b.Label("long_text")
	b.Origin("choose the path")
	b.I("cmp", xLen, ir.Imm(armTurn))
	b.I("b.lo", ir.To("rest"))
	b.I("cmp", xNonceLen, ir.Imm(12))
	b.I("b.eq", ir.To("bulk"))
	b.I("cmp", xLen, ir.Imm(16*(armTopExp-1)+1))
	b.I("b.lo", ir.To("rest"))
	b.Origin("the next 16 blocks alone")
	b.I("mov", xPart, ir.Imm(armTurn))
	b.I("sub", xLen, xLen, xPart)
	armPartPowers(b, armH+8)
	armMultiplyXi(b, true)
	b.I("b", ir.To("text"))

	armBulk(b, bits, seal)

	b.Label("rest")
	b.Origin("rest of the text")
	b.I("mov", xCounter, ir.Imm(0))
	b.I("mov", xPart, xLen)
	b.I("mov", xLen, ir.Imm(0))
	armLengthBlock(b)
	armPartPowers(b, armH)
	armMultiplyXi(b, false)
}

// armBulk takes turns of 16 blocks while there are as many, from aCtr on, and
// leaves registers as armBlocksOfText wants them.
func armBulk(b *armBuilder, bits int, seal bool) {
	b.Label("bulk")
	b.Origin("prepare the bulk loop")
	b.I("mov", xCounter, ir.Imm(0))
	b.I("add", xPowers, xKey, ir.Imm(armH-8*15))
	b.I("rev32", aBase, aCtr)
	armTurns(b, bits, seal)
	b.Origin("back to single blocks")
	b.I("add", W(xCounter), W(xCounter), ir.Imm(armAhead))
	b.I("mov", Lane("s", aCtr, 3), W(xCounter))
	b.I("ldr", As("q", aOne), keyMem(128, armOne))
	armWipe(b, armRoundKey(roundsFor(bits)).Reg.Num+1, aEK0.Reg.Num)
	armLoadKeys(b, bits)
}

// armTurns takes turns of 16 blocks while there are as many, of which there is one,
// from the multiple of 16 in xCounter on; aBase is a counter block but for its
// counter. When it seals, GHASH runs a turn behind on the ciphertext just
// written; when it opens, it runs beside on the ciphertext about to be overwritten.
func armTurns(b *armBuilder, bits int, seal bool) {
	armSetBase(b)
	armStartTurn(b)
	ctr := armCounterTurn(b.kernel, bits)
	stitched := func(base ir.Operand, at int64) {
		b.Append(merge(armModel,
			stitch.Stream{Name: "counter mode", Code: ctr},
			stitch.Stream{Name: "GHASH", Code: armHashTurn(b.kernel, base, at)}))
	}
	advance := func() {
		b.Origin("next turn")
		b.I("add", xIn, xIn, ir.Imm(armTurn))
		b.I("add", xOut, xOut, ir.Imm(armTurn))
		b.I("sub", xLen, xLen, ir.Imm(armTurn))
		b.I("cmp", xLen, ir.Imm(armTurn))
	}
	if seal {
		b.Append(ctr)
		advance()
		b.I("b.lo", ir.To("bulk_end"))
	}
	b.Label("bulk_turn")
	if seal {
		stitched(xOut, -armTurn)
	} else {
		stitched(xIn, 0)
	}
	advance()
	b.I("b.hs", ir.To("bulk_turn"))
	if seal {
		b.Label("bulk_end")
		b.Append(armHashTurn(b.kernel, xOut, -armTurn))
	}
}
