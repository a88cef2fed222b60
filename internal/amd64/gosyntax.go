// SPDX-License-Identifier: ISC

package amd64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// goNames are the Go assembler's mnemonics where they are not the upper-case
// manual ones. A * stands for Q or L, by the operands' size.
var goNames = map[string]string{
	"mov": "MOV*", "lea": "LEAQ", "add": "ADD*", "sub": "SUB*", "cmp": "CMP*",
	"and": "AND*", "or": "OR*", "xor": "XOR*", "test": "TEST*", "shl": "SHL*",
	"shr": "SHR*", "neg": "NEG*", "bswap": "BSWAP*", "bzhi": "BZHIQ", "shlx": "SHLXQ",
	"cmove": "CMOVQEQ", "cmovne": "CMOVQNE", "cmovb": "CMOVQCS", "cmovae": "CMOVQCC",
	"cmovbe": "CMOVQLS", "cmova": "CMOVQHI",
}

var goRegisters = [16]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// goText returns an instruction of a program for Go as the Go assembler reads it: operands the
// other way round, but for comparisons.
func goText(i ir.Inst, p *ir.Program) string {
	name, ok := goNames[i.Form.Mnemonic]
	if !ok {
		name = strings.ToUpper(i.Form.Mnemonic)
	}
	size := "L"
	var args []string
	for _, a := range i.Args {
		if a.Class == "r64" || a.Class == "m64" {
			size = "Q"
		}
		s := goOperand(a, p)
		if a.Masked() {
			args = append(args, s, goRegister(a.Mask, "k")) // the mask, then what it limits
			if a.Zero {
				name += ".Z"
			}
			continue
		}
		args = append(args, s)
	}
	if i.Form.Mnemonic != "cmp" {
		slices.Reverse(args)
	}
	return strings.TrimRight(strings.Replace(name, "*", size, 1)+" "+strings.Join(args, ", "), " ")
}

func goRegister(r ir.Reg, class string) string {
	switch class {
	case "r64", "r32":
		return goRegisters[r.Num]
	default:
		name := RegName(r, class)
		if class != "k" { // xmm3 is X3
			name = name[:1] + name[3:]
		}
		return strings.ToUpper(name)
	}
}

func goOperand(o ir.Operand, p *ir.Program) string {
	switch o.Kind {
	case ir.Register:
		return goRegister(o.Reg, o.Class)
	case ir.Immediate:
		return fmt.Sprintf("$%d", o.Imm)
	case ir.Target:
		return o.Label
	}
	m := o.Mem
	switch {
	case m.Space == ir.Args:
		return p.Contract.GoArg(int(m.Disp / 8))
	case m.Symbol != "":
		return fmt.Sprintf("%s<>+%d(SB)", m.Symbol, m.Disp)
	}
	s := fmt.Sprintf("(%s)", goRegisters[m.Base.Num])
	if m.Disp != 0 {
		s = fmt.Sprint(m.Disp) + s
	}
	if m.Index.Bank != nil {
		s += fmt.Sprintf("(%s*%d)", goRegisters[m.Index.Num], m.Scale)
	}
	return s
}
