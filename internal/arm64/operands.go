// SPDX-License-Identifier: ISC

// Package arm64 holds the table of the AArch64 instructions that kernels use:
// operands, features and meaning of each form, as the Arm Architecture
// Reference Manual defines them. Memory is little-endian.
package arm64

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
)

// The register files.
var (
	GPR   = &ir.Bank{Name: "x", Count: 31, Width: 64}
	Stack = &ir.Bank{Name: "sp", Count: 1, Width: 64}
	Vec   = &ir.Bank{Name: "v", Count: 32, Width: 128}
	Flags = &ir.Bank{Name: "flag", Count: 4, Width: 1}
)

// The flags.
var (
	FlagN = ir.Reg{Bank: Flags, Num: 0}
	FlagZ = ir.Reg{Bank: Flags, Num: 1}
	FlagC = ir.Reg{Bank: Flags, Num: 2}
	FlagV = ir.Reg{Bank: Flags, Num: 3}
)

// SP is the stack pointer, as the base of a memory operand.
var SP = reg(Stack, 0, "sp", 64)

// X returns general register n as a 64-bit operand.
func X(n int) ir.Operand { return reg(GPR, n, "x", 64) }

// W returns the low half of a general register; writing it clears the upper
// half.
func W(x ir.Operand) ir.Operand { return reg(GPR, x.Reg.Num, "w", 32) }

// V returns vector register n as 16 bytes.
func V(n int) ir.Operand { return reg(Vec, n, "16b", 128) }

// As returns another arrangement of a vector register: 4s, 2d, 1q or 1d, or
// one of the scalars q, d, s, h and b. Writing a narrow one clears the bits
// above it.
func As(arrangement string, v ir.Operand) ir.Operand {
	width, ok := widths[arrangement]
	if !ok {
		panic("arm64: no arrangement " + arrangement)
	}
	return reg(Vec, v.Reg.Num, arrangement, width)
}

var widths = map[string]int{"16b": 128, "4s": 128, "2d": 128, "1q": 128, "1d": 64,
	"q": 128, "d": 64, "s": 32, "h": 16, "b": 8}

// Lane returns lane i of a vector register, lanes of the size b, h, s or d.
// Writing it keeps the other lanes.
func Lane(size string, v ir.Operand, i int) ir.Operand {
	o := reg(Vec, v.Reg.Num, size+"[]", 128)
	o.Lane = i
	return o
}

// LoadLane is Lane as ld1 wants it.
func LoadLane(size string, v ir.Operand, i int) ir.Operand {
	o := Lane(size, v, i)
	o.Class = "{" + size + "}[]"
	return o
}

// Table returns the operand of tbl for a table of one register.
func Table(v ir.Operand) ir.Operand { return reg(Vec, v.Reg.Num, "{16b}", 128) }

// Table2 returns the two operands of tbl for a table of two registers, of
// which the second follows the first.
func Table2(v, w ir.Operand) (first, second ir.Operand) {
	if w.Reg.Num != (v.Reg.Num+1)%Vec.Count {
		panic(fmt.Sprintf("arm64: %v and %v are no table", v.Reg, w.Reg))
	}
	return reg(Vec, v.Reg.Num, "{16b", 128), reg(Vec, w.Reg.Num, "16b}", 128)
}

// Cond returns a condition, such as eq, as an operand.
func Cond(name string) ir.Operand { return ir.Operand{Kind: ir.Immediate, Class: name} }

// Lsl returns the shift of movk's immediate: 0, 16, 32 or 48 bits.
func Lsl(n int64) ir.Operand { return ir.Operand{Kind: ir.Immediate, Class: "lsl", Imm: n} }

func reg(b *ir.Bank, n int, class string, width int) ir.Operand {
	return ir.Operand{Kind: ir.Register, Class: class, Width: width, Reg: ir.Reg{Bank: b, Num: n}}
}

// Mem returns a memory operand of the given width in bits at base+disp.
func Mem(space ir.Space, width int, base ir.Operand, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Class: fmt.Sprintf("m%d", width), Width: width,
		Mem: ir.Mem{Space: space, Base: base.Reg, Disp: disp}}
}

// Post returns a memory operand at base, to which step is added afterwards.
func Post(space ir.Space, width int, base ir.Operand, step int64) ir.Operand {
	o := Mem(space, width, base, 0)
	o.Mem.Step = step
	return o
}

// Pre returns a memory operand at base+disp; that sum stays in base.
func Pre(space ir.Space, width int, base ir.Operand, disp int64) ir.Operand {
	o := Mem(space, width, base, disp)
	o.Mem.Pre = true
	return o
}

// text returns an operand as the GNU assembler reads it.
func text(o ir.Operand, p *ir.Program) string {
	switch o.Kind {
	case ir.Immediate:
		switch {
		case o.Class == "lsl":
			return fmt.Sprintf("lsl #%d", o.Imm)
		case o.Class != "imm":
			return o.Class
		}
		return fmt.Sprintf("#%d", o.Imm)
	case ir.Target:
		return fmt.Sprintf(".L%s_%s", p.Name, o.Label)
	case ir.Memory:
		return memText(o.Mem)
	}
	n := o.Reg.Num
	switch o.Class {
	case "sp":
		return "sp"
	case "x", "w", "q", "d", "s", "h", "b":
		return fmt.Sprintf("%s%d", o.Class, n)
	case "{16b}":
		return fmt.Sprintf("{v%d.16b}", n)
	case "{16b":
		return fmt.Sprintf("{v%d.16b", n)
	case "16b}":
		return fmt.Sprintf("v%d.16b}", n)
	case "b[]", "h[]", "s[]", "d[]":
		return fmt.Sprintf("v%d.%c[%d]", n, o.Class[0], o.Lane)
	case "{b}[]", "{h}[]", "{s}[]", "{d}[]":
		return fmt.Sprintf("{v%d.%c}[%d]", n, o.Class[1], o.Lane)
	}
	return fmt.Sprintf("v%d.%s", n, o.Class)
}

func memText(m ir.Mem) string {
	base := m.Base.String()
	switch m.Base {
	case SP.Reg:
		base = "sp"
	case ir.FP:
		base = "fp"
	}
	switch {
	case m.Step != 0:
		return fmt.Sprintf("[%s], #%d", base, m.Step)
	case m.Pre:
		return fmt.Sprintf("[%s, #%d]!", base, m.Disp)
	case m.Disp != 0:
		return fmt.Sprintf("[%s, #%d]", base, m.Disp)
	}
	return "[" + base + "]"
}
