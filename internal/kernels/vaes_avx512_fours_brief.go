// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// foursBrief takes four brief messages. The text of each ends with its register,
// as if blocks of zeros came before, so that all have the same powers of H, and
// the blocks are moved to the lanes of their messages before they are multiplied.
// The rounds go side by side with all of GHASH that does not wait for them.
func foursBrief(b *ir.Builder, bits int, seal bool) {
	b.Label("brief")                          // r8 has the length of the first text, and rcx fTagLen
	missing := []ir.Operand{R8, R9, R10, R11} // bytes of each register in front of the text
	states, texts := statesUpTo(4), []ir.Operand{Z(4), Z(5), Z(6), Z(7)}
	for p := 1; p < 4; p++ {
		b.Origin("text of message %d", p)
		foursLen(b, missing[p], RCX, p, seal)
	}
	for p, r := range missing {
		b.Origin("blocks of message %d", p)
		b.I("bzhi", RCX, Const(64, "ones", 0), r)
		b.I("xor", r, ir.Imm(-1)) // which is minus the length, less 1
		b.I("add", r, ir.Imm(65))
		b.I("and", r, ir.Imm(-16))
		b.I("shlx", RCX, RCX, r)
		b.I("kmovq", K(3+p), RCX)
		if !seal {
			foursBriefText(b, texts[p], missing, p)
		}
	}
	for p, z := range states {
		foursNonce(b, z, RCX, p)
	}
	b.Origin("round key 0")
	roundKey(b, Z(8), 0)
	foursJ0(b, states, Z(10), Z(11))
	for p, z := range states {
		b.Origin("CB of message %d, round 0", p)
		b.I("lea", RCX, AddrConst("first_blocks")) // counters 1 in all lanes, then those of a text
		b.I("sub", RCX, missing[p])
		b.I("vpternlogq", z, Z(8), Mem(ir.Rodata, 512, RCX, 64), ir.Imm(xor3))
	}
	rounds := &ir.Builder{ISA: ISA}
	last := vaesMiddleRounds(rounds, bits, append(states, fEK0)...)
	rounds.Origin("EK0 of each message, last round")
	rounds.I("vaesenclast", fEK0, fEK0, last)
	hash := &ir.Builder{ISA: ISA}
	foursBriefLead(hash, missing, seal)
	if !seal {
		foursBriefHash(hash, texts)
	}
	b.Append(merge(vaesModel,
		stitch.Stream{Name: "counter mode", Code: rounds.Code},
		stitch.Stream{Name: "GHASH", Code: hash.Code}))
	for p, z := range states {
		b.Origin("text of message %d", p)
		k, t, c := K(3+p), Z(10+p%2), texts[p]
		if seal {
			foursBriefText(b, c, missing, p)
		}
		b.I("vpxorq", t, c, last)
		b.I("vaesenclast", z, z, t)
		foursOut(b, RCX, p)
		b.I("sub", RCX, missing[p])
		b.I("vmovdqu8", Masked(Mem(ir.Text, 512, RCX, 0), k), z)
		if seal {
			b.I("vmovdqu8", Zeroed(c, k), z)
		}
	}
	if seal {
		foursBriefHash(b, texts)
	}
}

// foursBriefText loads the text of message p to the end of z. It uses rcx.
func foursBriefText(b *ir.Builder, z ir.Operand, missing []ir.Operand, p int) {
	b.I("mov", RCX, packet(64, p, packetText))
	b.I("sub", RCX, missing[p])
	b.I("vmovdqu8", Zeroed(z, K(3+p)), Mem(ir.Text, 512, RCX, 0))
}

// foursBriefLead begins the sums with the products of AAD and length blocks. It
// uses rcx, k1, and z12 to z20.
func foursBriefLead(b *ir.Builder, missing []ir.Operand, seal bool) {
	aad, powers, lens, h := Z(12), Z(13), Z(14), Z(15)
	b.Origin("AAD of each message")
	for p := range missing {
		b.I("mov", RCX, packet(64, p, packetAADLen))
		b.I("bzhi", RCX, Const(64, "ones", 0), RCX)
		if p > 0 {
			b.I("shl", RCX, ir.Imm(int64(16*p)))
		}
		b.I("kmovq", K(1), RCX)
		b.I("mov", RCX, packet(64, p, packetAAD))
		b.I("cmove", RCX, rKey) // see foursAAD
		to := Masked(aad, K(1))
		if p == 0 {
			to = Zeroed(aad, K(1))
		}
		b.I("vmovdqu8", to, Mem(ir.AAD, 512, RCX, int64(-16*p)))
	}
	b.I("vpshufb", aad, aad, vBswap)
	b.Origin("powers of H before those of the blocks of text")
	for p, r := range missing {
		b.I("lea", RCX, AddrIndex(rKey, r, 1, vaesPowersEnd-32-64))
		if from := Mem(ir.KeyBlock, 128, RCX, 0); p == 0 {
			b.I("vmovdqu64", view(powers), from)
		} else {
			b.I("vinserti32x4", powers, powers, from, ir.Imm(int64(p)))
		}
	}
	foursLengths(b, lens, h, Z(16), RCX, seal)
	b.Origin("GHASH AAD and the length blocks")
	b.I("vbroadcasti32x4", h, Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16))
	fSums[0].multiplyTwo(b, aad, powers, lens, h, true)
}

// foursBriefHash moves the blocks of ciphertext to the lanes of their messages and
// adds their products to the sums. It uses z12 to z20, and z27 to z30.
func foursBriefHash(b *ir.Builder, texts []ir.Operand) {
	blocks := fXi
	for p, z := range blocks {
		b.Origin("ciphertext of message %d", p)
		b.I("vpshufb", z, texts[p], vBswap)
	}
	b.Origin("a message in each lane")
	low, high := []ir.Operand{Z(12), Z(13)}, []ir.Operand{Z(14), Z(15)}
	for i := range 2 {
		b.I("vshufi64x2", low[i], blocks[2*i], blocks[2*i+1], ir.Imm(lowLanes))
		b.I("vshufi64x2", high[i], blocks[2*i], blocks[2*i+1], ir.Imm(highLanes))
	}
	for i, pair := range [][]ir.Operand{low, high} {
		b.I("vshufi64x2", blocks[2*i], pair[0], pair[1], ir.Imm(evenLanes))
		b.I("vshufi64x2", blocks[2*i+1], pair[0], pair[1], ir.Imm(oddLanes))
	}
	powers := []ir.Operand{Z(12), Z(13)}
	for i := 0; i < 4; i += 2 {
		b.Origin("GHASH blocks %d and %d of each message", i, i+1)
		for j, z := range powers {
			b.I("vbroadcasti32x4", z, Mem(ir.KeyBlock, 128, rKey, int64(vaesPowersEnd-16*(5-i-j))))
		}
		fSums[0].multiplyTwo(b, blocks[i], powers[0], blocks[i+1], powers[1], false)
	}
}
