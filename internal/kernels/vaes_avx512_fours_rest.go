// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// foursTails takes what is left of the texts, by the number of registers that the
// longest needs. Labels begin with name. The first rounds go side by side with
// GHASH of what came before, or with that of the rests.
func foursTails(b *ir.Builder, bits int, name string, seal bool, before []ir.Inst) {
	b.Origin("bytes of the longest rest")
	foursTagLen(b, R10, seal)
	rest := func(r ir.Operand, p int) {
		foursLen(b, r, R10, p, seal)
		b.I("and", r, ir.Imm(foursTurn-1))
	}
	rest(R8, 0)
	for p := 1; p < 4; p++ {
		rest(R9, p)
		b.I("cmp", R8, R9)
		b.I("cmovb", R8, R9)
	}
	b.I("cmp", R8, ir.Imm(64))
	b.I("jbe", ir.To(name+"_1"))
	b.I("cmp", R8, ir.Imm(128))
	b.I("jbe", ir.To(name+"_2"))
	foursRest(b, bits, 4, seal, true, before, 0, 1)
	foursRest(b, bits, 4, seal, false, nil, 2, 3)
	b.I("jmp", ir.To("fours_join"))
	b.Label(name + "_1")
	foursRest(b, bits, 1, seal, true, before, 0, 1, 2, 3)
	b.I("jmp", ir.To("fours_join"))
	b.Label(name + "_2")
	foursRest(b, bits, 2, seal, true, before, 0, 1, 2, 3)
	if name != "fours_tail" {
		b.I("jmp", ir.To("fours_join"))
	}
}

// foursRest takes the rests of some messages through n registers each, and leaves
// their sums of products in fPair, or those of the last two in the first of
// fSums. With first it makes EK0 of all messages besides. The rounds go side by
// side with GHASH of what came before or, opening, of the rests.
func foursRest(b *ir.Builder, bits, n int, seal, first bool, before []ir.Inst, messages ...int) {
	foursNonces(b, R8, n, messages...)
	foursCounters(b, n, messages...)
	states := statesUpTo(n * len(messages))
	if first {
		var nonces []ir.Operand
		for p := range 4 {
			nonces = append(nonces, Z(17+p))
			foursNonce(b, nonces[p], R8, p)
		}
		foursJ0(b, nonces, nonces[0], nonces[2])
		states = append(states, fEK0)
	}
	rounds, hash := &ir.Builder{ISA: ISA}, &ir.Builder{ISA: ISA, Code: before}
	last := vaesMiddleRounds(rounds, bits, states...)
	if first {
		rounds.Origin("EK0 of each message, last round")
		rounds.I("vaesenclast", fEK0, fEK0, last)
	}
	if !seal { // before the text may be overwritten
		foursRestHash(hash, n, seal, messages)
	}
	b.Append(merge(vaesModel,
		stitch.Stream{Name: "counter mode", Code: rounds.Code},
		stitch.Stream{Name: "GHASH", Code: hash.Code}))
	foursRestText(b, n, last, seal, messages)
	if seal {
		foursRestHash(b, n, seal, messages)
	}
}

// foursRestText takes the rests of messages through the last round.
func foursRestText(b *ir.Builder, n int, last ir.Operand, seal bool, messages []int) {
	for i, p := range messages {
		b.Origin("rest of message %d", p)
		b.I("mov", R8, packet(64, p, packetText))
		b.I("add", R8, rAt)
		foursOut(b, R9, p)
		b.I("add", R9, rAt)
		for s := range n {
			z, t, at := Z(i*n+s), Z(10+s%2), int64(64*s)
			foursLeft(b, p, s, seal)
			foursMask(b)
			b.I("vmovdqu8", Zeroed(t, K(1)), Mem(ir.Text, 512, R8, at))
			b.I("vpxorq", t, t, last)
			b.I("vaesenclast", z, z, t)
			b.I("vmovdqu8", Masked(Mem(ir.Text, 512, R9, at), K(1)), z)
			if seal {
				b.I("vmovdqu8", Zeroed(z, K(1)), z)
				b.I("vpshufb", z, z, vBswap)
			}
		}
	}
}

// foursRestHash begins the sums of messages with the products of their states and
// their last registers of ciphertext: those in z0 and up, reversed, when sealing.
func foursRestHash(b *ir.Builder, n int, seal bool, messages []int) {
	for i, p := range messages {
		sums := fSums[p%2]
		b.Origin("GHASH of the rest of message %d", p)
		if !seal {
			b.I("mov", R8, packet(64, p, packetText))
			b.I("add", R8, rAt)
		}
		for s := range n {
			foursLeft(b, p, s, seal)
			z := Z(i*n + s)
			if !seal {
				z = Z(13)
				foursMask(b)
				b.I("vmovdqu8", Zeroed(z, K(1)), Mem(ir.Text, 512, R8, int64(64*s)))
				b.I("vpshufb", z, z, vBswap)
			}
			// The powers of the blocks that are left, before that of the length
			// block: any do where none are.
			b.I("lea", R9, Addr(R10, 15))
			b.I("and", R9, ir.Imm(-16))
			b.I("lea", R11, Addr(rKey, vaesPowersEnd-16))
			b.I("sub", R11, R9)
			if s == 0 {
				sums.multiply(b, fXi[p], Mem(ir.KeyBlock, 512, R11, -64), true)
			}
			sums.multiply(b, z, Mem(ir.KeyBlock, 512, R11, 0), false)
		}
		if p%2 == 0 {
			continue
		}
		to := fPair
		if p == 3 {
			to = fSums[0]
		}
		b.Origin("two messages together, two lanes each")
		for j := range to {
			b.I("vshufi64x2", Z(17), fSums[0][j], fSums[1][j], ir.Imm(lowLanes))
			b.I("vshufi64x2", Z(18), fSums[0][j], fSums[1][j], ir.Imm(highLanes))
			b.I("vpxorq", to[j], Z(17), Z(18))
		}
	}
}

// foursLeft sets r10 to what is left of message p from register s on; before that
// it holds what is left from register s-1 on. It uses r11.
func foursLeft(b *ir.Builder, p, s int, seal bool) {
	if s == 0 {
		foursTagLen(b, R11, seal)
		foursLen(b, R10, R11, p, seal)
		b.I("and", R10, ir.Imm(foursTurn-1))
		return
	}
	b.I("xor", Low32(R11), Low32(R11))
	b.I("sub", R10, ir.Imm(64))
	b.I("cmovb", R10, R11)
}

// foursMask makes a mask in k1 of what foursLeft found. It uses r11.
func foursMask(b *ir.Builder) {
	foursOnes(b, R11, R10)
	b.I("kmovq", K(1), R11)
}

// foursJoin brings the sums of all messages together in the first of fSums.
func foursJoin(b *ir.Builder) {
	b.Label("fours_join")
	b.Origin("a message in each lane")
	for j, sum := range fSums[0] {
		b.I("vshufi64x2", Z(17), fPair[j], sum, ir.Imm(evenLanes))
		b.I("vshufi64x2", Z(18), fPair[j], sum, ir.Imm(oddLanes))
		b.I("vpxorq", sum, Z(17), Z(18))
	}
}
