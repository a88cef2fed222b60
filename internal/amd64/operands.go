// SPDX-License-Identifier: ISC

// Package amd64 holds the table of the x86-64 instructions that kernels use:
// operands, features and meaning of each form, as the processor manuals
// define them. Of the flags only CF and ZF are modelled; no kernel looks at
// another.
package amd64

import (
	"fmt"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// The register files.
var (
	GPR   = &ir.Bank{Name: "r", Count: 16, Width: 64}
	Vec   = &ir.Bank{Name: "zmm", Count: 32, Width: 512}
	Mask  = &ir.Bank{Name: "k", Count: 8, Width: 64}
	Flags = &ir.Bank{Name: "flag", Count: 2, Width: 1}
)

// The flags.
var (
	CF = ir.Reg{Bank: Flags, Num: 0}
	ZF = ir.Reg{Bank: Flags, Num: 1}
)

var gprNames = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// The general registers, as 64-bit operands.
var (
	RAX, RCX, RDX, RBX = R64(0), R64(1), R64(2), R64(3)
	RSP, RBP, RSI, RDI = R64(4), R64(5), R64(6), R64(7)
	R8, R9, R10, R11   = R64(8), R64(9), R64(10), R64(11)
)

// R64 returns general register n as a 64-bit operand.
func R64(n int) ir.Operand { return reg(GPR, n, "r64", 64) }

// Low32 returns the low half of a general register; writing it clears the
// upper half.
func Low32(r ir.Operand) ir.Operand { return reg(GPR, r.Reg.Num, "r32", 32) }

// X, Y and Z return the 128-, 256- and 512-bit views of vector register n.
// Writing a narrow view clears the bits above.
func X(n int) ir.Operand { return reg(Vec, n, "x", 128) }

// Y returns the 256-bit view of vector register n.
func Y(n int) ir.Operand { return reg(Vec, n, "y", 256) }

// Z returns vector register n.
func Z(n int) ir.Operand { return reg(Vec, n, "z", 512) }

// K returns mask register n.
func K(n int) ir.Operand { return reg(Mask, n, "k", 64) }

func reg(b *ir.Bank, n int, class string, width int) ir.Operand {
	return ir.Operand{Kind: ir.Register, Class: class, Width: width, Reg: ir.Reg{Bank: b, Num: n}}
}

// Mem returns a memory operand of the given width in bits at base+disp.
func Mem(space ir.Space, width int, base ir.Operand, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: fmt.Sprintf("m%d", width), Width: width,
		Mem: ir.Mem{Space: space, Base: base.Reg, Disp: disp}}
}

// Const returns a memory operand of the given width at disp bytes into a
// datum of the program.
func Const(width int, symbol string, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: fmt.Sprintf("m%d", width), Width: width,
		Mem: ir.Mem{Space: ir.Rodata, Symbol: symbol, Disp: disp}}
}

// Addr returns the address base+disp, for lea.
func Addr(base ir.Operand, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: "addr", Mem: ir.Mem{Base: base.Reg, Disp: disp}}
}

// AddrIndex returns the address base+index·scale+disp, for lea.
func AddrIndex(base, index ir.Operand, scale int, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: "addr",
		Mem: ir.Mem{Base: base.Reg, Index: index.Reg, Scale: scale, Disp: disp}}
}

// AddrConst returns the address of a datum of the program, for lea.
func AddrConst(symbol string) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: "addr", Mem: ir.Mem{Space: ir.Rodata, Symbol: symbol}}
}

// Masked returns o under mask k: elements whose bit is 0 are not accessed in
// memory, and keep their value in a register.
func Masked(o, k ir.Operand) ir.Operand {
	o.Mask = k.Reg
	return o
}

// Zeroed returns register o under mask k: elements whose bit is 0 become 0.
func Zeroed(o, k ir.Operand) ir.Operand {
	o.Mask, o.Zero = k.Reg, true
	return o
}

// RegName returns the assembler's name of a register seen as class.
func RegName(r ir.Reg, class string) string {
	switch class {
	case "r64":
		return gprNames[r.Num]
	case "r32":
		if r.Num >= 8 {
			return gprNames[r.Num] + "d"
		}
		return "e" + gprNames[r.Num][1:]
	case "x", "y", "z":
		return fmt.Sprintf("%smm%d", class, r.Num)
	case "k":
		return fmt.Sprintf("k%d", r.Num)
	}
	panic("amd64: no register class " + class)
}

// text returns an operand in the GNU assembler's Intel syntax.
func text(o ir.Operand, p *ir.Program) string {
	var s string
	switch o.Kind {
	case ir.Register:
		s = RegName(o.Reg, o.Class)
	case ir.Immediate:
		if o.Imm > 9 {
			return fmt.Sprintf("0x%x", o.Imm)
		}
		return fmt.Sprint(o.Imm)
	case ir.Target:
		return fmt.Sprintf(".L%s_%s", p.Name, o.Label)
	case ir.Memory:
		s = memText(o.Mem)
	}
	if o.Masked() {
		s += "{" + RegName(o.Mask, "k") + "}"
		if o.Zero {
			s += "{z}"
		}
	}
	return s
}

func memText(m ir.Mem) string {
	var parts []string
	switch {
	case m.Symbol != "":
		parts = append(parts, "rip", ".L"+m.Symbol)
	case m.Base == ir.FP:
		parts = append(parts, "fp")
	default:
		parts = append(parts, gprNames[m.Base.Num])
	}
	if m.Index.Bank != nil {
		parts = append(parts, fmt.Sprintf("%s*%d", gprNames[m.Index.Num], m.Scale))
	}
	s := strings.Join(parts, " + ")
	switch {
	case m.Disp > 0:
		s += fmt.Sprintf(" + %d", m.Disp)
	case m.Disp < 0:
		s += fmt.Sprintf(" - %d", -m.Disp)
	}
	return "[" + s + "]"
}
