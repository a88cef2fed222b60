// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// eor3Text returns the program that seals or opens one message.
//
// A message of at most 31 blocks of AAD and text takes the short path, which
// multiplies each block by its own power of H and reduces once. Of a longer
// one, the AAD is hashed in parts of 32 blocks, the bulk loop takes turns of
// 16 blocks of text, and the short path takes what is left.
func eor3Text(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open"
	if seal {
		op = "seal"
	}
	eor3Entry(b, bits)
	eor3J0(b, bits)
	eor3ShortAAD(b)
	eor3ShortText(b, bits, seal)
	eor3Finish(b, bits, seal)
	eor3Long(b, bits, seal)
	eor3NonceHash(b)
	return eor3Program(op, bits, b)
}

// eor3Saved calls f for each pair of registers to be preserved.
func eor3Saved(f func(d0, d1 ir.Operand, at int64)) {
	for i := range 4 {
		f(As("d", V(8+2*i)), As("d", V(9+2*i)), int64(16*i))
	}
}

func eor3Entry(b *ir.Builder, bits int) {
	b.Origin("entry")
	b.Frame(func() { b.I("hint", ir.Imm(34)) })
	b.Origin("arguments")
	b.I("ldp", xTag, xTagLen, Mem(ir.Args, 128, SP, 0))
	b.Frame(func() {
		b.Origin("save registers")
		eor3Saved(func(d0, d1 ir.Operand, at int64) {
			mem := Mem(ir.Stack, 128, SP, at)
			if at == 0 {
				mem = Pre(ir.Stack, 128, SP, -64)
			}
			b.I("stp", d0, d1, mem)
		})
	})
	b.Origin("bits of AAD, bits of text")
	b.I("lsl", xAADBits, xAADLen, ir.Imm(3))
	b.I("lsl", xTextBits, xLen, ir.Imm(3))
	b.I("mov", xStart, xOut)
	b.Origin("constants")
	b.I("ldr", As("q", aFirsts), keyMem(128, eor3Firsts))
	b.I("ldr", As("q", aLasts), keyMem(128, eor3Lasts))
	b.I("ldr", As("q", aOne), keyMem(128, eor3One))
	eor3LoadKeys(b, bits)
}

// eor3J0 derives J0 from the nonce (SP 800-38D, 7.1, step 2), encrypts it to
// aEK0 and leaves the counter block after it in aCtr.
func eor3J0(b *ir.Builder, bits int) {
	b.Origin("nonce of 12 bytes: J0 = nonce, 1")
	b.I("cmp", xNonceLen, ir.Imm(12))
	b.I("b.ne", ir.To("nonce_hash"))
	b.I("ldr", As("d", aEK0), Post(ir.Nonce, 64, xNonce, 8))
	b.I("ld1", LoadLane("s", aEK0, 2), Mem(ir.Nonce, 32, xNonce, 0))
	b.I("mov", W(xTmp), ir.Imm(1<<24))
	b.I("mov", Lane("s", aEK0, 3), W(xTmp))
	b.Label("j0")
	b.Origin("CB after J0")
	b.I("rev32", aCtr, aEK0)
	b.I("add", As("4s", aCtr), As("4s", aCtr), As("4s", aOne))
	eor3Rounds(b, bits, "J0", aEK0)
}

// eor3ShortAAD chooses the path, begins the sums with the length block and
// adds the AAD.
func eor3ShortAAD(b *ir.Builder) {
	b.Label("lengths")
	b.Origin("blocks of AAD and text")
	b.I("add", xTmp, xLen, ir.Imm(15))
	b.I("lsr", xTmp, xTmp, ir.Imm(4))
	b.I("add", xTmp2, xAADLen, ir.Imm(15))
	b.I("lsr", xTmp2, xTmp2, ir.Imm(4))
	b.I("add", xTmp, xTmp, xTmp2)
	b.I("cmp", xTmp, ir.Imm(eor3TopExp-1))
	b.I("b.hi", ir.To("long"))
	eor3Powers(b, xTmp, eor3H)
	eor3LengthBlock(b)
	b.I("cbz", xAADLen, ir.To("short_text"))
	b.I("mov", xPart, xAADLen)
	eor3Blocks(b, "aad", ir.AAD, xAAD)
	b.Label("short_text")
	b.I("mov", xPart, xLen)
	b.I("mov", xLen, ir.Imm(0))
}

// eor3Powers points xPowers n powers before the one at offset at. n is changed.
func eor3Powers(b *ir.Builder, n ir.Operand, at int64) {
	b.I("lsl", n, n, ir.Imm(3))
	b.I("add", xPowers, xKey, ir.Imm(at))
	b.I("sub", xPowers, xPowers, n)
}

// eor3PartPowers points xPowers at the power of H for the first block of the
// part of xPart bytes, the last of which takes the power at the offset at.
func eor3PartPowers(b *ir.Builder, at int64) {
	b.Origin("power of H for the first block")
	b.I("add", xTmp, xPart, ir.Imm(15))
	b.I("lsr", xTmp, xTmp, ir.Imm(4))
	eor3Powers(b, xTmp, at)
}

// eor3LengthBlock begins the sums with the products of the length block.
func eor3LengthBlock(b *ir.Builder) {
	b.Origin("GHASH length block, halves")
	b.I("fmov", As("d", V(0)), xAADBits)
	b.I("fmov", As("d", V(1)), xTextBits)
	b.I("eor", V(2), V(0), V(1))
	eor3Multiply(b, "GHASH length block", [3]ir.Operand{V(0), V(1), V(2)}, V(3), xKey, eor3H, 0, true)
}

// eor3Blocks adds the products of the xPart bytes at p, at least 1, to the
// sums, and moves p and xPowers on.
func eor3Blocks(b *ir.Builder, name string, space ir.Space, p ir.Operand) {
	c := [4]ir.Operand{V(0), V(1), V(2), V(3)}
	t := [4]ir.Operand{V(4), V(5), V(6), V(7)}
	b.Label(name)
	b.Origin("%s: four blocks", name)
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.lo", ir.To(name+"_fewer"))
	b.Label(name + "_four")
	b.I("ldp", As("q", c[0]), As("q", c[1]), Post(space, 256, p, 32))
	b.I("ldp", As("q", c[2]), As("q", c[3]), Post(space, 256, p, 32))
	eor3Hash4(b, name, c, t, xPowers, 0, 32, false)
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
	eor3Hash1(b, name, V(0), [3]ir.Operand{V(1), V(2), V(3)})
	b.I("cbnz", xPart, ir.To(name+"_one"))
	b.I("b", ir.To(name+"_end"))
	b.Label(name + "_last")
	b.Origin("%s: the last 1 to 15 bytes", name)
	b.I("and", xPart, xPart, ir.Imm(15))
	eor3LoadBytes(b, name, space, V(0), p, xPart)
	eor3Hash1(b, name, V(0), [3]ir.Operand{V(1), V(2), V(3)})
	b.Label(name + "_end")
}

// eor3LoadBytes loads the n bytes at p, 1 to 15, into v and clears the rest of
// it. It begins with the last of them; p is changed.
func eor3LoadBytes(b *ir.Builder, name string, space ir.Space, v, p, n ir.Operand) {
	b.I("movi", As("2d", v), ir.Imm(0))
	b.I("add", p, p, n)
	b.I("tbz", n, ir.Imm(0), ir.To(name+"_load2"))
	b.I("ldr", As("b", v), Pre(space, 8, p, -1))
	for bit, size := range []string{"h", "s", "d"} {
		bytes := int64(2) << bit
		b.Label(name + "_load" + string('0'+byte(bytes)))
		next := name + "_load" + string('0'+byte(2*bytes))
		if size == "d" {
			next = name + "_loaded"
		}
		b.I("tbz", n, ir.Imm(int64(bit+1)), ir.To(next))
		b.I("ext", v, v, v, ir.Imm(16-bytes))
		b.I("sub", p, p, ir.Imm(bytes))
		b.I("ld1", LoadLane(size, v, 0), Mem(space, int(8*bytes), p, 0))
	}
	b.Label(name + "_loaded")
}

// eor3StoreBytes stores the first n bytes of v, where n is given by its low
// four bits, at p; v and p are changed.
func eor3StoreBytes(b *ir.Builder, name string, space ir.Space, v, p, n ir.Operand) {
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

// eor3Mask clears all but the first n bytes of v, using t and u.
func eor3Mask(b *ir.Builder, v, n, t, u ir.Operand) {
	b.I("dup", t, W(n))
	b.I("ldr", As("q", u), keyMem(128, eor3Iota))
	b.I("cmhi", t, t, u)
	b.I("and", v, v, t)
}

// eor3ShortText takes xPart bytes of text, with powers of H from xPowers on.
// If xLen is not 0 afterwards, that was the head of a longer text.
func eor3ShortText(b *ir.Builder, bits int, seal bool) {
	lastKey := eor3RoundKey(roundsFor(bits))
	s := [4]ir.Operand{V(0), V(1), V(2), V(3)} // AES states
	x := [4]ir.Operand{V(4), V(5), V(6), V(7)} // text
	c, t := x, s                               // ciphertext, scratch
	if seal {
		c, t = s, x
	}
	b.Label("text")
	b.Origin("four blocks of text")
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.lo", ir.To("text_fewer"))
	b.Label("text_four")
	for i := range 4 {
		eor3NextBlock(b, s[i], i)
	}
	eor3Rounds(b, bits, "AES block", s[:]...)
	b.Origin("text")
	b.I("ldp", As("q", x[0]), As("q", x[1]), Post(ir.Text, 256, xIn, 32))
	b.I("ldp", As("q", x[2]), As("q", x[3]), Post(ir.Text, 256, xIn, 32))
	for i := range 4 {
		b.Origin("AES block %d, last round key, xor text", i)
		b.I("eor3", s[i], s[i], lastKey, x[i])
	}
	b.Origin("text")
	b.I("stp", As("q", s[0]), As("q", s[1]), Post(ir.Text, 256, xOut, 32))
	b.I("stp", As("q", s[2]), As("q", s[3]), Post(ir.Text, 256, xOut, 32))
	eor3Hash4(b, "GHASH", c, t, xPowers, 0, 32, false)
	b.Origin("four blocks of text")
	b.I("subs", xPart, xPart, ir.Imm(64))
	b.I("b.hs", ir.To("text_four"))
	b.Label("text_fewer")
	b.I("and", xPart, xPart, ir.Imm(63))
	b.I("cbz", xPart, ir.To("text_end"))

	b.Label("text_one")
	eor3NextBlock(b, s[0], 0)
	eor3Rounds(b, bits, "AES block", s[0])
	b.Origin("one block of text")
	b.I("subs", xPart, xPart, ir.Imm(16))
	b.I("b.lo", ir.To("text_last"))
	b.I("ldr", As("q", x[0]), Post(ir.Text, 128, xIn, 16))
	b.I("eor3", s[0], s[0], lastKey, x[0])
	b.I("str", As("q", s[0]), Post(ir.Text, 128, xOut, 16))
	eor3Hash1(b, "GHASH", c[0], [3]ir.Operand{V(1), V(2), V(3)})
	b.I("cbnz", xPart, ir.To("text_one"))
	b.I("b", ir.To("text_end"))

	b.Label("text_last")
	b.Origin("the last 1 to 15 bytes of text")
	b.I("and", xPart, xPart, ir.Imm(15))
	eor3LoadBytes(b, "text", ir.Text, x[0], xIn, xPart)
	b.I("eor3", s[0], s[0], lastKey, x[0])
	if seal {
		eor3Mask(b, s[0], xPart, V(1), V(2))
		b.I("mov", x[0], s[0])
	}
	eor3Hash1(b, "GHASH", x[0], [3]ir.Operand{V(1), V(2), V(3)})
	b.Origin("the last 1 to 15 bytes of text")
	eor3StoreBytes(b, "text", ir.Text, s[0], xOut, xPart)
	b.Label("text_end")
	eor3Reduce(b, V(0), V(1), V(2))
	b.I("cbnz", xLen, ir.To("long_text"))
}

// eor3Finish makes the tag, writes or compares it, and wipes the registers.
func eor3Finish(b *ir.Builder, bits int, seal bool) {
	tag, want := V(0), V(1)
	b.Label("finish")
	b.Origin("tag = GHASH xor EK0")
	b.I("ldr", As("q", V(2)), keyMem(128, eor3Reverse))
	b.I("tbl", tag, Table(aXi), V(2))
	b.I("eor3", tag, tag, aEK0, eor3RoundKey(roundsFor(bits)))
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
		eor3StoreBytes(b, "clear", ir.Text, V(0), xStart, xLen)
	}
	b.Label("wipe")
	b.Origin("leave no secret in a register")
	if !seal {
		b.I("mov", xTmp, ir.Imm(0))
		b.I("mov", xTmp2, ir.Imm(0))
	}
	eor3Wipe(b, 0, 8)
	eor3Wipe(b, 16, eor3RoundKey(roundsFor(bits)).Reg.Num+1)
	eor3Wipe(b, aEK0.Reg.Num, aCtr.Reg.Num+1)
	b.Frame(func() {
		b.Origin("restore registers")
		eor3Saved(func(d0, d1 ir.Operand, at int64) {
			if at > 0 {
				b.I("ldp", d0, d1, Mem(ir.Stack, 128, SP, at))
			}
		})
		b.I("ldp", As("d", V(8)), As("d", V(9)), Post(ir.Stack, 128, SP, 64))
	})
	b.Origin("return")
	b.I("ret")

	b.Label("tag_short")
	b.Origin("tag of less than 16 bytes")
	if seal {
		eor3StoreBytes(b, "tag", ir.Tag, tag, xTag, xTagLen)
		b.I("b", ir.To("wipe"))
		return
	}
	eor3LoadBytes(b, "tag", ir.Tag, want, xTag, xTagLen)
	eor3Mask(b, tag, xTagLen, V(2), V(3))
	b.I("b", ir.To("tag_compare"))
}

// eor3Wipe clears vector registers from first up to but not including end.
func eor3Wipe(b *ir.Builder, first, end int) {
	for i := first; i < end; i++ {
		b.I("movi", As("2d", V(i)), ir.Imm(0))
	}
}

// eor3Absorb hashes the length bytes at p, at least 1, in parts of at most 32
// blocks, each with one reduction.
func eor3Absorb(b *ir.Builder, name string, space ir.Space, p, length ir.Operand) {
	b.Label(name + "_part")
	b.Origin("%s: at most 32 blocks", name)
	b.I("mov", xPart, ir.Imm(16*eor3TopExp))
	b.I("cmp", length, xPart)
	b.I("csel", xPart, length, xPart, Cond("lo"))
	b.I("sub", length, length, xPart)
	eor3PartPowers(b, eor3H+8)
	eor3MultiplyXi(b, true)
	eor3Blocks(b, name, space, p)
	eor3Reduce(b, V(0), V(1), V(2))
	b.I("cbnz", length, ir.To(name+"_part"))
}

// eor3NonceHash makes J0 = GHASH(nonce, length) in aEK0.
func eor3NonceHash(b *ir.Builder) {
	b.Label("nonce_hash")
	b.Origin("nonce of another size: J0 = GHASH(nonce, length)")
	b.I("lsl", xCounter, xNonceLen, ir.Imm(3))
	b.I("movi", As("2d", aXi), ir.Imm(0))
	eor3Absorb(b, "nonce", ir.Nonce, xNonce, xNonceLen)
	b.Label("nonce_hashed")
	b.Origin("GHASH length of the nonce")
	b.I("fmov", As("d", V(0)), xCounter)
	b.I("eor", aXi, aXi, V(0))
	b.I("add", xPowers, xKey, ir.Imm(eor3H))
	eor3MultiplyXi(b, true)
	eor3Reduce(b, V(0), V(1), V(2))
	b.Origin("J0")
	b.I("ldr", As("q", V(2)), keyMem(128, eor3Reverse))
	b.I("tbl", aEK0, Table(aXi), V(2))
	b.I("b", ir.To("j0"))
}

// eor3Long hashes the AAD of a long message, takes its text through the bulk
// loop and leaves what is left of it to the short path. The bulk loop begins
// where the counter is 2 behind a multiple of 16, as it is after a 12-byte
// nonce; after another, the short path takes the blocks before.
func eor3Long(b *ir.Builder, bits int, seal bool) {
	b.Label("long")
	b.Origin("long message")
	b.I("movi", As("2d", aXi), ir.Imm(0))
	b.I("cbz", xAADLen, ir.To("long_text"))
	eor3Absorb(b, "long_aad", ir.AAD, xAAD, xAADLen)

	b.Label("long_text")
	b.Origin("choose the path")
	b.I("cmp", xLen, ir.Imm(eor3Turn))
	b.I("b.lo", ir.To("rest"))
	b.I("cmp", xNonceLen, ir.Imm(12))
	b.I("b.eq", ir.To("bulk"))
	b.I("cmp", xLen, ir.Imm(16*(eor3TopExp-1)+1))
	b.I("b.lo", ir.To("rest"))
	b.Origin("the next 16 blocks alone")
	b.I("mov", xPart, ir.Imm(eor3Turn))
	b.I("sub", xLen, xLen, xPart)
	eor3PartPowers(b, eor3H+8)
	eor3MultiplyXi(b, true)
	b.I("b", ir.To("text"))

	eor3Bulk(b, bits, seal)

	b.Label("rest")
	b.Origin("rest of the text")
	b.I("mov", xCounter, ir.Imm(0))
	b.I("mov", xPart, xLen)
	b.I("mov", xLen, ir.Imm(0))
	eor3LengthBlock(b)
	eor3PartPowers(b, eor3H)
	eor3MultiplyXi(b, false)
	b.I("b", ir.To("text"))
}

// eor3Bulk takes turns of 16 blocks while there are as many. When it seals,
// GHASH runs a turn behind on the ciphertext just written; when it opens, it
// runs beside on the ciphertext about to be overwritten.
func eor3Bulk(b *ir.Builder, bits int, seal bool) {
	b.Label("bulk")
	b.Origin("prepare the bulk loop")
	b.I("mov", xCounter, ir.Imm(0))
	b.I("add", xPowers, xKey, ir.Imm(eor3H-8*15))
	b.I("rev32", aBase, aCtr)
	b.I("rev", W(xTmp), W(xCounter))
	b.I("mov", Lane("s", aBase, 3), W(xTmp))
	eor3StartTurn(b)
	ctr := eor3CounterTurn(bits)
	stitched := func(base ir.Operand, at int64) {
		b.Append(merge(eor3Model,
			stitch.Stream{Name: "counter mode", Code: ctr},
			stitch.Stream{Name: "GHASH", Code: eor3HashTurn(base, at)}))
	}
	advance := func() {
		b.Origin("next turn")
		b.I("add", xIn, xIn, ir.Imm(eor3Turn))
		b.I("add", xOut, xOut, ir.Imm(eor3Turn))
		b.I("sub", xLen, xLen, ir.Imm(eor3Turn))
		b.I("cmp", xLen, ir.Imm(eor3Turn))
	}
	if seal {
		b.Append(ctr)
		advance()
		b.I("b.lo", ir.To("bulk_end"))
	}
	b.Label("bulk_turn")
	if seal {
		stitched(xOut, -eor3Turn)
	} else {
		stitched(xIn, 0)
	}
	advance()
	b.I("b.hs", ir.To("bulk_turn"))
	if seal {
		b.Label("bulk_end")
		b.Append(eor3HashTurn(xOut, -eor3Turn))
	}
	b.Origin("back to the short path")
	b.I("add", W(xCounter), W(xCounter), ir.Imm(2))
	b.I("mov", Lane("s", aCtr, 3), W(xCounter))
	b.I("ldr", As("q", aOne), keyMem(128, eor3One))
	eor3Wipe(b, eor3RoundKey(roundsFor(bits)).Reg.Num+1, aEK0.Reg.Num)
	eor3LoadKeys(b, bits)
}
