// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// The programs for four messages keep them side by side: while one waits for the
// latency of its rounds and products, the ports work for the others. A message
// has a register of GHASH state, Xi and the last four blocks added to it, which
// is multiplied when the next ones come. The texts go in turns of four registers
// each, two messages at a time; what is left of them, up to foursTurn-1 bytes, is
// hashed with its own powers of H, as in the short path. In the end the four
// states come together in one register, a message in each lane, for one
// reduction and four tags.

// foursTurn is the number of text bytes that a turn takes of each message.
const foursTurn = 4 * 64

// Messages are brief when text and AAD have at most so many bytes: one register
// of text, and one block of AAD. If the first of four is brief, all are.
const (
	briefText = 64
	briefAAD  = 16
)

// What the caller says of a message, in bytes from where that begins; package
// direct has the same as a struct.
const (
	packetNonce  = 0
	packetOut    = 16
	packetIn     = 24
	packetLen    = 32
	packetAAD    = 40
	packetAADLen = 48
	packetTag    = 56
	packetLens   = 64 // the length block in integer order
	packetSize   = 80
)

// The registers that keep their role. States and round keys are in z0 to z9, as
// elsewhere.
var (
	fNext = Z(21)                                    // counters of the next blocks of each message, one a lane
	fEK0  = Z(22)                                    // EK0 of each message, one a lane
	fXi   = []ir.Operand{Z(27), Z(28), Z(29), Z(30)} // GHASH state of each message
	fTag  = K(2)                                     // the bytes of a tag
	rAt   = RCX                                      // bytes of each text that are done
)

var rPackets, rPacketsLen = RSI, RDX

// fSums are the sums of products of messages with an even number and an odd one;
// fPair is where those of the first two messages come together.
var (
	fSums = [2]vaesSums{{vLow, vMid, vHigh}, {Z(14), Z(15), Z(16)}}
	fPair = vaesSums{Z(27), Z(28), Z(12)}
)

// packet is a field of message p.
func packet(width, p int, field int64) ir.Operand {
	return Mem(ir.Packets, width, rPackets, int64(p*packetSize)+field)
}

// vaesFours returns the program that seals or opens messages four at a time.
func vaesFours(bits int, seal bool) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	op := "open_fours"
	if seal {
		op = "seal_fours"
	}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	vaesConstants(b)
	b.Origin("mask of a tag")
	vaesMaskOf(b, fTag, RCX)
	if !seal {
		b.Origin("no message is verified")
		b.I("xor", Low32(RAX), Low32(RAX))
	}
	b.Label("four")
	b.Origin("choose the path")
	b.I("mov", R8, packet(64, 0, packetLen))
	b.I("cmp", R8, ir.Imm(briefText))
	b.I("ja", ir.To("fours"))
	b.I("mov", R8, packet(64, 0, packetAADLen))
	b.I("cmp", R8, ir.Imm(briefAAD))
	b.I("jbe", ir.To("brief"))
	b.Label("fours")
	for p := range 4 {
		foursAAD(b, p)
	}
	foursTurns(b, bits, seal)
	foursTails(b, bits, seal)
	b.I("jmp", ir.To("fours_finish"))
	foursBrief(b, bits, seal)
	foursFinish(b, seal)
	b.Origin("next four messages")
	b.I("add", rPackets, ir.Imm(4*packetSize))
	b.I("sub", rPacketsLen, ir.Imm(4*packetSize))
	b.I("jne", ir.To("four"))
	b.Origin("leave no secret in a register")
	vaesWipe(b)
	return vaesProgram(op, bits, b)
}

// foursAAD loads the blocks of AAD of message p, at most four, into the highest
// lanes of its state: as if others, of zeros, came before.
func foursAAD(b *ir.Builder, p int) {
	b.Origin("AAD of message %d", p)
	end, length, blocks, missing := R8, R9, R10, R11
	b.I("mov", end, packet(64, p, packetAAD))
	b.I("mov", length, packet(64, p, packetAADLen))
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
		b.I("mov", R8, packet(64, 0, packetLen))
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
			b.I("mov", r, packet(64, p, packetOut))
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
	b.Label("fours_last")
	b.Append(foursHash(1, behind, -foursTurn))
	b.I("vmovq", rPacketsLen, view(fEK0))
}

// foursText points to the next bytes of the texts of two messages.
func foursText(b *ir.Builder, pair int) {
	for i, r := range [2][2]ir.Operand{{R8, R9}, {R10, R11}} {
		p := 2*pair + i
		b.Origin("text of message %d", p)
		b.I("mov", r[0], packet(64, p, packetIn))
		b.I("add", r[0], rAt)
		b.I("mov", r[1], packet(64, p, packetOut))
		b.I("add", r[1], rAt)
	}
}

// foursCounters makes n registers of counter blocks for each of some messages,
// xor round key 0, which stays in z8.
func foursCounters(b *ir.Builder, n int, messages ...int) {
	b.Origin("round key 0")
	roundKey(b, Z(8), 0)
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
			z := Z(i*n + s)
			b.I("vbroadcasti32x4", z, packet(128, p, packetNonce))
			b.I("vpternlogq", z, t, Z(8), ir.Imm(xor3))
		}
	}
}

// foursHalfTurn is the counter-mode stream of half a turn: four registers of each
// of two messages, whose texts are at r8 and r10 and go to r9 and r11.
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

// foursTails takes what is left of the texts, by the number of registers that the
// longest needs.
func foursTails(b *ir.Builder, bits int, seal bool) {
	b.Label("fours_tail")
	b.Origin("bytes of the longest rest")
	rest := func(r ir.Operand, p int) {
		b.I("mov", r, packet(64, p, packetLen))
		b.I("and", r, ir.Imm(foursTurn-1))
	}
	rest(R8, 0)
	for p := 1; p < 4; p++ {
		rest(R9, p)
		b.I("cmp", R8, R9)
		b.I("cmovb", R8, R9)
	}
	b.I("cmp", R8, ir.Imm(64))
	b.I("jbe", ir.To("fours_tail_1"))
	b.I("cmp", R8, ir.Imm(128))
	b.I("jbe", ir.To("fours_tail_2"))
	foursRest(b, bits, 4, seal, true, 0, 1)
	foursRest(b, bits, 4, seal, false, 2, 3)
	b.I("jmp", ir.To("fours_join"))
	b.Label("fours_tail_1")
	foursRest(b, bits, 1, seal, true, 0, 1, 2, 3)
	b.I("jmp", ir.To("fours_join"))
	b.Label("fours_tail_2")
	foursRest(b, bits, 2, seal, true, 0, 1, 2, 3)
	b.Label("fours_join")
	b.Origin("a message in each lane")
	for j, sum := range fSums[0] {
		b.I("vshufi64x2", Z(17), fPair[j], sum, ir.Imm(0x88))
		b.I("vshufi64x2", Z(18), fPair[j], sum, ir.Imm(0xdd))
		b.I("vpxorq", sum, Z(17), Z(18))
	}
}

// foursRest takes the rests of some messages through n registers each, and leaves
// their sums of products in fPair, or those of the last two in the first of
// fSums. With first it makes EK0 of all messages besides.
func foursRest(b *ir.Builder, bits, n int, seal, first bool, messages ...int) {
	if !seal { // before the text may be overwritten
		foursRestHash(b, n, seal, messages)
	}
	foursRestText(b, bits, n, seal, first, messages)
	if seal {
		foursRestHash(b, n, seal, messages)
	}
}

// foursLeft sets r10 to what is left of message p from register s on, and r11 to
// zero; before that r10 holds what is left from register s-1 on.
func foursLeft(b *ir.Builder, p, s int) {
	b.I("xor", Low32(R11), Low32(R11))
	if s == 0 {
		b.I("mov", R10, packet(64, p, packetLen))
		b.I("and", R10, ir.Imm(foursTurn-1))
		return
	}
	b.I("sub", R10, ir.Imm(64))
	b.I("cmovb", R10, R11)
}

// foursMask makes a mask in k1 of what foursLeft found.
func foursMask(b *ir.Builder) {
	b.I("sub", R11, ir.Imm(1))
	b.I("bzhi", R11, R11, R10)
	b.I("kmovq", K(1), R11)
}

func foursRestText(b *ir.Builder, bits, n int, seal, first bool, messages []int) {
	foursCounters(b, n, messages...)
	states := statesUpTo(n * len(messages))
	if first {
		foursJ0(b)
		states = append(states, fEK0)
	}
	last := vaesMiddleRounds(b, bits, states...)
	if first {
		b.Origin("EK0 of each message, last round")
		b.I("vaesenclast", fEK0, fEK0, last)
	}
	for i, p := range messages {
		b.Origin("rest of message %d", p)
		b.I("mov", R8, packet(64, p, packetIn))
		b.I("add", R8, rAt)
		b.I("mov", R9, packet(64, p, packetOut))
		b.I("add", R9, rAt)
		for s := range n {
			z, t, at := Z(i*n+s), Z(10+s%2), int64(64*s)
			foursLeft(b, p, s)
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

// foursJ0 makes J0 of each message xor round key 0, which is in z8.
func foursJ0(b *ir.Builder) {
	b.Origin("J0 of each message, round 0")
	foursLanes(b, fEK0, func(p int) ir.Operand { return packet(128, p, packetNonce) })
	b.I("vpternlogq", fEK0, Z(8), Const(512, "first_blocks", 0), ir.Imm(xor3))
}

// foursLanes loads a block of each message into its lane of z.
func foursLanes(b *ir.Builder, z ir.Operand, block func(p int) ir.Operand) {
	b.I("vmovdqu64", view(z), block(0))
	for p := 1; p < 4; p++ {
		b.I("vinserti32x4", z, z, block(p), ir.Imm(int64(p)))
	}
}

// foursRestHash begins the sums of messages with the products of their states and
// their last registers of ciphertext: those in z0 and up, reversed, when sealing.
func foursRestHash(b *ir.Builder, n int, seal bool, messages []int) {
	for i, p := range messages {
		sums := fSums[p%2]
		b.Origin("GHASH of the rest of message %d", p)
		if !seal {
			b.I("mov", R8, packet(64, p, packetIn))
			b.I("add", R8, rAt)
		}
		for s := range n {
			foursLeft(b, p, s)
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
			b.I("vshufi64x2", Z(17), fSums[0][j], fSums[1][j], ir.Imm(0x44))
			b.I("vshufi64x2", Z(18), fSums[0][j], fSums[1][j], ir.Imm(0xee))
			b.I("vpxorq", to[j], Z(17), Z(18))
		}
	}
}

// foursBrief takes four brief messages. The text of each ends with its register,
// as if blocks of zeros came before, so that all have the same powers of H, and
// the blocks are moved to the lanes of their messages before they are multiplied.
func foursBrief(b *ir.Builder, bits int, seal bool) {
	b.Label("brief")
	b.Origin("make room")
	b.I("vmovq", X(30), rPacketsLen)
	sizes := []ir.Operand{R8, R9, R10, R11} // bytes in the blocks of each text
	scratch, scratch2 := RCX, RDX
	ones := func(r ir.Operand) {
		b.I("xor", Low32(r), Low32(r))
		b.I("sub", r, ir.Imm(1))
	}
	for p, size := range sizes {
		b.Origin("blocks of message %d", p)
		b.I("mov", size, packet(64, p, packetLen))
		ones(scratch)
		b.I("bzhi", scratch, scratch, size)
		b.I("add", size, ir.Imm(15))
		b.I("and", size, ir.Imm(-16))
		b.I("mov", Low32(scratch2), ir.Imm(64))
		b.I("sub", scratch2, size)
		b.I("shlx", scratch, scratch, scratch2)
		b.I("kmovq", K(3+p), scratch)
	}
	b.Origin("AAD of each message")
	aad, powers := Z(13), Z(14)
	b.I("vpxorq", view(aad), view(aad), view(aad))
	for p := range sizes {
		b.I("mov", scratch, packet(64, p, packetAADLen))
		ones(scratch2)
		b.I("bzhi", scratch2, scratch2, scratch)
		if p > 0 {
			b.I("shl", scratch2, ir.Imm(int64(16*p)))
		}
		b.I("kmovq", K(1), scratch2)
		b.I("mov", scratch, packet(64, p, packetAAD))
		b.I("vmovdqu8", Masked(aad, K(1)), Mem(ir.AAD, 512, scratch, int64(-16*p)))
	}
	b.I("vpshufb", aad, aad, vBswap)
	b.Origin("GHASH the AAD, before the blocks of text and length")
	foursLanes(b, powers, func(p int) ir.Operand {
		b.I("lea", scratch, Addr(rKey, vaesPowersEnd-32))
		b.I("sub", scratch, sizes[p])
		return Mem(ir.KeyBlock, 128, scratch, 0)
	})
	vaesMultiply(b, aad, powers, true)
	b.Origin("round key 0")
	roundKey(b, Z(8), 0)
	foursJ0(b)
	for p, size := range sizes {
		b.Origin("CB of message %d, round 0", p)
		b.I("lea", scratch, AddrConst("first_blocks")) // counters 1 in all lanes, then those of a text
		b.I("add", scratch, size)
		b.I("vbroadcasti32x4", Z(p), packet(128, p, packetNonce))
		b.I("vpternlogq", Z(p), Z(8), Mem(ir.Rodata, 512, scratch, 0), ir.Imm(xor3))
	}
	last := vaesMiddleRounds(b, bits, append(statesUpTo(4), fEK0)...)
	b.Origin("EK0 of each message, last round")
	b.I("vaesenclast", fEK0, fEK0, last)
	blocks := []ir.Operand{Z(4), Z(5), Z(6), Z(7)} // ciphertext
	for p, size := range sizes {
		b.Origin("text of message %d", p)
		k, z, t, c := K(3+p), Z(p), Z(10+p%2), blocks[p]
		b.I("mov", scratch, packet(64, p, packetIn))
		b.I("add", scratch, size)
		b.I("vmovdqu8", Zeroed(c, k), Mem(ir.Text, 512, scratch, -64))
		b.I("vpxorq", t, c, last)
		b.I("vaesenclast", z, z, t)
		b.I("mov", scratch2, packet(64, p, packetOut))
		b.I("add", scratch2, size)
		b.I("vmovdqu8", Masked(Mem(ir.Text, 512, scratch2, -64), k), z)
		if seal {
			b.I("vmovdqu8", Zeroed(c, k), z)
		}
		b.I("vpshufb", c, c, vBswap)
	}
	b.Origin("a message in each lane")
	low, high := []ir.Operand{Z(12), Z(13)}, []ir.Operand{Z(14), Z(15)}
	for i := range 2 {
		b.I("vshufi64x2", low[i], blocks[2*i], blocks[2*i+1], ir.Imm(0x44))
		b.I("vshufi64x2", high[i], blocks[2*i], blocks[2*i+1], ir.Imm(0xee))
	}
	for i, pair := range [][]ir.Operand{low, high} {
		b.I("vshufi64x2", blocks[2*i], pair[0], pair[1], ir.Imm(0x88))
		b.I("vshufi64x2", blocks[2*i+1], pair[0], pair[1], ir.Imm(0xdd))
	}
	for i, c := range blocks {
		b.Origin("GHASH block %d of each message", i)
		b.I("vbroadcasti32x4", Z(16), Mem(ir.KeyBlock, 128, rKey, int64(vaesPowersEnd-16*(5-i))))
		vaesMultiply(b, c, Z(16), false)
	}
	b.I("vmovq", rPacketsLen, X(30))
}

// foursFinish makes the four tags, and writes or compares them.
func foursFinish(b *ir.Builder, seal bool) {
	b.Label("fours_finish")
	b.Origin("GHASH the length blocks")
	foursLanes(b, Z(12), func(p int) ir.Operand { return packet(128, p, packetLens) })
	b.I("vbroadcasti32x4", Z(13), Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16))
	fSums[0].multiply(b, Z(12), Z(13), false)
	vaesReduceSums(b)
	b.Label("fours_tags")
	b.Origin("tags = GHASH xor EK0")
	b.I("vpshufb", Z(12), vHigh, vBswap)
	b.I("vpxorq", Z(12), Z(12), fEK0)
	for p := range 4 {
		b.Origin("tag of message %d", p)
		tag, mem := X(12), Mem(ir.Tag, 128, R8, 0)
		if p > 0 {
			tag = X(13)
			b.I("vextracti32x4", tag, Z(12), ir.Imm(int64(p)))
		}
		b.I("mov", R8, packet(64, p, packetTag))
		if seal {
			b.I("vmovdqu8", Masked(mem, fTag), tag)
			continue
		}
		b.I("vmovdqu8", Zeroed(X(14), fTag), mem)
		b.I("vpxorq", X(14), X(14), tag)
		b.I("vmovdqu8", Zeroed(X(14), fTag), X(14))
		b.I("add", RAX, RAX)
		b.I("vptest", X(14), X(14))
		b.I("jne", ir.To(fmt.Sprintf("forged_%d", p)))
		b.I("add", RAX, ir.Imm(1))
		b.Label(fmt.Sprintf("forged_%d", p))
	}
}
