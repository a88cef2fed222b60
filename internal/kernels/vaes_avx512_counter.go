// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A textMask limits the access to one of the registers of a group, the last of a
// message, by a mask register.
type textMask struct {
	register int // -1: none
	k        ir.Operand
}

var noMask = textMask{register: -1}

// load loads the text at offset at from base into z, or what there is of it and
// zeros.
func (m textMask) load(b *ir.Builder, i int, z, base ir.Operand, at int64) {
	if i != m.register {
		b.I(wide("vmovdqu", z), z, Mem(ir.Text, z.Width, base, at))
		return
	}
	b.I("vmovdqu8", Zeroed(z, m.k), Mem(ir.Text, z.Width, base, at))
}

// store stores z at offset at of the output, or what there is of the text.
func (m textMask) store(b *ir.Builder, i int, z ir.Operand, at int64) {
	if i != m.register {
		b.I(wide("vmovdqu", z), Mem(ir.Text, z.Width, rOut, at), z)
		return
	}
	b.I("vmovdqu8", Masked(Mem(ir.Text, z.Width, rOut, at), m.k), z)
}

// roundKey loads round key r into every lane of z.
func roundKey(b *ir.Builder, z ir.Operand, r int) {
	b.I("vbroadcasti32x4", z, Mem(ir.KeyBlock, 128, rKey, int64(16*r)))
}

// vaesRounds encrypts the states z0 to z(n-1), which hold counter blocks xor
// round key 0, and writes text xor key stream: register i is that of the 64
// bytes at offset at+64i.
func vaesRounds(b *ir.Builder, bits, n int, at int64, mask textMask) {
	last := vaesMiddleRounds(b, bits, statesUpTo(n)...)
	rounds := roundsFor(bits)
	for i := range n {
		text := Z(10 + i%2)
		b.Origin("text of blocks %d to %d", 4*i, 4*i+3)
		if i == mask.register {
			mask.load(b, i, text, rIn, at+int64(64*i))
			b.I("vpxorq", text, text, last)
		} else {
			b.I("vpxorq", text, last, Mem(ir.Text, 512, rIn, at+int64(64*i)))
		}
		b.Origin("AES blocks %d to %d, round %d", 4*i, 4*i+3, rounds)
		b.I("vaesenclast", Z(i), Z(i), text)
		b.Origin("text of blocks %d to %d", 4*i, 4*i+3)
		mask.store(b, i, Z(i), at+int64(64*i))
	}
}

// statesUpTo returns the registers z0 to z(n-1).
func statesUpTo(n int) (states []ir.Operand) {
	for i := range n {
		states = append(states, Z(i))
	}
	return states
}

// vaesMiddleRounds takes states through all rounds but the last, whose round key
// it returns in a register: it joins the text first, so that vaesenclast adds
// both. Round keys pass through z8 and z9.
func vaesMiddleRounds(b *ir.Builder, bits int, states ...ir.Operand) (last ir.Operand) {
	rounds := roundsFor(bits)
	for r := 1; r < rounds; r++ {
		key := Z(8 + r%2)
		b.Origin("round key %d", r)
		roundKey(b, key, r)
		for i, z := range states {
			b.Origin("AES blocks %d to %d, round %d", 4*i, 4*i+3, r)
			b.I("vaesenc", z, z, key)
		}
	}
	last = Z(8 + rounds%2)
	b.Origin("round key %d", rounds)
	roundKey(b, last, rounds)
	return last
}

// vaesSkip is how many counters of the first multiple of 64 no block of a text
// has: 0 and that of J0.
const vaesSkip = 2

// vaesHalfTurn is the counter-mode stream of half a turn, 32 blocks: half 0
// or 1. The first block of a turn has a counter that is vaesSkip behind a multiple
// of 64, and vBase that multiple: a counter block is a constant xor vBase. The last
// two blocks, half a register, belong to the next multiple, which vBase holds at
// the end.
func vaesHalfTurn(bits, half int) []ir.Inst {
	b := &ir.Builder{ISA: ISA}
	at := int64(half * vaesTurn / 2)
	for i := range 8 {
		constant := Mem(ir.Rodata, 512, rTable, at+int64(64*i))
		b.Origin("CB of blocks %d to %d, round 0", 4*i, 4*i+3)
		b.I("vpxorq", Z(i), vBase, constant)
		if 8*half+i == 15 {
			b.Origin("next multiple of 64")
			b.I("add", Low32(rCounter), ir.Imm(64))
			vaesSetBase(b)
			b.Origin("CB of blocks 30 and 31, round 0")
			b.I("vpxorq", Masked(Z(i), vUpper), vBase, constant)
		}
	}
	vaesRounds(b, bits, 8, at, noMask)
	return b.Code
}

// vaesSetBase puts rCounter, xor round key 0, into vBase. It uses r11.
func vaesSetBase(b *ir.Builder) {
	word := Low32(R11)
	b.I("mov", word, Low32(rCounter))
	b.I("bswap", word)
	b.I("xor", word, Mem(ir.KeyBlock, 32, rKey, 12))
	b.I("vpbroadcastd", Masked(vBase, vWords), word)
}

// vaesMasks sets the mask registers of the bulk loop. It uses r10.
func vaesMasks(b *ir.Builder) {
	b.Origin("masks")
	b.I("mov", Low32(R10), ir.Imm(0x8888))
	b.I("kmovq", vWords, R10)
	b.I("mov", Low32(R10), ir.Imm(0xf0))
	b.I("kmovq", vUpper, R10)
}

// vaesGroup encrypts or decrypts n registers of text with counters from z12,
// which holds byte-reversed counter blocks, one a lane, and moves z12 on.
func vaesGroup(b *ir.Builder, bits, n int, mask textMask) {
	b.Origin("round key 0")
	roundKey(b, Z(8), 0)
	for i := range n {
		b.Origin("CB of blocks %d to %d, round 0", 4*i, 4*i+3)
		b.I("vpshufb", Z(i), Z(12), vBswap)
		b.I("vpxorq", Z(i), Z(i), Z(8))
		b.I("vpaddd", Z(12), Z(12), Z(13))
	}
	vaesRounds(b, bits, n, 0, mask)
}

// vaesBlock encrypts the 128-bit state in x, which holds the block itself,
// one instruction stream without overlap.
func vaesBlock(b *ir.Builder, bits int, x ir.Operand, name string) {
	rounds := roundsFor(bits)
	b.Origin("%s, round 0", name)
	b.I("vpxorq", x, x, Mem(ir.KeyBlock, 128, rKey, 0))
	for r := 1; r < rounds; r++ {
		b.Origin("%s, round %d", name, r)
		b.I("vaesenc", x, x, Mem(ir.KeyBlock, 128, rKey, int64(16*r)))
	}
	b.Origin("%s, round %d", name, rounds)
	b.I("vaesenclast", x, x, Mem(ir.KeyBlock, 128, rKey, int64(16*rounds)))
}
