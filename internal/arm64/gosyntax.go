// SPDX-License-Identifier: ISC

package arm64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// goText returns an instruction of a program for Go as the Go assembler reads it: operands the
// other way round, but for a few. Where that assembler has no such instruction,
// it is a word with the instruction beside it.
func goText(i ir.Inst, p *ir.Program) string {
	if w, ok := word(i); ok {
		return fmt.Sprintf("WORD $0x%08x // %s", w, gnuText(i, p))
	}
	name, args := goName(i), goOperands(i, p)
	switch i.Form.Mnemonic {
	case "cbz", "cbnz", "str", "stp": // in the manual's order
	case "tbz", "tbnz":
		args[0], args[1] = args[1], args[0]
	case "csel": // the condition comes first, and only the result moves
		args = []string{args[3], args[1], args[2], args[0]}
	default:
		slices.Reverse(args)
	}
	return strings.TrimRight(name+" "+strings.Join(args, ", "), " ")
}

// gnuText returns an instruction as the GNU assembler reads it.
func gnuText(i ir.Inst, p *ir.Program) string {
	var args []string
	for _, o := range i.Args {
		args = append(args, text(o, p))
	}
	return i.Form.Mnemonic + " " + strings.Join(args, ", ")
}

// goMoves are loads and stores by the class of the register.
var goMoves = map[string]map[string]string{
	"ldr": {"x": "MOVD", "w": "MOVWU", "q": "FMOVQ", "d": "FMOVD", "s": "FMOVS"},
	"str": {"x": "MOVD", "w": "MOVW", "q": "FMOVQ", "d": "FMOVD", "s": "FMOVS"},
	"ldp": {"x": "LDP", "q": "FLDPQ", "d": "FLDPD", "s": "FLDPS"},
	"stp": {"x": "STP", "q": "FSTPQ", "d": "FSTPD", "s": "FSTPS"},
}

// goName returns the Go assembler's mnemonic of an instruction.
func goName(i ir.Inst) string {
	m := i.Form.Mnemonic
	upper := strings.ToUpper(m)
	if len(i.Args) == 0 {
		return upper // ret
	}
	first := i.Args[0].Class
	if byClass, ok := goMoves[m]; ok {
		name := byClass[first]
		switch mem := i.Args[len(i.Args)-1].Mem; {
		case mem.Step != 0:
			name += ".P"
		case mem.Pre:
			name += ".W"
		}
		return name
	}
	vector := slices.ContainsFunc(i.Args, func(o ir.Operand) bool {
		return o.Kind == ir.Register && o.Reg.Bank == Vec
	})
	switch {
	case m == "fmov":
		return "FMOVD"
	case m == "aese", m == "aesmc":
		return upper
	case vector:
		return "V" + upper
	case m == "b":
		return "JMP"
	case strings.HasPrefix(m, "b."):
		return "B" + upper[2:]
	case m == "mov" && i.Args[1].Kind == ir.Immediate:
		upper = "MOVZ" // or else Go's assembler refuses the immediate
	case m == "mov" && first == "x":
		return "MOVD"
	case m == "rev" && first == "x":
		return upper
	}
	if first == "w" {
		upper += "W"
	}
	return upper
}

// goOperands returns the operands in the manual's order, with those joined that
// Go has as one: pairs of registers, tables, immediates and their shift.
func goOperands(i ir.Inst, p *ir.Program) []string {
	var args []string
	for n, o := range i.Args {
		switch s := goOperand(o, p); {
		case o.Class == "16b}": // the second register of a table
			args[len(args)-1] += s
		case o.Class == "lsl":
			args[len(args)-1] = fmt.Sprintf("$(%d<<%d)", i.Args[n-1].Imm, o.Imm)
		case n == 1 && (i.Form.Mnemonic == "ldp" || i.Form.Mnemonic == "stp"):
			args[0] = "(" + args[0] + ", " + s + ")"
		default:
			args = append(args, s)
		}
	}
	return args
}

// goOperand returns one operand.
func goOperand(o ir.Operand, p *ir.Program) string {
	n := o.Reg.Num
	switch o.Kind {
	case ir.Immediate:
		if o.Class != "imm" { // a condition
			return strings.ToUpper(o.Class)
		}
		return fmt.Sprintf("$%d", o.Imm)
	case ir.Target:
		return o.Label
	case ir.Memory:
		return goMemory(o.Mem, p)
	}
	switch o.Class {
	case "x", "w":
		return fmt.Sprintf("R%d", n)
	case "q", "d", "s":
		return fmt.Sprintf("F%d", n)
	case "{16b}":
		return fmt.Sprintf("[V%d.B16]", n)
	case "{16b":
		return fmt.Sprintf("[V%d.B16", n)
	case "16b}":
		return fmt.Sprintf(", V%d.B16]", n)
	}
	size := strings.ToUpper(strings.Trim(o.Class, "{}[]"))
	if strings.HasSuffix(o.Class, "[]") {
		return fmt.Sprintf("V%d.%s[%d]", n, size, o.Lane)
	}
	last := len(size) - 1
	return fmt.Sprintf("V%d.%s%s", n, size[last:], size[:last]) // 16b is B16
}

func goMemory(m ir.Mem, p *ir.Program) string {
	if m.Space == ir.Args {
		return p.Contract.GoArg(int(m.Disp / 8))
	}
	s := fmt.Sprintf("(R%d)", m.Base.Num)
	if disp := m.Disp + m.Step; disp != 0 {
		s = fmt.Sprint(disp) + s
	}
	return s
}
