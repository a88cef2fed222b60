// SPDX-License-Identifier: ISC

package prove

import (
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestForGo shows that every program for Go simulates the one for C.
func TestForGo(t *testing.T) {
	for _, ps := range kernels.All() {
		for _, p := range ps {
			if err := simulates(p, p.ForGo()); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
}

// edited returns a copy of a program with its code changed.
func edited(p *ir.Program, edit func(code []ir.Inst) []ir.Inst) *ir.Program {
	q := *p
	q.Code = nil
	for _, i := range p.Code {
		i.Args = slices.Clone(i.Args)
		q.Code = append(q.Code, i)
	}
	q.Code = edit(q.Code)
	return &q
}

// one returns an instruction.
func one(isa *ir.ISA, mnemonic string, args ...ir.Operand) ir.Inst {
	b := &ir.Builder{ISA: isa}
	b.I(mnemonic, args...)
	return b.Code[0]
}

// TestForGoRefuses plants faults in programs for Go, and in what programs for C
// call their frame, and wants each refused for its reason.
func TestForGoRefuses(t *testing.T) {
	arm, amd := kernels.Eor3()[2], kernels.VaesAVX512()[2] // open, 128 bits
	x, v := arm64.X, arm64.V
	last := func(code []ir.Inst) int { // the return
		return slices.IndexFunc(code, func(i ir.Inst) bool { return i.Form != nil && i.Form.Flow == ir.Return })
	}
	before := func(at func([]ir.Inst) int, i ir.Inst) func([]ir.Inst) []ir.Inst {
		return func(code []ir.Inst) []ir.Inst { return slices.Insert(code, at(code), i) }
	}
	without := func(at func([]ir.Inst) int) func([]ir.Inst) []ir.Inst {
		return func(code []ir.Inst) []ir.Inst { n := at(code); return slices.Delete(code, n, n+1) }
	}
	at := func(n int) func([]ir.Inst) int { return func([]ir.Inst) int { return n } }
	change := func(n int, f func(i *ir.Inst)) func([]ir.Inst) []ir.Inst {
		return func(code []ir.Inst) []ir.Inst { f(&code[n]); return code }
	}
	frame := func(i ir.Inst) ir.Inst { i.Frame = true; return i }
	wipe := func(code []ir.Inst) int { // the first of those that restore registers
		return slices.IndexFunc(code, func(i ir.Inst) bool { return i.Instead != nil })
	}
	save := func(code []ir.Inst) int {
		return slices.IndexFunc(code, func(i ir.Inst) bool { return i.Frame && i.Form.Mnemonic == "stp" })
	}
	for _, c := range []struct {
		what string
		of   *ir.Program
		edit func(code []ir.Inst) []ir.Inst
		want string
	}{
		{"another argument", arm, change(3, func(i *ir.Inst) { i.Args[1].Mem.Disp = 32 }), "argument len in x3"},
		{"an argument to another register", arm, change(3, func(i *ir.Inst) { i.Args[0] = x(9) }), "argument len in x3"},
		{"a register changes before", arm, change(3, func(i *ir.Inst) {
			from := i.Args[1]
			from.Class, from.Width = "m128", 128
			*i = one(arm64.ISA, "ldp", x(3), x(9), from)
		}), "x9 changes"},
		{"no loads", arm, func(code []ir.Inst) []ir.Inst { return code[7:] }, "x0"},
		{"an instruction less", arm, without(at(20)), "Go has another instruction"},
		{"an instruction more", arm, before(at(20), one(arm64.ISA, "mov", x(12), x(13))), "Go has another instruction"},
		{"something behind the end", arm, func(code []ir.Inst) []ir.Inst { return append(code, one(arm64.ISA, "ret")) }, "1 instructions too many"},
		{"another stack argument", arm, change(8, func(i *ir.Inst) { i.Args[2].Mem.Disp -= 8 }), "Go has another instruction"},
		{"another label", arm, func(code []ir.Inst) []ir.Inst {
			n := slices.IndexFunc(code, func(i ir.Inst) bool { return i.Form == nil })
			code[n].Label = "elsewhere"
			return code
		}, "no label"},
		{"no result", arm, without(func(code []ir.Inst) int { return last(code) - 1 }), "the result is not stored"},
		{"the result to another place", arm, func(code []ir.Inst) []ir.Inst { code[last(code)-1].Args[1].Mem.Disp -= 8; return code }, "arguments, byte"},
		{"another result", amd, func(code []ir.Inst) []ir.Inst { code[last(code)-1].Args[1] = amd64.RCX; return code }, "arguments, byte"},
		{"a wipe less", arm, without(func(code []ir.Inst) int { return last(code) - 2 }), "Go has something else instead"},
	} {
		refusal(t, c.what, simulates(c.of, edited(c.of.ForGo(), c.edit)), c.want)
	}
	for _, c := range []struct {
		what string
		of   *ir.Program
		edit func(code []ir.Inst) []ir.Inst
		want string
	}{
		{"nothing instead of the frame", arm, func(code []ir.Inst) []ir.Inst { code[wipe(code)].Instead = nil; return code }, "may be left with a secret"},
		{"a register written behind the wipe", arm, before(last, one(arm64.ISA, "mov", v(8), v(0))), "what it writes to v8 is left there"},
		{"another register wiped", arm, func(code []ir.Inst) []ir.Inst {
			code[wipe(code)].Instead = []ir.Inst{one(arm64.ISA, "movi", v(16), ir.Imm(0))}
			return code
		}, "it writes v16"},
		{"a secret instead", arm, func(code []ir.Inst) []ir.Inst {
			i := code[wipe(code)].Instead[0]
			i.Args = slices.Clone(i.Args)
			i.Args[2].Mem.Disp = 0 // round keys
			code[wipe(code)].Instead = []ir.Inst{i}
			return code
		}, "what it reads may be a secret"},
		{"a secret moved instead", arm, func(code []ir.Inst) []ir.Inst {
			code[wipe(code)].Instead = []ir.Inst{one(arm64.ISA, "mov", v(10), v(16))}
			return code
		}, "what it reads may be a secret"},
		{"a jump instead", arm, func(code []ir.Inst) []ir.Inst {
			code[wipe(code)].Instead = []ir.Inst{one(arm64.ISA, "b", ir.To("wipe"))}
			return code
		}, "it jumps"},
		{"a constant instead", arm, func(code []ir.Inst) []ir.Inst {
			code[wipe(code)].Instead = []ir.Inst{one(arm64.ISA, "movi", v(10), ir.Imm(0)), one(arm64.ISA, "movi", v(11), ir.Imm(0))}
			return code
		}, ""},
		{"work in the frame", arm, before(at(3), frame(one(arm64.ISA, "mov", x(12), ir.Imm(1)))), "it is called frame, but uses x12"},
		{"text in the frame", arm, before(at(3), frame(one(arm64.ISA, "stp", arm64.As("d", v(8)), arm64.As("d", v(9)), arm64.Mem(ir.Text, 128, x(1), 0)))), "it is called frame, but uses x1"},
		{"a jump in the frame", arm, before(at(3), frame(one(arm64.ISA, "b", ir.To("wipe")))), "it is called frame, but jumps"},
		{"the stack pointer moves elsewhere", arm, before(at(3), one(arm64.ISA, "ldr", x(12), arm64.Post(ir.Stack, 64, arm64.SP, 16))), "the stack pointer moves outside of the frame"},
		{"the stack pointer stays away", arm, before(at(3), frame(one(arm64.ISA, "stp", arm64.As("d", v(8)), arm64.As("d", v(9)), arm64.Pre(ir.Stack, 128, arm64.SP, -64)))), "the stack pointer does not come back"},
		{"stack of the frame is read", arm, func(code []ir.Inst) []ir.Inst {
			return slices.Insert(code, save(code)+4, one(arm64.ISA, "ldr", x(12), arm64.Mem(ir.Stack, 64, arm64.SP, 8)))
		}, "it uses stack of the frame"},
		{"stack below what is stated", arm, func(code []ir.Inst) []ir.Inst {
			return slices.Insert(code, save(code)+4, one(arm64.ISA, "ldr", x(12), arm64.Mem(ir.Stack, 64, arm64.SP, -8)))
		}, "it uses stack beyond 64 bytes"},
		{"stack before it is there", arm, before(at(1), one(arm64.ISA, "ldr", x(12), arm64.Mem(ir.Stack, 64, arm64.SP, -8))), "Go has not all of the stack above the stack pointer"},
		{"an argument too many", arm, before(at(1), one(arm64.ISA, "ldr", x(12), arm64.Mem(ir.Args, 64, arm64.SP, 16))), "there is no such argument"},
		{"a restored register is read", arm, before(last, one(arm64.ISA, "mov", v(0), v(9))), "it reads v9, which the frame wrote"},
		{"code that nothing reaches", arm, func(code []ir.Inst) []ir.Inst { return append(code, one(arm64.ISA, "ret")) }, "it is never reached"},
		{"the goroutine's register", arm, before(at(3), one(arm64.ISA, "mov", x(28), x(12))), "x28"},
		{"the platform's register", arm, before(at(3), one(arm64.ISA, "mov", x(18), x(12))), "x18"},
		{"the frame pointer", amd, before(at(3), one(amd64.ISA, "mov", amd64.RBP, amd64.RAX)), "r5"},
	} {
		p := edited(c.of, c.edit)
		refusal(t, c.what, simulates(p, p.ForGo()), c.want)
	}
}

// refusal checks an error; "" stands for none.
func refusal(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s is refused: %v", what, err)
	case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "for Go: ") || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: refused with %v, want %s", what, err, want)
	}
}
