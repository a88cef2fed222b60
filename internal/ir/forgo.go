// SPDX-License-Identifier: ISC

package ir

import (
	"fmt"
	"slices"
)

// FP is where the caller's frame has the arguments under ABI0, the calling
// convention of Go's assembly, which knows it by that name. No processor has it.
var FP = Reg{Bank: &Bank{Name: "fp", Count: 1, Width: 64}}

// ForGo returns the program for ABI0. Arguments and result are in the caller's
// frame, 8 bytes each from FP on. No register is preserved: what only saves or
// brings back registers is absent, and what stands instead of it is there.
func (p *Program) ForGo() *Program {
	call, c := p.ISA.Call, *p.Contract
	b := &Builder{ISA: p.ISA}
	for n, a := range c.Args[:min(len(call.Args), len(c.Args))] {
		call.Load(b.Origin("argument %s", a.Name), call.Args[n], fromFP(n, 64))
	}
	framed, stack := false, false
	for _, i := range p.Code {
		if i.Frame {
			framed = framed || i.writes(call.SP)
			b.Append(i.Instead)
			continue
		}
		if i.Form != nil && i.Form.Flow == Return && c.Result != "" {
			call.Store(b.Origin("result"), fromFP(len(c.Args), 64), call.Result)
		}
		args := append([]Operand(nil), i.Args...)
		for n, a := range args {
			switch {
			case a.Kind != Memory:
			case a.Mem.Space == Stack:
				stack = true
			case a.Mem.Space == Args:
				at := a.Mem.Disp - call.Stack
				if framed {
					at -= int64(c.StackBytes)
				}
				args[n] = fromFP(len(call.Args)+int(at)/8, a.Width)
			}
		}
		i.Args = args
		b.Append([]Inst{i})
	}
	if !stack { // it was for the registers alone
		c.StackBytes = 0
	}
	q := *p
	q.Contract, q.Code, q.Go = &c, b.Code, true
	return &q
}

// fromFP returns the memory operand that begins with argument n, of a width in
// bits.
func fromFP(n, width int) Operand {
	return Operand{Kind: Memory, Class: fmt.Sprintf("m%d", width), Width: width, Mem: Mem{Space: Args, Base: FP, Disp: int64(8 * n)}}
}

// writes reports whether an instruction writes a register.
func (i Inst) writes(r Reg) bool { return slices.Contains(i.Uses().Writes, r) }
