// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
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
	packetLengths = packetSize - 64 // where a register with both lengths begins, and ends with the packet
)

// Where the next four packets are, and the bytes of all that are left.
var rPackets, rPacketsLen = RSI, RDX

// packet is a field of message p.
func packet(width, p int, field int64) ir.Operand {
	return Mem(ir.Packets, width, rPackets, int64(p*packetSize)+field)
}

// foursLen sets r to the bytes of text of message p. Opening, tag holds what
// fTagLen does.
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

// foursNonces loads the nonce of each of some messages to the first of its n
// states. It uses scratch.
func foursNonces(b *ir.Builder, scratch ir.Operand, n int, messages ...int) {
	for i, p := range messages {
		foursNonce(b, Z(i*n), scratch, p)
	}
}

// foursJ0 makes J0 of each message xor round key 0, which is in z8, of registers
// with the nonce of a message in every lane. It uses t and u.
func foursJ0(b *ir.Builder, nonces []ir.Operand, t, u ir.Operand) {
	b.Origin("J0 of each message, round 0")
	b.I("vshufi64x2", t, nonces[0], nonces[1], ir.Imm(lowLanes))
	b.I("vshufi64x2", u, nonces[2], nonces[3], ir.Imm(lowLanes))
	b.I("vshufi64x2", fEK0, t, u, ir.Imm(evenLanes))
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
	b.I("vshufi64x2", lens, lens, others, ir.Imm(lowLanes))
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

// foursOnes sets the low bits of r, as many as n says, up to 64.
func foursOnes(b *ir.Builder, r, n ir.Operand) {
	b.I("bzhi", r, Const(64, "ones", 0), n)
}
