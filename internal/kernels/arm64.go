// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"

	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// The key block of the kernels for arm64. The powers are H^n·x^-1, as docs/ALGORITHMS.md
// derives, the highest first, in three arrays of 8-byte halves: a 16-byte
// load anywhere in an array then gives the halves for two blocks in turn.
const (
	armCounters = 256 // 16 counter blocks xor round key 0; block n has the counter n
	armConsts   = 512
	armFirsts   = armConsts      // tbl indices: reversed first halves of two blocks
	armLasts    = armConsts + 16 // reversed last halves
	armReverse  = armConsts + 32 // a block reversed
	armPoly     = armConsts + 48 // the reduction constant
	armIota     = armConsts + 64 // byte i is i
	armOne      = armConsts + 80 // 32-bit lanes 0, 0, 0, 1
	armTopExp   = 32
	armHigh     = armConsts + 96             // for the first 8 bytes of a block
	armLow      = armHigh + 8*armTopExp      // for the last 8 bytes
	armMiddle   = armHigh + 16*armTopExp     // xor of the two
	armH        = armHigh + 8*armTopExp - 8  // the high half of H^1
	armColumns  = armHigh + 24*armTopExp     // 4 bytes for each counter from 1 on
	armKeyBlock = armColumns + 4*armBriefest // bytes
)

// armBriefest is the highest counter of a brief message: of J0 and 31 blocks.
const armBriefest = 32

// armTurn is the number of text bytes that one turn of the bulk loop takes.
const armTurn = 16 * 16

// The vector registers that keep their role for a whole seal or open. v0 to
// v7 are scratch; v8 to v22 hold round keys outside of the bulk loop.
var (
	aEK0    = V(23) // E(K, J0), the last round key still missing
	aHigh   = V(24) // sums of products: high, low and middle part
	aLow    = V(25)
	aMid    = V(26)
	aXi     = V(27) // what GHASH has so far, byte-reversed
	aCtr    = V(28) // next counter block, each 32-bit lane byte-reversed
	aBrief  = V(28) // of a brief message: state of the counter 0 behind round 0, xor round key 1
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
	xState                = X(4)  // of a call for turns: Xi and the counter block
	xPart                 = X(10) // bytes of the part at hand
	xPowers               = X(11) // the high half of the next block's power of H
	xTmp, xTmp2           = X(12), X(13)
	xAADBits, xTextBits   = X(14), X(15)
	xStart                = X(16) // where out begins
	xCounter              = X(17) // counter of the turn
	xColumns              = X(17) // of a brief message: column for the next counter
)

// An armKernel is one of the kernels for arm64, which are the same programs but
// for how three vectors are added.
type armKernel struct {
	name     string
	features []string
	eor3     bool // there is an instruction that adds three vectors
}

var (
	eor3Kernel  = &armKernel{"eor3", []string{"AES", "PMULL", "SHA3"}, true}
	pmullKernel = &armKernel{"pmull", []string{"AES", "PMULL"}, false}
	armKernels  = []*armKernel{eor3Kernel, pmullKernel}
)

// Eor3 returns the programs of the kernel eor3.
func Eor3() []*ir.Program { return eor3Kernel.programs() }

// Pmull returns the programs of the kernel pmull.
func Pmull() []*ir.Program { return pmullKernel.programs() }

// programs returns the programs of a kernel.
func (k *armKernel) programs() []*ir.Program {
	var ps []*ir.Program
	for _, bits := range []int{128, 192, 256} {
		ps = append(ps, armInit(k, bits), armText(k, bits, true), armText(k, bits, false),
			armTurnsOnly(k, bits, true), armTurnsOnly(k, bits, false))
	}
	return ps
}

// An armBuilder collects instructions of a kernel.
type armBuilder struct {
	ir.Builder
	kernel *armKernel
}

func (k *armKernel) builder() *armBuilder { return &armBuilder{ir.Builder{ISA: ISA}, k} }

// eor3 sets sum, which is not z, to the xor of x, y and z.
func (b *armBuilder) eor3(sum, x, y, z ir.Operand) {
	if b.kernel.eor3 {
		b.I("eor3", sum, x, y, z)
		return
	}
	b.I("eor", sum, x, y)
	b.I("eor", sum, sum, z)
}

// add2 adds x and y to sum. x ends up as anything: without eor3 the two are
// added to each other first, so that the sum is ready sooner.
func (b *armBuilder) add2(sum, x, y ir.Operand) {
	if b.kernel.eor3 {
		b.I("eor3", sum, sum, x, y)
		return
	}
	b.I("eor", x, x, y)
	b.I("eor", sum, sum, x)
}

func armProgram(op string, bits int, b *armBuilder) *ir.Program {
	c := newContract(b.kernel.name, op, bits)
	c.Turn = armTurn
	c.Features = b.kernel.features
	c.KeyBlock = []ir.Field{
		{Offset: 0, Size: 16 * (roundsFor(bits) + 1), Means: "round keys"},
		{Offset: armCounters, Size: 256, Means: "counter blocks 0 to 15 xor round key 0"},
		{Offset: armConsts, Size: armHigh - armConsts, Means: "constants"},
		{Offset: armHigh, Size: 8 * armTopExp, Means: "H^32 to H^1, times x^-1: high halves"},
		{Offset: armLow, Size: 8 * armTopExp, Means: "their low halves"},
		{Offset: armMiddle, Size: 8 * armTopExp, Means: "the xor of both"},
		{Offset: armColumns, Size: 4 * armBriefest, Means: "what counters 1 to 32 change in column 0 of the state after round 1"},
	}
	c.Clobbers = "x0 to x17, flags; v0 to v7 and v16 to v31, in which no secret stays"
	c.StackBytes = 64
	switch {
	case op == "init":
		c.Clobbers = "x1, x2, x12, flags; v0 to v7 and v16 to v28, in which no secret stays"
		c.StackBytes = 0
	case !c.Whole():
		c.Clobbers = "x1 to x3, x11, x12, x17, flags; v0 to v7, v16 to v22, v24 to v27 and v29 to v31, in which no secret stays"
	}
	return &ir.Program{Name: fmt.Sprintf("%s_%s_%d", b.kernel.name, op, bits), ISA: ISA, Contract: c, Code: b.Code}
}

// armModel is a core with four vector pipes, as Neoverse V1 and V2 are; the
// schedule that suits it suits cores with two.
var armModel = &stitch.Model{
	Name: "four 128-bit pipes", Width: 8, Ports: 8,
	Names: []string{"v0", "v1", "v2", "v3", "load", "load", "load"},
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
