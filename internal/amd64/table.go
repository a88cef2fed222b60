// SPDX-License-Identifier: ISC

package amd64

import (
	"fmt"
	"io"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// ISA is the instruction table.
var ISA = &ir.ISA{Name: "amd64", Text: text, Prologue: prologue, Notes: notes, Forms: forms(),
	GoText: goText, Call: systemV, Banks: []*ir.Bank{GPR, Vec, Mask, Flags}}

// systemV is the calling convention of the System V ABI.
var systemV = ir.Call{
	Args:   []ir.Reg{RDI.Reg, RSI.Reg, RDX.Reg, RCX.Reg, R8.Reg, R9.Reg},
	Result: RAX.Reg, SP: RSP.Reg, Stack: 8,
	PreservedBits: func(r ir.Reg) int {
		switch r {
		case RBX.Reg, RSP.Reg, RBP.Reg, R64(12).Reg, R64(13).Reg, R64(14).Reg, R64(15).Reg:
			return 64
		}
		return 0
	},
	// R15 is what the assembler uses for data of other modules.
	GoKeeps: []ir.Reg{RSP.Reg, RBP.Reg, R64(15).Reg},
	Load:    func(b *ir.Builder, to ir.Reg, from ir.Operand) { b.I("mov", R64(to.Num), from) },
	Store:   func(b *ir.Builder, to ir.Operand, from ir.Reg) { b.I("mov", to, R64(from.Num)) },
}

// prologue selects the syntax; the GNU assembler accepts every instruction
// without being asked to.
func prologue(w io.Writer, _ []string) { fmt.Fprintf(w, "\n\t.intel_syntax noprefix\n") }

// notes is the GNU property that marks code as fit for indirect branch
// tracking and shadow stacks.
const notes = `	.section .note.gnu.property, "a", %note
	.balign 8
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0
`

// Features that forms need beyond the x86-64 baseline.
const (
	bmi2 = "BMI2"
	avx  = "AVX"
	avx2 = "AVX2"
	evex = "AVX512F, AVX512BW, AVX512DQ, AVX512VL"
	aes  = "VAES, " + evex
	clm  = "VPCLMULQDQ, " + evex
)

type meaning = func(in ir.In) []value.Value

// forms returns the whole table.
func forms() (t []*ir.Form) {
	add := func(f ...*ir.Form) { t = append(t, f...) }
	add(generalForms()...)
	add(vectorForms()...)
	fetch := ir.Row("prefetcht0", "r:addr", "", prefetch)
	fetch.Hint = true
	add(fetch)
	return t
}

func generalForms() (t []*ir.Form) {
	add := func(f *ir.Form) { t = append(t, f) }
	setsFlags := func(f *ir.Form) { f.ImplicitWrites = []ir.Reg{CF, ZF}; add(f) }
	shift := func(f *ir.Form) { f.Undefined = []ir.Reg{CF}; setsFlags(f) }

	add(ir.Row("mov", "w:r64 r:r64/m64", "", copyOf(0, 1)))
	add(ir.Row("mov", "w:m64 r:r64", "", copyOf(0, 1)))
	add(ir.Row("mov", "w:r32 r:r32/m32/imm", "", copyOf(32, 1)))
	setsFlags(ir.Row("xor", "rw:r32 r:m32", "", logic(32, true, xor)))
	setsFlags(ir.Row("xor", "rw:r64 r:m64", "", logic(64, true, xor)))
	setsFlags(ir.Row("add", "rw:r64 r:m64", "", addition(64)))
	add(ir.Row("lea", "w:r64 r:addr", "", copyOf(0, 1)))
	for _, w := range []struct {
		class string
		width int
	}{{"r64", 64}, {"r32", 32}} {
		src := w.class + "/imm"
		setsFlags(ir.Row("add", "rw:"+w.class+" r:"+src, "", addition(w.width)))
		setsFlags(ir.Row("sub", "rw:"+w.class+" r:"+src, "", subtraction(w.width, true)))
		setsFlags(ir.Row("cmp", "r:"+w.class+" r:"+src, "", subtraction(w.width, false)))
		setsFlags(ir.Row("and", "rw:"+w.class+" r:"+src, "", logic(w.width, true, and)))
		setsFlags(ir.Row("xor", "rw:"+w.class+" r:"+src, "", logic(w.width, true, xor)))
		setsFlags(ir.Row("test", "r:"+w.class+" r:"+src, "", logic(w.width, false, and)))
		shift(ir.Row("shl", "rw:"+w.class+" r:imm", "", shiftBy(value.Shl)))
		shift(ir.Row("shr", "rw:"+w.class+" r:imm", "", shiftBy(value.Shr)))
		add(ir.Row("bswap", "rw:"+w.class, "", func(in ir.In) []value.Value {
			return []value.Value{value.Reverse(in.D, in.Op[0])}
		}))
	}
	setsFlags(ir.Row("bzhi", "w:r64 r:r64/m64 r:r64", bmi2, bzhi))
	add(ir.Row("shlx", "w:r64 r:r64 r:r64", bmi2, shlx))
	for _, c := range conditions {
		f := ir.Row("cmov"+c.name, "rw:r64 r:r64", "", func(in ir.In) []value.Value {
			return []value.Value{in.D.Select(c.holds(in.D, in.Impl[0], in.Impl[1]), in.Op[1], in.Op[0])}
		})
		f.ImplicitReads = []ir.Reg{CF, ZF}
		add(f)
		j := ir.Row("j"+c.name, "r:label", "", func(in ir.In) []value.Value {
			return []value.Value{c.holds(in.D, in.Impl[0], in.Impl[1])}
		})
		j.ImplicitReads, j.Flow = []ir.Reg{CF, ZF}, ir.Branch
		add(j)
	}
	nothing := func(ir.In) []value.Value { return nil }
	jmp := ir.Row("jmp", "r:label", "", nothing)
	jmp.Flow = ir.Jump
	add(jmp)
	ret := ir.Row("ret", "", "", nothing)
	ret.Flow = ir.Return
	add(ret)
	add(ir.Row("endbr64", "", "", nothing)) // a no-op for processors without CET
	return t
}

// conditions are those that CF and ZF decide.
var conditions = []struct {
	name  string
	holds func(d value.Domain, cf, zf value.Value) value.Value
}{
	{"e", func(_ value.Domain, _, zf value.Value) value.Value { return zf }},
	{"ne", func(d value.Domain, _, zf value.Value) value.Value { return value.Not(d, zf) }},
	{"b", func(_ value.Domain, cf, _ value.Value) value.Value { return cf }},
	{"ae", func(d value.Domain, cf, _ value.Value) value.Value { return value.Not(d, cf) }},
	{"be", func(d value.Domain, cf, zf value.Value) value.Value { return value.Or(d, cf, zf) }},
	{"a", func(d value.Domain, cf, zf value.Value) value.Value { return value.Not(d, value.Or(d, cf, zf)) }},
}

func vectorForms() (t []*ir.Form) {
	add := func(f *ir.Form) { t = append(t, f) }
	masked := func(element int, f *ir.Form) { f.Element = element; add(f) }

	add(ir.Row("kmovq", "w:k r:r64", evex, copyOf(0, 1)))
	add(ir.Row("kmovq", "w:r64 r:k", evex, copyOf(0, 1)))
	for _, v := range []struct{ reg, mem, vex, aes, clm string }{
		{"x", "m128", avx, "AES, " + avx, "PCLMULQDQ, " + avx},
		{"y", "m256", avx2, "VAES, " + avx2, "VPCLMULQDQ, " + avx2},
		{"z", "m512", evex, aes, clm},
	} {
		rm := v.reg + "/" + v.mem
		three := "w:" + v.reg + " r:" + v.reg + " r:" + rm
		two := "w:" + v.reg + " r:" + v.reg + " r:imm"
		// Coded in VEX or, for registers from 16 on and 512 bits, in EVEX.
		both := func(mnemonic, slots string, f meaning) {
			row := ir.Row(mnemonic, slots, v.vex, f)
			row.Upper = evex
			add(row)
		}
		both("vpshufb", three, shuffleBytes)
		both("vpaddd", three, each(32, add2))
		both("vpunpcklqdq", three, each(128, func(d value.Domain, l ...value.Value) value.Value {
			return d.Concat(d.Slice(l[0], 0, 64), d.Slice(l[1], 0, 64))
		}))
		both("vpunpckhqdq", three, each(128, func(d value.Domain, l ...value.Value) value.Value {
			return d.Concat(d.Slice(l[0], 64, 64), d.Slice(l[1], 64, 64))
		}))
		both("vpshufd", two, shuffleWords)
		both("vpsllq", two, eachImm(64, value.Shl))
		both("vpsrlq", two, eachImm(64, value.Shr))
		both("vpsrad", two, eachImm(32, value.Sar))
		both("vpslldq", two, eachImm(128, func(d value.Domain, x value.Value, n int) value.Value {
			return value.Shl(d, x, 8*n)
		}))
		both("vpsrldq", two, eachImm(128, func(d value.Domain, x value.Value, n int) value.Value {
			return value.Shr(d, x, 8*n)
		}))
		enc := ir.Row("vaesenc", three, v.aes, each(128, func(d value.Domain, l ...value.Value) value.Value {
			return d.Xor(d.MixColumns(value.SubShift(d, l[0])), l[1])
		}))
		last := ir.Row("vaesenclast", three, v.aes, each(128, func(d value.Domain, l ...value.Value) value.Value {
			return d.Xor(value.SubShift(d, l[0]), l[1])
		}))
		mul := ir.Row("vpclmulqdq", three+" r:imm", v.clm, clmul)
		enc.Upper, last.Upper, mul.Upper = aes, aes, clm
		add(enc)
		add(last)
		add(mul)
		// In EVEX alone.
		masked(64, ir.Row("vmovdqu64", "w:"+v.reg+" r:"+rm, evex, copyOf(0, 1)))
		masked(64, ir.Row("vmovdqu64", "w:"+v.mem+" r:"+v.reg, evex, copyOf(0, 1)))
		masked(8, ir.Row("vmovdqu8", "w:"+v.reg+" r:"+rm, evex, copyOf(0, 1)))
		masked(8, ir.Row("vmovdqu8", "w:"+v.mem+" r:"+v.reg, evex, copyOf(0, 1)))
		masked(64, ir.Row("vpxorq", three, evex, each(128, xor)))
		add(ir.Row("vpternlogq", "rw:"+v.reg+" r:"+v.reg+" r:"+rm+" r:imm", evex, ternlog))
		if v.reg == "z" {
			continue
		}
		// In VEX alone.
		add(ir.Row("vmovdqu", "w:"+v.reg+" r:"+rm, avx, copyOf(0, 1)))
		add(ir.Row("vmovdqu", "w:"+v.mem+" r:"+v.reg, avx, copyOf(0, 1)))
		add(ir.Row("vpxor", three, v.vex, each(128, xor)))
		add(ir.Row("vpand", three, v.vex, each(128, and)))
	}
	add(ir.Row("vbroadcasti128", "w:y r:m128", avx2, func(in ir.In) []value.Value {
		return []value.Value{in.D.Concat(in.Op[1], in.Op[1])}
	}))
	add(ir.Row("vinserti128", "w:y r:y r:x/m128 r:imm", avx2, insert(128)))
	add(ir.Row("vextracti128", "w:x r:y r:imm", avx2, extract(128)))
	for _, part := range []struct {
		letter string
		width  int
	}{{"b", 8}, {"w", 16}, {"d", 32}, {"q", 64}} {
		mem := fmt.Sprintf("m%d", part.width)
		add(ir.Row("vpinsr"+part.letter, "w:x r:x r:"+mem+" r:imm", avx, insert(part.width)))
		add(ir.Row("vpextr"+part.letter, "w:"+mem+" r:x r:imm", avx, extract(part.width)))
	}
	masked(32, ir.Row("vbroadcasti32x4", "w:z r:m128", evex, func(in ir.In) []value.Value {
		return []value.Value{in.D.Concat(in.Op[1], in.Op[1], in.Op[1], in.Op[1])}
	}))
	masked(64, ir.Row("vpbroadcastq", "w:z r:r64", evex, func(in ir.In) []value.Value {
		return []value.Value{value.Repeat(in.D, in.Op[1], 8)}
	}))
	add(ir.Row("vpermt2q", "rw:z r:z r:m512", evex, selectWords))
	add(ir.Row("vpaddq", "w:z r:z r:z", evex, each(64, add2)))
	masked(32, ir.Row("vpbroadcastd", "w:z r:r32", evex, func(in ir.In) []value.Value {
		return []value.Value{value.Repeat(in.D, in.Op[1], 16)}
	}))
	add(ir.Row("vshufi64x2", "w:z r:z r:z r:imm", evex, func(in ir.In) []value.Value {
		var lanes []value.Value
		for i := range 4 {
			src := in.Op[1+i/2]
			lanes = append(lanes, in.D.Slice(src, 128*int(in.Imm[3]>>(2*i)&3), 128))
		}
		return []value.Value{in.D.Concat(lanes...)}
	}))
	add(ir.Row("vpermq", "w:z r:z r:z", evex, permuteQuads))
	add(ir.Row("vextracti32x4", "w:x r:z r:imm", evex, extract(128)))
	add(ir.Row("vextracti64x4", "w:y r:z r:imm", evex, extract(256)))
	add(ir.Row("vinserti32x4", "w:z r:z r:m128 r:imm", evex, insert(128)))
	add(ir.Row("vmovq", "w:x r:r64", avx, func(in ir.In) []value.Value {
		return []value.Value{value.Extend(in.D, in.Op[1], 128)}
	}))
	add(ir.Row("vmovq", "w:r64 r:x", avx, func(in ir.In) []value.Value {
		return []value.Value{in.D.Slice(in.Op[1], 0, 64)}
	}))
	add(ir.Row("vmovq", "w:m64 r:x", avx, func(in ir.In) []value.Value {
		return []value.Value{in.D.Slice(in.Op[1], 0, 64)}
	}))
	add(ir.Row("vmovq", "w:x r:x", avx, func(in ir.In) []value.Value {
		return []value.Value{value.Extend(in.D, in.D.Slice(in.Op[1], 0, 64), 128)}
	}))
	add(ir.Row("vmovq", "w:x r:m64", avx, func(in ir.In) []value.Value {
		return []value.Value{value.Extend(in.D, in.Op[1], 128)}
	}))
	add(ir.Row("vmovd", "w:x r:m32", avx, func(in ir.In) []value.Value {
		return []value.Value{value.Extend(in.D, in.Op[1], 128)}
	}))
	add(ir.Row("vpinsrq", "w:x r:x r:r64 r:imm", avx, insert(64)))
	add(ir.Row("vpinsrd", "w:x r:x r:r32 r:imm", avx, insert(32)))
	vptest := ir.Row("vptest", "r:x r:x", avx, func(in ir.In) []value.Value {
		d, a, b := in.D, in.Op[0], in.Op[1]
		return []value.Value{d.IsZero(d.And(value.Not(d, a), b)), d.IsZero(d.And(a, b))}
	})
	vptest.ImplicitWrites = []ir.Reg{CF, ZF}
	add(vptest)
	upper := ir.Row("vzeroupper", "", avx, func(in ir.In) []value.Value {
		out := make([]value.Value, 16)
		for i := range out {
			out[i] = value.Extend(in.D, in.D.Slice(in.Impl[i], 0, 128), 512)
		}
		return out
	})
	for i := range 16 {
		upper.ImplicitReads = append(upper.ImplicitReads, Z(i).Reg)
	}
	upper.ImplicitWrites = upper.ImplicitReads
	add(upper)
	return t
}
