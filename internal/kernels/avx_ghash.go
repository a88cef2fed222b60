// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// blockNames names n blocks from first on.
func blockNames(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("block %d", first)
	}
	return fmt.Sprintf("blocks %d to %d", first, first+n-1)
}

// avxHalfHash is the GHASH stream of half a turn, 16 blocks of ciphertext at
// offset at from base: half 0 begins the sums with nXi, half 1 completes them
// and reduces them to nXi. Block i of the turn is multiplied by H^(32-i).
func avxHalfHash(k *avxKernel, half int, base ir.Operand, at int64) []ir.Inst {
	b := k.builder()
	a, c, t := b.v(9), b.v(13), b.v(14)
	low, mid, high := b.v(nLow), b.v(nMid), b.v(nHigh)
	for i := int64(0); i < 16; i += int64(2 * k.lanes) {
		n := int64(16*half) + i // block of the turn
		first := n == 0
		for j, z := range []ir.Operand{a, c} {
			b.Origin("GHASH %s", blockNames(int(n)+j*k.lanes, k.lanes))
			b.I("vmovdqu", z, Mem(ir.Text, k.width(), base, at+16*i+int64(j)*k.bytes()))
			b.I("vpshufb", z, z, b.constant("bswap", 0))
		}
		if first {
			b.Origin("GHASH %s, add Xi", blockNames(0, k.lanes))
			b.I("vpxor", a, a, b.v(nXi))
		}
		power := func(j int64) ir.Operand {
			return Mem(ir.KeyBlock, k.width(), rKey, avxPowersEnd-16*(32-n)+j*k.bytes())
		}
		middles := Mem(ir.KeyBlock, k.width(), rKey, avxMiddles+8*n)
		product := func(sum, x, h ir.Operand, take int64, begin bool) {
			if begin {
				b.I("vpclmulqdq", sum, x, h, ir.Imm(take))
				return
			}
			b.I("vpclmulqdq", t, x, h, ir.Imm(take))
			b.I("vpxor", sum, sum, t)
		}
		blocks := blockNames(int(n), 2*k.lanes)
		b.Origin("GHASH %s, low products", blocks)
		product(low, a, power(0), lowLow, first)
		product(low, c, power(1), lowLow, false)
		b.Origin("GHASH %s, high products", blocks)
		product(high, a, power(0), highHigh, first)
		product(high, c, power(1), highHigh, false)
		b.Origin("GHASH %s, middle terms", blocks)
		b.I("vpunpcklqdq", t, a, c)
		b.I("vpunpckhqdq", a, a, c)
		b.I("vpxor", a, a, t)
		b.Origin("GHASH %s, middle products", blocks)
		product(mid, a, middles, lowLow, first)
		b.I("vpclmulqdq", a, a, middles, ir.Imm(highHigh))
		b.I("vpxor", mid, mid, a)
	}
	if half == 1 {
		b.Origin("GHASH middle terms without low and high")
		b.I("vpxor", mid, mid, low)
		b.I("vpxor", mid, mid, high)
		b.reduce(b.v)
		b.fold()
	}
	return b.Code
}

// reduce reduces the sums of products modulo the field polynomial, each lane on
// its own, and leaves the result in nXi. view makes the registers.
func (b *avxBuilder) reduce(view func(n int) ir.Operand) {
	low, mid, high := view(nLow), view(nMid), view(nHigh)
	t, swapped := view(9), view(13)
	poly := Const(low.Width, "poly", 0)
	step := func(name string, from, to ir.Operand) {
		b.Origin("reduce the %s quarter", name)
		b.I("vpclmulqdq", t, from, poly, ir.Imm(lowHigh))
		b.I("vpshufd", swapped, from, ir.Imm(swapHalves))
		b.I("vpxor", to, to, swapped)
		b.I("vpxor", to, to, t)
	}
	step("low", low, mid)
	step("second", mid, high)
	b.Element()
}

// fold adds the lanes of nXi into the lowest and clears the other.
func (b *avxBuilder) fold() {
	if b.lanes == 1 {
		return
	}
	b.Origin("add the lanes")
	b.I("vextracti128", X(9), Y(nXi), ir.Imm(1))
	b.I("vpxor", X(nXi), X(nXi), X(9))
	b.Element()
}

// multiply multiplies the register z by the powers at mem, lane by lane, and
// adds the products to the sums; or begins the sums with them, where z may be
// nXi. Lanes above those of z stay zero in the products.
func (b *avxBuilder) multiply(z, mem ir.Operand, begin bool) {
	view := X
	if z.Width == 256 {
		view = Y
	}
	if begin {
		b.I("vpclmulqdq", view(nLow), z, mem, ir.Imm(lowLow))
		b.I("vpclmulqdq", view(nMid), z, mem, ir.Imm(highLow))
		b.I("vpclmulqdq", view(9), z, mem, ir.Imm(lowHigh))
		b.I("vpclmulqdq", view(nHigh), z, mem, ir.Imm(highHigh))
		b.I("vpxor", view(nMid), view(nMid), view(9))
		return
	}
	for _, part := range []struct {
		sum  int
		take int64
	}{{nLow, lowLow}, {nMid, highLow}, {nMid, lowHigh}, {nHigh, highHigh}} {
		b.I("vpclmulqdq", view(9), z, mem, ir.Imm(part.take))
		b.I("vpxor", b.v(part.sum), b.v(part.sum), b.v(9))
	}
}

// avxAbsorb hashes the bytes at pointer, of which there are length, at least 1,
// all but the last 1 to 16 of them, and leaves in nXi the sum of Xi and the
// block of the last ones. It uses rax and r10, and changes both registers given.
func avxAbsorb(b *avxBuilder, name string, space ir.Space, pointer, length ir.Operand) {
	xi, block := X(4), X(5)
	b.Origin("GHASH of the %s", name)
	b.I("vpxor", X(nXi), X(nXi), X(nXi))
	b.I("cmp", length, ir.Imm(16))
	b.I("jbe", ir.To(name+"_last"))

	b.Label(name + "_part")
	b.Origin("%s: at most 32 blocks", name)
	b.I("lea", RAX, Addr(length, -1))
	b.I("and", RAX, ir.Imm(-16))
	b.I("mov", Low32(rPowers), ir.Imm(avxTurn))
	b.I("cmp", RAX, rPowers)
	b.I("cmova", RAX, rPowers)
	b.I("sub", length, RAX)
	b.I("lea", rPowers, Addr(rKey, avxPowersEnd))
	b.I("sub", rPowers, RAX)
	b.I("vmovdqu", xi, X(nXi))
	for _, n := range []int{nLow, nMid, nHigh} {
		b.I("vpxor", X(n), X(n), X(n))
	}
	b.Label(name + "_block")
	b.Origin("%s: one block", name)
	b.I("vmovdqu", block, Mem(space, 128, pointer, 0))
	b.I("vpshufb", block, block, Const(128, "bswap", 0))
	b.I("vpxor", block, block, xi)
	b.I("vpxor", xi, xi, xi)
	b.multiply(block, Mem(ir.KeyBlock, 128, rPowers, 0), false)
	b.I("add", pointer, ir.Imm(16))
	b.I("add", rPowers, ir.Imm(16))
	b.I("sub", RAX, ir.Imm(16))
	b.I("jne", ir.To(name+"_block"))
	b.reduce(X)
	b.I("cmp", length, ir.Imm(16))
	b.I("ja", ir.To(name+"_part"))

	b.Label(name + "_last")
	b.Origin("%s: the last 1 to 16 bytes", name)
	b.I("jne", ir.To(name+"_partial"))
	b.I("vmovdqu", block, Mem(space, 128, pointer, 0))
	b.I("jmp", ir.To(name+"_loaded"))
	b.Label(name + "_partial")
	b.loadBytes(name, space, block, pointer, length)
	b.Label(name + "_loaded")
	b.I("vpshufb", block, block, Const(128, "bswap", 0))
	b.I("vpxor", X(nXi), X(nXi), block)
}
