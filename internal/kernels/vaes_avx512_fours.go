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

// What the caller says of a message, in bytes from where that begins: a Packet of
// package direct.
const (
	packetDst     = 0 // whose end is where the result goes
	packetDstLen  = 8
	packetNonce   = 24
	packetText    = 48 // with the tag behind it when opening
	packetTextLen = 56
	packetAAD     = 72
	packetAADLen  = 80
	packetSize    = 112
	packetLengths = packetSize - 64 // where the register begins that holds both lengths
)

// The registers that keep their role. States and round keys are in z0 to z9, as
// elsewhere.
var (
	fNext   = Z(21)                                    // counters of the next blocks of each message, one a lane
	fEK0    = Z(22)                                    // EK0 of each message, one a lane
	fXi     = []ir.Operand{Z(27), Z(28), Z(29), Z(30)} // GHASH state of each message
	fTagLen = K(0)                                     // bytes of a tag, or minus those when opening
	fTag    = K(2)                                     // the bytes of a tag
	fNonce  = K(7)                                     // the 12 bytes of a nonce, in every lane
	rAt     = RCX                                      // bytes of each text that are done
)

var rPackets, rPacketsLen = RSI, RDX

// fSums are the sums of products of messages with an even number and an odd one;
// fPair is where those of the first two messages come together.
var (
	fSums = [2]vaesSums{{vLow, vMid, vHigh}, {Z(14), Z(15), Z(16)}}
	fPair = vaesSums{Z(27), Z(28), Z(12)}
)

// packetLengthIndices say which words the length blocks of two messages are in two
// registers that begin at packetLengths.
func packetLengthIndices() []byte {
	b := make([]byte, 64)
	for i := range 4 { // and again, to fill the register
		b[16*i] = byte((packetTextLen-packetLengths)/8 + i%2*8)
		b[16*i+8] = byte((packetAADLen-packetLengths)/8 + i%2*8)
	}
	return b
}

// packet is a field of message p.
func packet(width, p int, field int64) ir.Operand {
	return Mem(ir.Packets, width, rPackets, int64(p*packetSize)+field)
}

// foursLen sets r to the bytes of text of message p. Opening, tag is fTagLen.
func foursLen(b *ir.Builder, r, tag ir.Operand, p int, seal bool) {
	b.I("mov", r, packet(64, p, packetTextLen))
	if !seal {
		b.I("add", r, tag)
	}
}

// foursTagLen sets r to what foursLen needs.
func foursTagLen(b *ir.Builder, r ir.Operand, seal bool) {
	if !seal {
		b.I("kmovq", r, fTagLen)
	}
}

// foursOut sets r to where the result of message p goes.
func foursOut(b *ir.Builder, r ir.Operand, p int) {
	b.I("mov", r, packet(64, p, packetDst))
	b.I("add", r, packet(64, p, packetDstLen))
}

// foursNonce sets every lane of z to the nonce of message p, and zeros. It uses
// scratch.
func foursNonce(b *ir.Builder, z, scratch ir.Operand, p int) {
	b.Origin("nonce of message %d", p)
	b.I("mov", scratch, packet(64, p, packetNonce))
	b.I("vbroadcasti32x4", Zeroed(z, fNonce), Mem(ir.Nonce, 128, scratch, 0))
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
	b.Origin("mask of a nonce")
	b.I("mov", Low32(RAX), ir.Imm(0x7777))
	b.I("kmovq", fNonce, RAX)
	b.Origin("mask of a tag, in every lane")
	foursOnes(b, R8, RCX)
	b.I("mov", R9, R8)
	b.I("shl", R9, ir.Imm(16))
	b.I("xor", R8, R9)
	b.I("mov", R9, R8)
	b.I("shl", R9, ir.Imm(32))
	b.I("xor", R8, R9)
	b.I("kmovq", fTag, R8)
	if seal {
		b.Origin("bytes of a tag")
		b.I("kmovq", fTagLen, RCX)
	} else {
		b.Origin("minus the bytes of a tag")
		b.I("xor", Low32(RAX), Low32(RAX))
		b.I("sub", RAX, RCX)
		b.I("kmovq", fTagLen, RAX)
		b.Origin("no message is verified")
		b.I("xor", Low32(RAX), Low32(RAX))
	}
	b.Label("four")
	b.Origin("choose the path")
	foursTagLen(b, RCX, seal)
	foursLen(b, R8, RCX, 0, seal)
	b.I("cmp", R8, ir.Imm(briefText))
	b.I("ja", ir.To("fours"))
	b.I("mov", R9, packet(64, 0, packetAADLen))
	b.I("cmp", R9, ir.Imm(briefAAD))
	b.I("jbe", ir.To("brief"))
	b.Label("fours")
	for p := range 4 {
		foursAAD(b, p)
	}
	foursTurns(b, bits, seal)
	b.Label("fours_tail")
	foursTails(b, bits, "fours_tail", seal, nil)
	foursJoin(b)
	foursLengths(b, Z(12), Z(13), Z(18), R8, seal)
	b.Origin("GHASH the length blocks")
	b.I("vbroadcasti32x4", Z(13), Mem(ir.KeyBlock, 128, rKey, vaesPowersEnd-16))
	fSums[0].multiply(b, Z(12), Z(13), false)
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
	foursAADAt(b, end, length, p)
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

// foursAADAt sets at and length to where the AAD of message p is. Where there is
// none that is the key block: under an empty mask an access is slow at addresses
// where nothing is.
func foursAADAt(b *ir.Builder, at, length ir.Operand, p int) {
	b.I("mov", length, packet(64, p, packetAADLen))
	b.I("mov", at, packet(64, p, packetAAD))
	b.I("test", length, length)
	b.I("cmove", at, rKey)
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

// foursNonces loads the nonce of each of some messages to the first of its n
// states. It uses scratch.
func foursNonces(b *ir.Builder, scratch ir.Operand, n int, messages ...int) {
	for i, p := range messages {
		foursNonce(b, Z(i*n), scratch, p)
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

// foursJoin brings the sums of all messages together in the first of fSums.
func foursJoin(b *ir.Builder) {
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

// foursJ0 makes J0 of each message xor round key 0, which is in z8, of registers
// with the nonce of a message in every lane. It uses t and u.
func foursJ0(b *ir.Builder, nonces []ir.Operand, t, u ir.Operand) {
	b.Origin("J0 of each message, round 0")
	b.I("vshufi64x2", t, nonces[0], nonces[1], ir.Imm(0x44))
	b.I("vshufi64x2", u, nonces[2], nonces[3], ir.Imm(0x44))
	b.I("vshufi64x2", fEK0, t, u, ir.Imm(0x88))
	b.I("vpternlogq", fEK0, Z(8), Const(512, "first_blocks", 0), ir.Imm(xor3))
}

// foursLengths makes the length block of each message in lens, in its lane. It uses
// r, k1 and two other registers.
func foursLengths(b *ir.Builder, lens, index, others, r ir.Operand, seal bool) {
	lengths := func(p int) ir.Operand { return packet(512, p, packetLengths) }
	b.Origin("length block of each message")
	b.I("vmovdqu64", index, Const(512, "lengths", 0))
	b.I("vmovdqu64", lens, lengths(0))
	b.I("vpermt2q", lens, index, lengths(1))
	b.I("vmovdqu64", others, lengths(2))
	b.I("vpermt2q", others, index, lengths(3))
	b.I("vshufi64x2", lens, lens, others, ir.Imm(0x44))
	if !seal {
		b.Origin("without the tags")
		b.I("mov", Low32(r), ir.Imm(0x55))
		b.I("kmovq", K(1), r)
		foursTagLen(b, r, seal)
		b.I("vpbroadcastq", Zeroed(others, K(1)), r)
		b.I("vpaddq", lens, lens, others)
	}
	b.I("vpsllq", lens, lens, ir.Imm(3))
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
			b.I("vshufi64x2", Z(17), fSums[0][j], fSums[1][j], ir.Imm(0x44))
			b.I("vshufi64x2", Z(18), fSums[0][j], fSums[1][j], ir.Imm(0xee))
			b.I("vpxorq", to[j], Z(17), Z(18))
		}
	}
}

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

// foursOnes sets the low bits of r, as many as n says, up to 64.
func foursOnes(b *ir.Builder, r, n ir.Operand) {
	b.I("bzhi", r, Const(64, "ones", 0), n)
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
		b.I("cmove", RCX, rKey) // see foursAADAt
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
		b.I("vshufi64x2", low[i], blocks[2*i], blocks[2*i+1], ir.Imm(0x44))
		b.I("vshufi64x2", high[i], blocks[2*i], blocks[2*i+1], ir.Imm(0xee))
	}
	for i, pair := range [][]ir.Operand{low, high} {
		b.I("vshufi64x2", blocks[2*i], pair[0], pair[1], ir.Imm(0x88))
		b.I("vshufi64x2", blocks[2*i+1], pair[0], pair[1], ir.Imm(0xdd))
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

// foursFinish makes the four tags, and writes or compares them.
func foursFinish(b *ir.Builder, seal bool) {
	b.Label("fours_finish")
	vaesReduceSums(b)
	b.Label("fours_tags")
	b.Origin("tags = GHASH xor EK0")
	b.I("vpshufb", Z(12), vHigh, vBswap)
	b.I("vpxorq", Z(12), Z(12), fEK0)
	if !seal {
		b.I("vmovdqu8", Zeroed(Z(12), fTag), Z(12))
	}
	b.I("kmovq", R10, fTagLen)
	for p := range 4 {
		b.Origin("tag of message %d", p)
		tag, mem := X(12), Mem(ir.Tag, 128, R8, 0)
		if p > 0 {
			tag = X(13)
			b.I("vextracti32x4", tag, Z(12), ir.Imm(int64(p)))
		}
		foursLen(b, R9, R10, p, seal)
		b.I("mov", R11, packet(64, p, packetDstLen))
		b.I("add", R11, R9) // the result now belongs to Dst
		if seal {
			b.I("mov", R8, packet(64, p, packetDst))
			b.I("add", R8, R11)
			b.I("vmovdqu8", Masked(mem, fTag), tag)
			b.I("add", R11, R10)
			b.I("mov", packet(64, p, packetDstLen), R11)
			continue
		}
		b.I("mov", packet(64, p, packetDstLen), R11)
		b.I("mov", R8, packet(64, p, packetText))
		b.I("add", R8, R9)
		b.I("vmovdqu8", Zeroed(X(14), fTag), mem)
		b.I("vpxorq", X(14), X(14), tag)
		b.I("add", RAX, RAX)
		b.I("vptest", X(14), X(14))
		b.I("jne", ir.To(fmt.Sprintf("forged_%d", p)))
		b.I("add", RAX, ir.Imm(1))
		b.Label(fmt.Sprintf("forged_%d", p))
	}
}
