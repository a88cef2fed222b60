// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// roundKey loads round key r into every lane of the register for it.
func (b *avxBuilder) roundKey(r int) ir.Operand {
	b.Origin("round key %d", r)
	key, mem := b.v(nKey), Mem(ir.KeyBlock, 128, rKey, int64(16*r))
	if b.lanes == 2 {
		b.I("vbroadcasti128", key, mem)
	} else {
		b.I("vmovdqu", key, mem)
	}
	return key
}

// rounds encrypts the states 0 to n-1, which hold counter blocks xor round key
// 0, to key stream.
func (b *avxBuilder) rounds(bits, n int, name func(i int) string) {
	rounds := roundsFor(bits)
	for r := 1; r <= rounds; r++ {
		key, enc := b.roundKey(r), "vaesenc"
		if r == rounds {
			enc = "vaesenclast"
		}
		for i := range n {
			b.Origin("AES %s, round %d", name(i), r)
			b.I(enc, b.v(i), b.v(i), key)
		}
	}
}

// avxHalfTurn is the counter-mode stream of half a turn of the bulk loop, 16
// blocks: half 0 or 1. The first block of a turn has a counter that is avxSkip
// behind a multiple of 32, and nBase that multiple: a counter block is a constant
// xor nBase. The last blocks, as many as avxSkip, belong to the next multiple, which
// nBase holds at the end.
func avxHalfTurn(k *avxKernel, bits, half int) []ir.Inst {
	b := k.builder()
	registers := 16 / k.lanes
	for first := half * registers; first < (half+1)*registers; first += 8 {
		blocks := func(i int) string { return blockNames((first+i)*k.lanes, k.lanes) }
		for i := range 8 {
			n := (first+i)*k.lanes + avxSkip
			b.Origin("CB of %s, round 0", blocks(i))
			b.I("vpxor", b.v(i), b.v(nBase), Mem(ir.Rodata, k.width(), rTable, int64(16*(n%32))))
			if n+k.lanes == 32 {
				avxNextBase(b)
			}
		}
		b.rounds(bits, 8, blocks)
		for i := range 8 {
			b.Origin("text of %s", blocks(i))
			at := int64(first+i) * k.bytes()
			b.I("vpxor", b.v(i), b.v(i), Mem(ir.Text, k.width(), rIn, at))
			b.I("vmovdqu", Mem(ir.Text, k.width(), rOut, at), b.v(i))
		}
	}
	return b.Code
}

// avxNextBase moves rCounter and nBase on to the next multiple of 32.
func avxNextBase(b *avxBuilder) {
	b.Origin("next multiple of 32")
	b.I("add", Low32(rCounter), ir.Imm(32))
	avxSetBase(b)
}

// avxSetBase puts rCounter, xor round key 0, into nBase. It uses r11.
func avxSetBase(b *avxBuilder) {
	word := Low32(R11)
	b.I("mov", word, Low32(rCounter))
	b.I("bswap", word)
	b.I("xor", word, Mem(ir.KeyBlock, 32, rKey, 12))
	b.I("vpinsrd", X(nBase), X(nBase), word, ir.Imm(3))
	b.copyLane(nBase)
}

// copyLane copies the lowest lane of register n to the other, where there is one.
func (b *avxBuilder) copyLane(n int) {
	if b.lanes == 2 {
		b.I("vinserti128", Y(n), Y(n), X(n), ir.Imm(1))
	}
}

// nextStates makes n registers of counter blocks xor round key 0.
func (b *avxBuilder) nextStates(n int) {
	b.roundKey(0)
	for i := range n {
		b.Origin("CB of %s, round 0", blockNames(i*b.lanes, b.lanes))
		b.I("vpshufb", b.v(i), b.v(nCtr), b.constant("bswap", 0))
		b.I("vpaddd", b.v(nCtr), b.v(nCtr), b.constant("step", 0))
		b.I("vpxor", b.v(i), b.v(i), b.v(nKey))
	}
}

// avxBlock encrypts the block in x0, one instruction stream without overlap. x0
// holds the block itself.
func avxBlock(b *ir.Builder, bits int, name string) {
	rounds := roundsFor(bits)
	key := func(r int) ir.Operand { return Mem(ir.KeyBlock, 128, rKey, int64(16*r)) }
	b.Origin("%s, round 0", name)
	b.I("vpxor", X(0), X(0), key(0))
	for r := 1; r < rounds; r++ {
		b.Origin("%s, round %d", name, r)
		b.I("vaesenc", X(0), X(0), key(r))
	}
	b.Origin("%s, round %d", name, rounds)
	b.I("vaesenclast", X(0), X(0), key(rounds))
}
