// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"fmt"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// The key block of vaes-avx512. Powers are H^n·x^-1, as docs/ALGORITHMS.md
// derives, the highest first, so that the powers for a text of some bytes
// begin as many bytes before the end.
const (
	vaesPowers    = 256                        // offset of H^72
	vaesPowersEnd = vaesPowers + 16*vaesTopExp // offset behind H^1
	vaesTopExp    = 72
	vaesMiddles   = vaesPowersEnd // lo xor hi of H^64, H^60, …, H^4, two a block
	vaesKeyBlock  = vaesMiddles + 128
)

// vaesTurn is the number of text bytes that one turn of the bulk loop takes;
// vaesShort the most that is left to the short path, which needs a power of H
// for each block of text and AAD and for the length block.
const (
	vaesTurn  = 64 * 16
	vaesShort = (vaesTopExp - 4 - 1) * 16
)

// The registers that keep their role for a whole seal or open. z0 to z7 hold
// AES states, z8 to z11 round keys and text, z12 to z21 belong to GHASH.
var (
	vBase  = Z(22) // in the bulk loop: counter block with a multiple of 64, xor round key 0, in every lane
	vPoly  = Z(23) // the reduction constant, in every lane
	vLow   = Z(24) // sums of products: low, middle and high part
	vMid   = Z(25)
	vHigh  = Z(26)
	vXi    = Z(27) // what GHASH has so far, to be added to the next block or lanes
	vLens  = X(28) // the length block
	vEK0   = X(29)
	vCtr   = Z(30) // next counter block, byte-reversed, in every lane
	vBswap = Z(31) // vpshufb indices that reverse each lane
)

// The mask registers of the bulk loop.
var (
	vUpper = K(6) // the upper half of a register
	vWords = K(7) // the counter of each lane
)

// The general registers of seal and open.
var (
	rKey, rOut, rIn, rLen = RDI, RSI, RDX, RCX
	rAAD, rAADLen         = R8, R9
	rRest                 = R9 // bytes of text behind the part at hand
	rPowers               = R10
	rLead                 = R11 // bytes of H powers that the leading blocks in vXi take
	rCounter              = RAX
	rTable                = R8 // the counter constants
)

// Arguments that the ABI passes on the stack.
func stackArg(n int64) ir.Operand { return Mem(ir.Args, 64, RSP, 8+8*n) }

var argNonce, argNonceLen, argTag, argTagLen = stackArg(0), stackArg(1), stackArg(2), stackArg(3)

// view returns the 128-bit view of a 512-bit register.
func view(z ir.Operand) ir.Operand { return X(z.Reg.Num) }

// VaesAVX512 returns the programs of the kernel vaes-avx512.
func VaesAVX512() []*ir.Program {
	var ps []*ir.Program
	for _, bits := range []int{128, 192, 256} {
		ps = append(ps, vaesInit(bits), vaesText(bits, true), vaesText(bits, false), vaesTurns(bits, true), vaesTurns(bits, false),
			vaesFours(bits, true), vaesFours(bits, false))
	}
	return ps
}

func vaesProgram(op string, bits int, b *ir.Builder) *ir.Program {
	return &ir.Program{
		Name:     fmt.Sprintf("vaes_avx512_%s_%d", op, bits),
		ISA:      ISA,
		Contract: vaesContract(op, bits),
		Code:     b.Code,
		Data:     vaesData(),
	}
}

func vaesContract(op string, bits int) *ir.Contract {
	c := newContract("vaes-avx512", op, bits)
	c.Turn = vaesTurn
	c.Features = []string{"AES", "PCLMULQDQ", "AVX", "AVX2", "AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL", "BMI2", "VAES", "VPCLMULQDQ"}
	c.KeyBlock = []ir.Field{
		{Offset: 0, Size: 16 * (roundsFor(bits) + 1), Means: "round keys"},
		{Offset: vaesPowers, Size: 16 * vaesTopExp, Means: "H^72 to H^1, times x^-1"},
		{Offset: vaesMiddles, Size: 128, Means: "Karatsuba halves of H^64, H^60, ..., H^4"},
	}
	c.Clobbers = "rax, rcx, rdx, rsi, rdi, r8 to r11, k0 to k7, flags; all vector registers, which return as zero, or from 16 on as they were"
	return c
}

// vaesData returns the constants that the programs share.
func vaesData() []ir.Datum {
	var one, four, sixtyFour [16]byte
	var bswap [64]byte
	for i := range bswap {
		bswap[i] = byte(15 - i%16)
	}
	one[0], four[0], sixtyFour[0] = 1, 4, 64
	lanes, firstBlocks, firstCounters, strides := make([]byte, 64), make([]byte, 128), make([]byte, 64), make([]byte, 256)
	counters, quads := make([]byte, vaesTurn), make([]byte, 128)
	for i := range 64 {
		counters[16*i+15] = byte((i + vaesSkip) % 64)
		if i < 16 {
			quads[8*i] = byte(i)
		}
		if i < 4 {
			lanes[16*i] = byte(i)
			firstBlocks[16*i+15], firstBlocks[64+16*i+15] = 1, byte(2+i)
			firstCounters[16*i] = byte(2 + i)
			for j := range 4 {
				strides[64*j+16*i] = byte(4 + 4*j)
			}
		}
	}
	return []ir.Datum{
		{Name: "counters", Align: 64, Bytes: counters},
		{Name: "lane_numbers", Align: 64, Bytes: lanes},
		{Name: "quad_numbers", Align: 64, Bytes: quads},
		{Name: "first_blocks", Align: 64, Bytes: firstBlocks},
		{Name: "first_counters", Align: 64, Bytes: firstCounters},
		{Name: "strides", Align: 64, Bytes: strides},
		{Name: "lengths", Align: 64, Bytes: packetLengthIndices()},
		{Name: "rcon", Align: 16, Bytes: roundConstants()},
		{Name: "bswap", Align: 64, Bytes: bswap[:]},
		{Name: "rotate", Align: 16, Bytes: rotateIndices()},
		{Name: "ones", Align: 8, Bytes: bytes.Repeat([]byte{0xff}, 8)},
		{Name: "poly", Align: 32, Bytes: bytes.Repeat(polynomial(), 2)},
		{Name: "one", Align: 16, Bytes: one[:]},
		{Name: "four", Align: 16, Bytes: four[:]},
		{Name: "sixty_four", Align: 16, Bytes: sixtyFour[:]},
	}
}

// vaesModel is a core with two 512-bit vector ports, of which one multiplies
// and shuffles and the other encrypts, as Intel's are; the schedule that
// suits it suits cores with four pipes too.
var vaesModel = &stitch.Model{
	Name: "two 512-bit ports", Width: 6, Ports: 6,
	Names: []string{"p0", "p5", "load", "load", "store"},
	Cost: func(i ir.Inst) stitch.Cost {
		const p0, p5, loads, store = 1, 2, 4 | 8, 16
		switch i.Form.Mnemonic {
		case "vaesenc", "vaesenclast":
			return stitch.Cost{Ports: p0, Latency: 5}
		case "vpclmulqdq":
			return stitch.Cost{Ports: p5, Latency: 4}
		case "vpshufb", "vpunpcklqdq", "vpunpckhqdq", "vpshufd", "vpbroadcastd", "vpbroadcastq", "vshufi64x2", "vpermt2q", "kmovq":
			return stitch.Cost{Ports: p5, Latency: 1}
		case "vbroadcasti32x4", "prefetcht0":
			return stitch.Cost{Ports: loads, Latency: 8}
		case "vmovdqu64", "vmovdqu8":
			if i.Args[0].Kind == ir.Memory {
				return stitch.Cost{Ports: store, Latency: 1}
			}
			return stitch.Cost{Ports: loads, Latency: 8}
		case "vpxorq", "vpternlogq", "vpaddd":
			return stitch.Cost{Ports: p0 | p5, Latency: 1}
		}
		return stitch.Cost{Latency: 1}
	},
}
