// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"
	"strings"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// The key block of vaes-avx2 and aesni. Powers are H^n·x^-1, as
// docs/ALGORITHMS.md derives, the highest first, so that the powers for a text
// of some bytes begin as many bytes before the end.
const (
	avxPowers    = 256
	avxPowersEnd = avxPowers + 16*avxTopExp // offset behind H^1
	avxTopExp    = 34
	avxMiddles   = avxPowersEnd // lo xor hi of H^32 to H^1, two a block, for pairs of registers
	avxKeyBlock  = avxMiddles + 8*avxTurn/16
)

// avxTurn is the number of text bytes that one turn of the bulk loop takes. What
// is left to the short path is less.
const avxTurn = 32 * 16

// What the stack holds, in bytes from the stack pointer: EK0 and the length
// block. The rest aligns it.
const (
	avxEK0   = 0
	avxLens  = 16
	avxStack = 40
)

// An avxKernel is one of the kernels for amd64 without AVX-512, which are the
// same programs on registers of different width.
type avxKernel struct {
	name     string
	features []string
	lanes    int // blocks in a register, 1 or 2
}

var (
	vaesAVX2Kernel = &avxKernel{"vaes-avx2", []string{"AES", "PCLMULQDQ", "AVX", "AVX2", "VAES", "VPCLMULQDQ"}, 2}
	aesniKernel    = &avxKernel{"aesni", []string{"AES", "PCLMULQDQ", "AVX"}, 1}
)

// VaesAVX2 returns the programs of the kernel vaes-avx2.
func VaesAVX2() []*ir.Program { return vaesAVX2Kernel.programs() }

// Aesni returns the programs of the kernel aesni.
func Aesni() []*ir.Program { return aesniKernel.programs() }

func (k *avxKernel) programs() []*ir.Program {
	var ps []*ir.Program
	for _, bits := range []int{128, 192, 256} {
		ps = append(ps, avxInit(k, bits), avxText(k, bits, true), avxText(k, bits, false), avxTurnsOnly(k, bits, true), avxTurnsOnly(k, bits, false))
	}
	return ps
}

// An avxBuilder collects instructions of a kernel.
type avxBuilder struct {
	ir.Builder
	*avxKernel
}

func (k *avxKernel) builder() *avxBuilder { return &avxBuilder{ir.Builder{ISA: ISA}, k} }

// v returns vector register n, as wide as the kernel's.
func (k *avxKernel) v(n int) ir.Operand {
	if k.lanes == 2 {
		return Y(n)
	}
	return X(n)
}

// width is that of a register in bits, bytes that in bytes.
func (k *avxKernel) width() int   { return 128 * k.lanes }
func (k *avxKernel) bytes() int64 { return int64(16 * k.lanes) }

// constant is a memory operand of a register's width in a datum.
func (k *avxKernel) constant(name string, disp int64) ir.Operand {
	return Const(k.width(), name, disp)
}

// The vector registers that keep their role. 0 to 7 hold AES states and text,
// 8 a round key, 9, 13 and 14 belong to GHASH.
const (
	nKey  = 8
	nLow  = 10 // sums of products: low, middle and high part
	nMid  = 11
	nHigh = 12
	nXi   = 12 // what GHASH has so far, to be added to the next block
	nBase = 15 // in the bulk loop: counter block with a multiple of 32, xor round key 0
	nCtr  = 15 // elsewhere: next counter blocks, byte-reversed
)

// The general registers are those of vaes-avx512; arguments on the stack lie
// above what the kernel keeps there.
func avxArg(n int64) ir.Operand { return Mem(ir.Args, 64, RSP, avxStack+8+8*n) }

var avxNonce, avxNonceLen, avxTag, avxTagLen = avxArg(0), avxArg(1), avxArg(2), avxArg(3)

func avxProgram(op string, bits int, b *avxBuilder) *ir.Program {
	c := newContract(b.name, op, bits)
	c.Turn = avxTurn
	c.Features = b.features
	c.KeyBlock = []ir.Field{
		{Offset: 0, Size: 16 * (roundsFor(bits) + 1), Means: "round keys"},
		{Offset: avxPowers, Size: 16 * avxTopExp, Means: "H^34 to H^1, times x^-1"},
		{Offset: avxMiddles, Size: avxKeyBlock - avxMiddles, Means: "Karatsuba halves of H^32 to H^1"},
	}
	c.Clobbers = "rax, rcx, rdx, rsi, rdi, r8 to r11, flags; vector registers 0 to 15, which return as zero"
	if c.Whole() {
		c.StackBytes = avxStack
	}
	return &ir.Program{
		Name:     fmt.Sprintf("%s_%s_%d", strings.ReplaceAll(b.name, "-", "_"), op, bits),
		ISA:      ISA,
		Contract: c,
		Code:     b.Code,
		Data:     b.data(),
	}
}

// data returns the constants that the programs share.
func (k *avxKernel) data() []ir.Datum {
	var bswap, poly, next, step []byte
	for lane := range k.lanes {
		for i := range 16 {
			bswap = append(bswap, byte(15-i))
		}
		poly = append(poly, polynomial()...)
		next = append(next, byte(1+lane))
		next = append(next, make([]byte, 15)...)
		step = append(step, byte(k.lanes))
		step = append(step, make([]byte, 15)...)
	}
	counters, ones := make([]byte, avxTurn), make([]byte, 16*k.lanes)
	for i := range avxTurn / 16 {
		counters[16*i+15] = byte(i)
	}
	for lane := range k.lanes {
		ones[16*lane] = 1
	}
	mask := make([]byte, 32)
	for i := range 16 {
		mask[i] = 0xff
	}
	return []ir.Datum{
		{Name: "counters", Align: 64, Bytes: counters},
		{Name: "bswap", Align: 32, Bytes: bswap},
		{Name: "poly", Align: 32, Bytes: poly},
		{Name: "next", Align: 32, Bytes: next}, // from a counter to those of a register behind it
		{Name: "step", Align: 32, Bytes: step}, // to those of the next register
		{Name: "ones", Align: 32, Bytes: ones},
		{Name: "mask", Align: 32, Bytes: mask},
		{Name: "rcon", Align: 16, Bytes: roundConstants()},
		{Name: "rotate", Align: 16, Bytes: rotateIndices()},
	}
}

// avxModel is a core with three vector ports, of which two encrypt, one
// multiplies and two shuffle, as Intel's have been since Ice Lake; the schedule
// that suits it suits cores with four.
var avxModel = &stitch.Model{
	Name: "three vector ports", Width: 6, Ports: 6,
	Names: []string{"p0", "p1", "p5", "load", "load", "store"},
	Cost: func(i ir.Inst) stitch.Cost {
		const p0, p1, p5, loads, store = 1, 2, 4, 8 | 16, 32
		switch i.Form.Mnemonic {
		case "vaesenc", "vaesenclast":
			return stitch.Cost{Ports: p0 | p1, Latency: 4}
		case "vpclmulqdq":
			return stitch.Cost{Ports: p5, Latency: 4}
		case "vinserti128", "vextracti128", "vpinsrd":
			return stitch.Cost{Ports: p5, Latency: 3}
		case "vpshufb", "vpunpcklqdq", "vpunpckhqdq", "vpshufd":
			return stitch.Cost{Ports: p1 | p5, Latency: 1}
		case "vbroadcasti128":
			return stitch.Cost{Ports: loads, Latency: 7}
		case "vmovdqu":
			if i.Args[0].Kind == ir.Memory {
				return stitch.Cost{Ports: store, Latency: 1}
			}
			return stitch.Cost{Ports: loads, Latency: 7}
		case "vpxor":
			return stitch.Cost{Ports: p0 | p1 | p5, Latency: 1}
		}
		return stitch.Cost{Latency: 1}
	},
}
