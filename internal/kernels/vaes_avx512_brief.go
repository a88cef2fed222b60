// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A message is brief that has a nonce of 12 bytes and at most so many bytes of
// text and of AAD. Most of the time of such a call is not spent on its text, so
// that brief messages have a path of their own, from entry to return. It takes
// few registers, and of at most 256 bits up to 64 bytes of text: for those there
// is a third vector port.
const (
	vaesBriefText = 256
	vaesBriefAAD  = 16
)

// The registers of the brief path. 0 to 3 hold AES states, 10 and 11 blocks and
// products.
const (
	briefEK0   = 4
	briefKey   = 5 // nonce xor round key 0, in every lane; then round keys
	briefPower = 6
	briefLow   = 7 // sums of products: low, middle and high part
	briefMid   = 8
	briefHigh  = 9
	briefXi    = 9 // what they are reduced to
)

// vaesBrief takes brief messages, and leaves the others to what follows.
func vaesBrief(b *ir.Builder, bits int, seal bool) {
	b.Origin("is the message brief?")
	b.I("mov", R10, argNonce)
	b.I("mov", R11, argNonceLen)
	b.I("cmp", R11, ir.Imm(12))
	b.I("jne", ir.To("whole"))
	b.I("cmp", rLen, ir.Imm(vaesBriefText))
	b.I("ja", ir.To("whole"))
	b.I("cmp", rAADLen, ir.Imm(vaesBriefAAD))
	b.I("ja", ir.To("whole"))

	key, ek0 := X(briefKey), X(briefEK0)
	b.Origin("nonce xor round key 0")
	loadNonce(b, key)
	b.I("vpxor", key, key, Mem(ir.KeyBlock, 128, rKey, 0))
	b.Origin("EK0, round 0")
	b.I("vpxor", ek0, key, Const(128, "first_blocks", 0))

	blocks, lens := X(11), X(10)
	vaesLengthBlock(b, lens)

	b.Label("brief")
	b.Origin("powers of H")
	b.I("lea", RAX, Addr(rLen, 15))
	b.I("and", RAX, ir.Imm(-16))
	b.I("lea", rPowers, Addr(rKey, vaesPowersEnd-16))
	b.I("sub", rPowers, RAX)
	b.Origin("AAD")
	b.I("vpxor", blocks, blocks, blocks)
	b.I("test", rAADLen, rAADLen)
	b.I("je", ir.To("brief_lead"))
	vaesMaskOf(b, K(1), rAADLen)
	b.I("vmovdqu8", Zeroed(blocks, K(1)), Mem(ir.AAD, 128, rAAD, 0))
	b.I("vpshufb", blocks, blocks, Const(128, "bswap", 0))
	b.Label("brief_lead")
	b.Origin("GHASH AAD and the length block")
	b.I("vinserti128", Y(11), Y(11), lens, ir.Imm(1))
	b.I("vmovdqu", X(briefPower), Mem(ir.KeyBlock, 128, rPowers, -16))
	b.I("vinserti128", Y(briefPower), Y(briefPower), Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16), ir.Imm(1))
	b.I("vpclmulqdq", Y(briefLow), Y(11), Y(briefPower), ir.Imm(lowLow))
	b.I("vpclmulqdq", Y(briefMid), Y(11), Y(briefPower), ir.Imm(highLow))
	b.I("vpclmulqdq", Y(10), Y(11), Y(briefPower), ir.Imm(lowHigh))
	b.I("vpclmulqdq", Y(briefHigh), Y(11), Y(briefPower), ir.Imm(highHigh))
	b.I("vpxor", Y(briefMid), Y(briefMid), Y(10))

	b.Label("brief_text")
	b.Origin("registers of text")
	b.I("cmp", rLen, ir.Imm(64))
	b.I("ja", ir.To("brief_wide"))
	b.I("cmp", rLen, ir.Imm(16))
	b.I("ja", ir.To("brief_more"))
	b.I("test", rLen, rLen)
	b.I("je", ir.To("brief_empty"))
	vaesBriefBlocks(b, bits, 1, X, seal)
	b.Label("brief_more")
	b.Origin("registers of text")
	b.I("cmp", rLen, ir.Imm(32))
	b.I("ja", ir.To("brief_64"))
	vaesBriefBlocks(b, bits, 1, Y, seal)
	b.Label("brief_64")
	vaesBriefBlocks(b, bits, 2, Y, seal)
	b.Label("brief_wide")
	b.Origin("registers of text")
	b.I("cmp", rLen, ir.Imm(128))
	b.I("ja", ir.To("brief_wider"))
	vaesBriefBlocks(b, bits, 2, Z, seal)
	b.Label("brief_wider")
	b.Origin("registers of text")
	b.I("cmp", rLen, ir.Imm(192))
	b.I("ja", ir.To("brief_256"))
	vaesBriefBlocks(b, bits, 3, Z, seal)
	b.Label("brief_256")
	vaesBriefBlocks(b, bits, 4, Z, seal)
	b.Label("brief_empty")
	vaesBriefBlocks(b, bits, 0, X, seal)

	b.Label("brief_reduce")
	low, mid, high, t, swapped := Y(briefLow), Y(briefMid), Y(briefHigh), Y(10), Y(11)
	b.Origin("reduce the low quarter")
	b.I("vpclmulqdq", t, low, Const(256, "poly", 0), ir.Imm(lowHigh))
	b.I("vpshufd", swapped, low, ir.Imm(swapHalves))
	b.I("vpternlogq", mid, t, swapped, ir.Imm(xor3))
	b.Origin("reduce the second quarter")
	b.I("vpclmulqdq", t, mid, Const(256, "poly", 0), ir.Imm(lowHigh))
	b.I("vpshufd", swapped, mid, ir.Imm(swapHalves))
	b.I("vpternlogq", high, t, swapped, ir.Imm(xor3))
	b.Element()
	b.Origin("add the lanes")
	b.I("vextracti128", X(10), high, ir.Imm(1))
	b.I("vpxor", X(briefXi), X(briefXi), X(10))
	b.Element()
	vaesBriefFinish(b, seal)
}

// vaesBriefBlocks encrypts J0 and takes n registers of text, of which the last may
// be partial, or none. view makes the registers.
func vaesBriefBlocks(b *ir.Builder, bits, n int, view func(int) ir.Operand, seal bool) {
	width := view(0).Width
	key, x := view(briefKey), view(11)
	at := func(i int) int64 { return int64(i * width / 8) }
	text := func(i int) ir.Operand { return Mem(ir.Text, width, rIn, at(i)) }
	powers := func(i int) ir.Operand { return Mem(ir.KeyBlock, width, rPowers, at(i)) }
	masks := textMask{register: n - 1, k: K(1)}

	if n > 0 {
		b.Origin("bytes in the last register")
		b.I("lea", R11, Addr(rLen, -at(n-1)))
		vaesMaskOf(b, K(1), R11)
		b.Origin("CB, round 0")
	}
	switch width {
	case 256:
		b.I("vinserti128", key, key, X(briefKey), ir.Imm(1))
	case 512:
		b.I("vshufi64x2", key, key, key, ir.Imm(broadcastLane0))
	}
	for i := range n {
		b.I(wide("vpxor", key), view(i), key, Const(width, "counters", at(i)))
	}
	for i := range n {
		if !seal {
			b.Origin("GHASH of register %d", i)
			masks.load(b, i, x, rIn, at(i))
			vaesBriefMultiply(b, x, powers(i))
		}
	}
	rounds := roundsFor(bits)
	for r := 1; r < rounds; r++ {
		b.Origin("round %d", r)
		one, every := vaesBriefKey(b, key, r)
		b.I("vaesenc", X(briefEK0), X(briefEK0), one)
		for i := range n {
			b.I("vaesenc", view(i), view(i), every)
		}
	}
	b.Origin("round %d", rounds)
	one, every := vaesBriefKey(b, key, rounds)
	b.I("vaesenclast", X(briefEK0), X(briefEK0), one)
	for i := range n {
		b.Origin("text of register %d", i)
		if i < n-1 {
			b.I(wide("vpxor", x), x, every, text(i))
		} else {
			b.I("vmovdqu8", Zeroed(x, K(1)), text(i))
			b.I(wide("vpxor", x), x, x, every)
		}
		b.I("vaesenclast", view(i), view(i), x)
		masks.store(b, i, view(i), at(i))
	}
	for i := range n {
		if seal {
			b.Origin("GHASH of register %d", i)
			c := view(i)
			if i == n-1 {
				b.I("vmovdqu8", Zeroed(x, K(1)), c)
				c = x
			}
			vaesBriefMultiply(b, c, powers(i))
		}
	}
	if width == 512 {
		b.Origin("add the upper lanes")
		for _, sum := range []int{briefLow, briefMid, briefHigh} {
			b.I("vextracti64x4", Y(10), Z(sum), ir.Imm(1))
			b.I("vpxor", Y(sum), Y(sum), Y(10))
		}
	}
	if n > 0 {
		b.I("jmp", ir.To("brief_reduce"))
	}
}

// vaesBriefKey returns round key r for one block, and in every lane of what is as
// wide as key. In 128 bits the instructions load it themselves.
func vaesBriefKey(b *ir.Builder, key ir.Operand, r int) (one, every ir.Operand) {
	mem := Mem(ir.KeyBlock, 128, rKey, int64(16*r))
	if key.Width == 128 {
		return mem, mem
	}
	b.I(wide("vbroadcasti128", key), key, mem)
	return X(briefKey), key
}

// vaesBriefMultiply adds the products of the ciphertext z with the powers at mem
// to the sums. z may be register 11.
func vaesBriefMultiply(b *ir.Builder, z, mem ir.Operand) {
	as := func(n int) ir.Operand {
		switch z.Width {
		case 128:
			return X(n)
		case 256:
			return Y(n)
		}
		return Z(n)
	}
	sum := func(n int) ir.Operand { // as wide as it has ever been
		if z.Width == 512 {
			return Z(n)
		}
		return Y(n)
	}
	x, t, u := as(11), as(10), as(briefPower)
	b.I("vpshufb", x, z, Const(z.Width, "bswap", 0))
	b.I("vpclmulqdq", t, x, mem, ir.Imm(lowLow))
	b.I(wide("vpxor", z), sum(briefLow), sum(briefLow), sum(10))
	b.I("vpclmulqdq", t, x, mem, ir.Imm(highLow))
	b.I("vpclmulqdq", u, x, mem, ir.Imm(lowHigh))
	b.I("vpternlogq", sum(briefMid), sum(10), sum(briefPower), ir.Imm(xor3))
	b.I("vpclmulqdq", t, x, mem, ir.Imm(highHigh))
	b.I(wide("vpxor", z), sum(briefHigh), sum(briefHigh), sum(10))
}

// wide returns the mnemonic for the width of z: that of EVEX for 512 bits.
func wide(mnemonic string, z ir.Operand) string {
	if z.Width < 512 {
		return mnemonic
	}
	switch mnemonic {
	case "vpxor":
		return "vpxorq"
	case "vmovdqu":
		return "vmovdqu64"
	case "vbroadcasti128":
		return "vbroadcasti32x4"
	}
	panic("kernels: no form of " + mnemonic + " for 512 bits")
}

// vaesBriefFinish makes the tag, writes or compares it, and wipes the registers
// of the brief path.
func vaesBriefFinish(b *ir.Builder, seal bool) {
	tag, other := X(briefXi), X(10)
	b.Label("brief_finish")
	b.Origin("tag = GHASH xor EK0")
	b.I("mov", R11, argTag)
	b.I("mov", R10, argTagLen)
	vaesMaskOf(b, K(1), R10)
	b.I("vpshufb", tag, tag, Const(128, "bswap", 0))
	b.I("vpxor", tag, tag, X(briefEK0))
	mem := Mem(ir.Tag, 128, R11, 0)
	if seal {
		b.I("vmovdqu8", Masked(mem, K(1)), tag)
	} else {
		b.Origin("compare the tag")
		b.I("vmovdqu8", Zeroed(tag, K(1)), tag)
		b.I("vmovdqu8", Zeroed(other, K(1)), mem)
		b.I("vpxor", tag, tag, other)
		b.I("mov", Low32(RAX), ir.Imm(1))
		b.I("vptest", tag, tag)
		b.I("je", ir.To("brief_wipe"))
		b.I("jmp", ir.To("wrong"))
		b.Label("brief_wipe")
	}
	b.Origin("leave no secret in a register")
	b.I("xor", Low32(R11), Low32(R11))
	for i := range 16 { // vzeroupper would change the others of these
		b.I("vpxor", X(i), X(i), X(i))
	}
	b.I("vzeroupper")
	b.I("ret")
}
