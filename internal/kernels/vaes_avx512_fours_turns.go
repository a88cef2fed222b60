// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// foursAAD loads the blocks of AAD of message p, at most four, into the highest
// lanes of its state: as if others, of zeros, came before. Where there is none it
// looks at the key block: under an empty mask an access is slow at addresses where
// nothing is.
func foursAAD(b *ir.Builder, p int) {
	b.Origin("AAD of message %d", p)
	end, length, blocks, missing := R8, R9, R10, R11
	b.I("mov", length, packet(64, p, packetAADLen))
	b.I("mov", end, packet(64, p, packetAAD))
	b.I("test", length, length)
	b.I("cmove", end, rKey)
	b.I("lea", blocks, Addr(length, 15))
	b.I("and", blocks, ir.Imm(-16))
	b.I("add", end, blocks)
	b.I("mov", Low32(missing), ir.Imm(64))
	b.I("sub", missing, blocks)
	b.I("xor", Low32(RCX), Low32(RCX))
	b.I("sub", RCX, ir.Imm(1))
	b.I("bzhi", RCX, RCX, length)
	b.I("shlx", RCX, RCX, missing)
	b.I("kmovq", K(1), RCX)
	b.I("vmovdqu8", Zeroed(fXi[p], K(1)), Mem(ir.AAD, 512, end, -64))
	b.I("vpshufb", fXi[p], fXi[p], vBswap)
}

// foursTurns takes the whole turns of the texts, of which all four messages have
// as many. When it seals, GHASH runs half a turn behind.
func foursTurns(b *ir.Builder, bits int, seal bool) {
	b.Origin("counters of the first blocks")
	b.I("vmovdqu64", fNext, Const(512, "first_counters", 0))
	b.I("xor", Low32(rAt), Low32(rAt))
	turns := func() {
		b.Origin("bytes in whole turns")
		foursTagLen(b, R9, seal)
		foursLen(b, R8, R9, 0, seal)
		b.I("and", R8, ir.Imm(-foursTurn))
	}
	turns()
	b.I("je", ir.To("fours_tail"))
	half := func(pair int, hash []ir.Inst) {
		b.Append(merge(vaesModel,
			stitch.Stream{Name: "counter mode", Code: foursHalfTurn(bits, pair)},
			stitch.Stream{Name: "GHASH", Code: hash}))
	}
	advance := func() {
		b.Origin("next turn")
		b.I("vpaddd", fNext, fNext, Const(512, "strides", 3*64))
		b.I("add", rAt, ir.Imm(foursTurn))
	}
	if !seal {
		b.Label("fours_turn")
		for pair := range 2 {
			foursText(b, pair)
			half(pair, foursHash(pair, [2]ir.Operand{R8, R10}, 0))
		}
		advance()
		turns()
		b.I("cmp", rAt, R8)
		b.I("jb", ir.To("fours_turn"))
		return
	}
	b.Origin("make room")
	b.I("vmovq", view(fEK0), rPacketsLen)
	// Pointers behind the ciphertext to be hashed, so that displacements tell
	// it from the text.
	behind := [2]ir.Operand{RAX, RDX}
	written := func(pair int, more int64) {
		for i, r := range behind {
			p := 2*pair + i
			b.Origin("ciphertext of message %d", p)
			foursOut(b, r, p)
			b.I("add", r, rAt)
			if more > 0 {
				b.I("add", r, ir.Imm(more))
			}
		}
	}
	foursText(b, 0)
	b.Append(foursHalfTurn(bits, 0))
	b.Label("fours_half") // the first two texts are a turn ahead of GHASH
	foursText(b, 1)
	written(0, foursTurn)
	half(1, foursHash(0, behind, -foursTurn))
	advance()
	written(1, 0)
	turns()
	b.I("cmp", rAt, R8)
	b.I("jae", ir.To("fours_last"))
	foursText(b, 0)
	half(0, foursHash(1, behind, -foursTurn))
	b.I("jmp", ir.To("fours_half"))
	b.Label("fours_last") // the last two texts are half a turn ahead of GHASH
	b.Origin("make room")
	b.I("mov", R11, behind[1])
	b.I("vmovq", rPacketsLen, view(fEK0))
	foursTails(b, bits, "fours_last", seal, foursHash(1, [2]ir.Operand{behind[0], R11}, -foursTurn))
}

// foursText makes ready for half a turn: it loads the nonces of two messages, and
// points to the next bytes of their texts.
func foursText(b *ir.Builder, pair int) {
	foursNonces(b, R8, 4, 2*pair, 2*pair+1)
	for i, r := range [2][2]ir.Operand{{R8, R9}, {R10, R11}} {
		p := 2*pair + i
		b.Origin("text of message %d", p)
		b.I("mov", r[0], packet(64, p, packetText))
		b.I("add", r[0], rAt)
		foursOut(b, r[1], p)
		b.I("add", r[1], rAt)
	}
}

// foursCounters makes n registers of counter blocks for each of some messages,
// xor round key 0, which stays in z8, where foursNonces has been.
func foursCounters(b *ir.Builder, n int, messages ...int) {
	b.Origin("round key 0")
	roundKey(b, Z(8), 0)
	for i := range messages {
		for s := 1; s < n; s++ {
			b.I("vmovdqu64", Z(i*n+s), Z(i*n))
		}
	}
	for s := range n {
		t := Z(10 + s%2)
		b.Origin("counters of blocks %d to %d", 4*s, 4*s+3)
		if s == 0 {
			b.I("vpshufb", t, fNext, vBswap)
		} else {
			b.I("vpaddd", t, fNext, Const(512, "strides", int64(64*(s-1))))
			b.I("vpshufb", t, t, vBswap)
		}
		for i, p := range messages {
			b.Origin("CB of message %d, blocks %d to %d, round 0", p, 4*s, 4*s+3)
			b.I("vpternlogq", Z(i*n+s), t, Z(8), ir.Imm(xor3))
		}
	}
}

// foursHalfTurn is the counter-mode stream of half a turn: four registers of each
// of two messages, for which foursText has been.
func foursHalfTurn(bits, pair int) []ir.Inst {
	b := &ir.Builder{ISA: ISA}
	foursCounters(b, 4, 2*pair, 2*pair+1)
	last := vaesMiddleRounds(b, bits, statesUpTo(8)...)
	for i := range 8 {
		from, to := R8, R9
		if i >= 4 {
			from, to = R10, R11
		}
		at := int64(64 * (i % 4))
		b.Origin("text of message %d, blocks %d to %d", 2*pair+i/4, 4*(i%4), 4*(i%4)+3)
		b.I("vpxorq", Z(10+i%2), last, Mem(ir.Text, 512, from, at))
		b.I("vaesenclast", Z(i), Z(i), Z(10+i%2))
		b.I("vmovdqu64", Mem(ir.Text, 512, to, at), Z(i))
	}
	return b.Code
}

// foursHash is the GHASH stream of half a turn: 256 bytes of ciphertext of each
// of two messages, at offset at from their bases. The last four blocks are added,
// and multiplied when their successors come.
func foursHash(pair int, base [2]ir.Operand, at int64) []ir.Inst {
	b := &ir.Builder{ISA: ISA}
	for i := range 2 {
		p := 2*pair + i
		xi := fXi[p]
		load := func(z ir.Operand, s int) ir.Operand {
			b.Origin("GHASH message %d, %s", p, blockNames(4*s, 4))
			b.I("vmovdqu64", z, Mem(ir.Text, 512, base[i], at+int64(64*s)))
			b.I("vpshufb", z, z, vBswap)
			return z
		}
		c := load(Z(13), 0)
		vaesTwoRegisters(b, 12, fmt.Sprintf("message %d, Xi and %s", p, blockNames(0, 4)), xi, c, true)
		a, c := load(Z(12), 1), load(Z(13), 2)
		vaesTwoRegisters(b, 14, fmt.Sprintf("message %d, %s", p, blockNames(4, 8)), a, c, false)
		b.Origin("GHASH middle terms without low and high")
		b.I("vpternlogq", vMid, vLow, vHigh, ir.Imm(xor3))
		vaesReduceSums(b)
		load(Z(12), 3)
		b.I("vpxorq", xi, vHigh, Z(12))
		b.Element()
	}
	return b.Code
}
