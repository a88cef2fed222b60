// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// The key block of eor3. The powers are H^n·x^-1, as docs/ALGORITHMS.md
// derives, the highest first, in three arrays of 8-byte halves: a 16-byte
// load anywhere in an array then gives the halves for two blocks in turn.
const (
	eor3Counters = 256 // 16 counter blocks xor round key 0; block n has the counter n
	eor3TopExp   = 32
	eor3High     = 512                         // for the first 8 bytes of a block
	eor3Low      = eor3High + 8*eor3TopExp     // for the last 8 bytes
	eor3Middle   = eor3High + 16*eor3TopExp    // xor of the two
	eor3H        = eor3High + 8*eor3TopExp - 8 // the high half of H^1
	eor3Consts   = eor3High + 24*eor3TopExp
	eor3Firsts   = eor3Consts      // tbl indices: reversed first halves of two blocks
	eor3Lasts    = eor3Consts + 16 // reversed last halves
	eor3Reverse  = eor3Consts + 32 // a block reversed
	eor3Poly     = eor3Consts + 48 // the reduction constant
	eor3Iota     = eor3Consts + 64 // byte i is i
	eor3One      = eor3Consts + 80 // 32-bit lanes 0, 0, 0, 1
	eor3KeyBlock = eor3Consts + 96
)

// eor3Turn is the number of text bytes that one turn of the bulk loop takes.
const eor3Turn = 16 * 16

// The vector registers that keep their role for a whole seal or open. v0 to
// v7 are scratch; v8 to v22 hold round keys outside of the bulk loop.
var (
	aEK0    = V(23) // E(K, J0), the last round key still missing
	aHigh   = V(24) // sums of products: high, low and middle part
	aLow    = V(25)
	aMid    = V(26)
	aXi     = V(27) // what GHASH has so far, byte-reversed
	aCtr    = V(28) // next counter block, each 32-bit lane byte-reversed
	aFirsts = V(29) // tbl indices
	aLasts  = V(30)
	aOne    = V(31)
	aBase   = V(12) // of the bulk loop: counter block with a multiple of 16
)

// The general registers of seal and open.
var (
	xKey, xOut, xIn, xLen = X(0), X(1), X(2), X(3) // xLen: bytes behind the part at hand
	xAAD, xAADLen         = X(4), X(5)
	xNonce, xNonceLen     = X(6), X(7)
	xTag, xTagLen         = X(8), X(9)
	xPart                 = X(10) // bytes of the part at hand
	xPowers               = X(11) // the high half of the next block's power of H
	xTmp, xTmp2           = X(12), X(13)
	xAADBits, xTextBits   = X(14), X(15)
	xStart                = X(16) // where out begins
	xCounter              = X(17) // counter of the turn
)

// Eor3 returns the programs of the kernel eor3.
func Eor3() []*ir.Program {
	var ps []*ir.Program
	for _, bits := range []int{128, 192, 256} {
		ps = append(ps, eor3Init(bits), eor3Text(bits, true), eor3Text(bits, false))
	}
	return ps
}

func eor3Program(op string, bits int, b *ir.Builder) *ir.Program {
	c := newContract("eor3", op, bits)
	c.Features = []string{"AES", "PMULL", "SHA3"}
	c.KeyBlock = []ir.Field{
		{Offset: 0, Size: 16 * (roundsFor(bits) + 1), Means: "round keys"},
		{Offset: eor3Counters, Size: 256, Means: "counter blocks 0 to 15 xor round key 0"},
		{Offset: eor3High, Size: 8 * eor3TopExp, Means: "H^32 to H^1, times x^-1: high halves"},
		{Offset: eor3Low, Size: 8 * eor3TopExp, Means: "their low halves"},
		{Offset: eor3Middle, Size: 8 * eor3TopExp, Means: "the xor of both"},
		{Offset: eor3Consts, Size: eor3KeyBlock - eor3Consts, Means: "constants"},
	}
	c.Clobbers = "x0 to x17, flags; v0 to v7 and v16 to v31, in which no secret stays"
	if op == "init" {
		c.Clobbers = "x1, x2, x12, flags; v0 to v7 and v16 to v28, in which no secret stays"
	} else {
		c.StackBytes = 64
	}
	return &ir.Program{Name: fmt.Sprintf("eor3_%s_%d", op, bits), ISA: ISA, Contract: c, Code: b.Code}
}

// eor3Model is a core with four vector pipes, as Neoverse V1 and V2 are; the
// schedule that suits it suits cores with two.
var eor3Model = &stitch.Model{
	Name: "four 128-bit pipes", Width: 8, Ports: 8,
	Cost: func(i ir.Inst) stitch.Cost {
		const vector, v0, loads = 0xf, 1, 0x70
		switch i.Form.Mnemonic {
		case "ldr", "ldp":
			return stitch.Cost{Ports: loads, Latency: 6}
		case "add", "rev":
			return stitch.Cost{Latency: 1}
		case "eor3":
			return stitch.Cost{Ports: v0, Latency: 2}
		}
		return stitch.Cost{Ports: vector, Latency: 2}
	},
}
