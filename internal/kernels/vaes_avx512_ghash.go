// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// Immediates: the xor of three operands, and which halves vpclmulqdq takes.
const (
	xor3           = 0x96
	lowLow         = 0x00
	highLow        = 0x01 // the high half of the first operand, the low of the second
	lowHigh        = 0x10
	highHigh       = 0x11
	swapHalves     = 0x4e // vpshufd
	broadcastLane0 = 0x00 // vshufi64x2
)

// vaesTurnHash is the GHASH stream of the bulk loop for some pairs of registers of
// a turn, of which there are 8, where base and at say where the turn's ciphertext
// is. Each of the four lanes is a GHASH of its own with stride H^4, so that
// nothing is added across lanes inside the loop. vXi holds the last four blocks
// with the GHASH of what is before them: lane j counts as H^(4-j). The first
// register is vXi, the others are the turn's but for its last one: pair i begins
// with H^(64-8i) in every lane. The last pair completes the sums, reduces them and
// adds the last register, and vFirst if first is set.
func vaesTurnHash(from, behind int, base ir.Operand, at int64, first bool) []ir.Inst {
	b := &ir.Builder{ISA: ISA}
	a, c := Z(12), Z(13)
	load := func(z ir.Operand, i int) {
		b.Origin("GHASH blocks %d to %d", 4*i, 4*i+3)
		b.I("vmovdqu64", z, Mem(ir.Text, 512, base, at+int64(64*i)))
		b.I("vpshufb", z, z, vBswap)
	}
	for i := 2 * from; i < 2*behind; i += 2 {
		if i == 0 {
			load(c, 0)
			vaesTwoRegisters(b, 0, "Xi and blocks 0 to 3", vXi, c, true)
			continue
		}
		load(a, i-1)
		load(c, i)
		vaesTwoRegisters(b, i, blockNames(4*i-4, 8), a, c, false)
	}
	if behind == 8 {
		load(vXi, 15)
		b.Origin("GHASH middle terms without low and high")
		b.I("vpternlogq", vMid, vLow, vHigh, ir.Imm(xor3))
		vaesReduceSums(b)
		b.Element()
		b.Origin("GHASH blocks 60 to 63")
		if first {
			b.I("vpternlogq", vXi, vHigh, vFirst, ir.Imm(xor3))
			b.I("vpxorq", view(vFirst), view(vFirst), view(vFirst))
		} else {
			b.I("vpxorq", vXi, vXi, vHigh)
		}
	}
	return b.Code
}

// vaesTwoRegisters multiplies a by H^(64-4i) and c by H^(60-4i) in every lane, for
// an even i, and adds the products to the sums, or begins the sums with them; the
// middle terms are still Karatsuba's. It uses z14 to z20.
func vaesTwoRegisters(b *ir.Builder, i int, name string, a, c ir.Operand, begin bool) {
	pa, pc, pm := Z(14), Z(15), Z(16)
	b.Origin("H^%d, H^%d", 64-4*i, 60-4*i)
	power := int64(vaesPowersEnd - 64*(16-i))
	b.I("vbroadcasti32x4", pa, Mem(ir.KeyBlock, 128, rKey, power))
	b.I("vbroadcasti32x4", pc, Mem(ir.KeyBlock, 128, rKey, power+64))
	b.I("vbroadcasti32x4", pm, Mem(ir.KeyBlock, 128, rKey, int64(vaesMiddles+8*i)))

	b.Origin("GHASH %s, middle terms", name)
	b.I("vpunpcklqdq", Z(17), a, c)
	b.I("vpunpckhqdq", Z(18), a, c)
	b.I("vpxorq", Z(17), Z(17), Z(18))
	for _, part := range []struct {
		name         string
		sum          ir.Operand
		x, y, h, k   ir.Operand // the products are x times h and y times k
		takeX, takeY int64      // of which halves
	}{
		{"low", vLow, a, c, pa, pc, lowLow, lowLow},
		{"high", vHigh, a, c, pa, pc, highHigh, highHigh},
		{"middle", vMid, Z(17), Z(17), pm, pm, lowLow, highHigh},
	} {
		b.Origin("GHASH %s, %s products", name, part.name)
		if begin {
			b.I("vpclmulqdq", part.sum, part.x, part.h, ir.Imm(part.takeX))
			b.I("vpclmulqdq", Z(20), part.y, part.k, ir.Imm(part.takeY))
			b.I("vpxorq", part.sum, part.sum, Z(20))
			continue
		}
		b.I("vpclmulqdq", Z(19), part.x, part.h, ir.Imm(part.takeX))
		b.I("vpclmulqdq", Z(20), part.y, part.k, ir.Imm(part.takeY))
		b.I("vpternlogq", part.sum, Z(19), Z(20), ir.Imm(xor3))
	}
}

// vaesReduce reduces the sums of products modulo the field polynomial, each
// lane on its own, and leaves the result in vXi.
func vaesReduce(b *ir.Builder) {
	vaesReduceSums(b)
	b.I("vmovdqu64", vXi, vHigh)
	b.Element()
}

// vaesReduceSums is vaesReduce with the result in vHigh.
func vaesReduceSums(b *ir.Builder) {
	t, swapped := Z(19), Z(20)
	b.Origin("reduce the low quarter")
	b.I("vpclmulqdq", t, vLow, vPoly, ir.Imm(lowHigh))
	b.I("vpshufd", swapped, vLow, ir.Imm(swapHalves))
	b.I("vpternlogq", vMid, t, swapped, ir.Imm(xor3))
	b.Origin("reduce the second quarter")
	b.I("vpclmulqdq", t, vMid, vPoly, ir.Imm(lowHigh))
	b.I("vpshufd", swapped, vMid, ir.Imm(swapHalves))
	b.I("vpternlogq", vHigh, t, swapped, ir.Imm(xor3))
}

// vaesFold adds the four lanes of vXi into the lowest and clears the others.
func vaesFold(b *ir.Builder) {
	b.Origin("add the lanes")
	b.I("vextracti64x4", Y(19), vXi, ir.Imm(1))
	b.I("vpxorq", Y(19), Y(19), Y(vXi.Reg.Num))
	b.I("vextracti32x4", X(20), Z(19), ir.Imm(1))
	b.I("vpxorq", view(vXi), X(19), X(20))
	b.Element()
}

// vaesSums are the registers of sums of products: low, middle and high part.
type vaesSums [3]ir.Operand

// multiply multiplies the register z by the powers, lane by lane, and adds the
// products to the sums, or begins the sums with them. It uses z18 to z20.
func (s vaesSums) multiply(b *ir.Builder, z, powers ir.Operand, begin bool) {
	low, mid, high := s[0], s[1], s[2]
	if begin {
		b.I("vpclmulqdq", low, z, powers, ir.Imm(lowLow))
		b.I("vpclmulqdq", mid, z, powers, ir.Imm(highLow))
		b.I("vpclmulqdq", Z(19), z, powers, ir.Imm(lowHigh))
		b.I("vpclmulqdq", high, z, powers, ir.Imm(highHigh))
		b.I("vpxorq", mid, mid, Z(19))
		return
	}
	b.I("vpclmulqdq", Z(18), z, powers, ir.Imm(lowLow))
	b.I("vpxorq", low, low, Z(18))
	b.I("vpclmulqdq", Z(19), z, powers, ir.Imm(highLow))
	b.I("vpclmulqdq", Z(20), z, powers, ir.Imm(lowHigh))
	b.I("vpternlogq", mid, Z(19), Z(20), ir.Imm(xor3))
	b.I("vpclmulqdq", Z(18), z, powers, ir.Imm(highHigh))
	b.I("vpxorq", high, high, Z(18))
}

// multiplyTwo is multiply for two registers, in fewer instructions. It uses z17 to
// z20.
func (s vaesSums) multiplyTwo(b *ir.Builder, z, powers, z2, powers2 ir.Operand, begin bool) {
	for i, take := range [][]int64{{lowLow}, {highLow, lowHigh}, {highHigh}} {
		t := []ir.Operand{Z(17), Z(18), Z(19), Z(20)}[:2*len(take)]
		for j, halves := range take {
			b.I("vpclmulqdq", t[2*j], z, powers, ir.Imm(halves))
			b.I("vpclmulqdq", t[2*j+1], z2, powers2, ir.Imm(halves))
		}
		if begin {
			b.I("vpxorq", s[i], t[0], t[1])
			t = t[2:]
		}
		for ; len(t) > 0; t = t[2:] {
			b.I("vpternlogq", s[i], t[0], t[1], ir.Imm(xor3))
		}
	}
}

// vaesMultiply is multiply for the usual sums.
func vaesMultiply(b *ir.Builder, z, powers ir.Operand, begin bool) {
	vaesSums{vLow, vMid, vHigh}.multiply(b, z, powers, begin)
}

// vaesAbsorb hashes the bytes at pointer, of which there are length, at least
// 1, all but the last 1 to 64 of them, and leaves in vXi the sum of Xi
// and the last ones, one block a lane, and in rLead the bytes of powers of H
// that those take. Lanes without a block stay zero. It uses rax, r10, k1 and
// both registers given.
func vaesAbsorb(b *ir.Builder, name string, space ir.Space, pointer, length ir.Operand) {
	b.Origin("GHASH of the %s", name)
	b.I("vpxorq", view(vXi), view(vXi), view(vXi))
	b.I("cmp", length, ir.Imm(64))
	b.I("jbe", ir.To(name+"_last"))

	b.Label(name + "_part")
	b.Origin("%s: at most 64 blocks, in whole registers", name)
	b.I("lea", RAX, Addr(length, -1))
	b.I("and", RAX, ir.Imm(-64))
	b.I("mov", Low32(R10), ir.Imm(vaesTurn))
	b.I("cmp", RAX, R10)
	b.I("cmova", RAX, R10)
	b.I("sub", length, RAX)
	b.I("lea", rPowers, Addr(rKey, vaesPowersEnd))
	b.I("sub", rPowers, RAX)
	for _, z := range []ir.Operand{vLow, vMid, vHigh} {
		b.I("vpxorq", view(z), view(z), view(z))
	}
	b.Label(name + "_register")
	b.Origin("%s: four blocks", name)
	b.I("vmovdqu64", Z(12), Mem(space, 512, pointer, 0))
	b.I("vpshufb", Z(12), Z(12), vBswap)
	b.I("vpxorq", Z(12), Z(12), vXi)
	b.I("vpxorq", view(vXi), view(vXi), view(vXi))
	vaesMultiply(b, Z(12), Mem(ir.KeyBlock, 512, rPowers, 0), false)
	b.I("add", pointer, ir.Imm(64))
	b.I("add", rPowers, ir.Imm(64))
	b.I("sub", RAX, ir.Imm(64))
	b.I("jne", ir.To(name+"_register"))
	vaesReduce(b)
	vaesFold(b)
	b.I("cmp", length, ir.Imm(64))
	b.I("ja", ir.To(name+"_part"))

	b.Label(name + "_last")
	b.Origin("%s: the last 1 to 64 bytes", name)
	vaesMaskOf(b, K(1), length)
	b.I("vmovdqu8", Zeroed(Z(12), K(1)), Mem(space, 512, pointer, 0))
	b.I("vpshufb", Z(12), Z(12), vBswap)
	b.I("vpxorq", vXi, vXi, Z(12))
	b.I("lea", rLead, Addr(length, 15))
	b.I("and", rLead, ir.Imm(-16))
}

// vaesMaskOf sets the low bits of mask register k, as many as length says, up
// to 64. It uses rax.
func vaesMaskOf(b *ir.Builder, k, length ir.Operand) {
	b.I("xor", Low32(RAX), Low32(RAX))
	b.I("sub", RAX, ir.Imm(1))
	b.I("bzhi", RAX, RAX, length)
	b.I("kmovq", k, RAX)
}
