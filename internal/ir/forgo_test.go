// SPDX-License-Identifier: ISC

package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// numbers is a contract with so many arguments.
func numbers(n int, result string) *ir.Contract {
	c := &ir.Contract{Result: result, StackBytes: 32}
	for i := range n {
		c.Args = append(c.Args, ir.Arg{Name: string('a' + byte(i))})
	}
	return c
}

// lines returns the code of a program as text, with labels and origins.
func lines(p *ir.Program) (out []string) {
	for _, i := range p.Code {
		if i.Form == nil {
			out = append(out, i.Label+":")
		} else {
			out = append(out, emit.Instruction(i, p)+" // "+i.Origin)
		}
	}
	return out
}

// TestForGo turns programs for the C ABI into programs for Go: arguments from
// the caller's frame wherever the C ABI has them, a result there, no frame but
// what stands for it, and stack only where it is used for more.
func TestForGo(t *testing.T) {
	x, v := arm64.X, arm64.V
	a := &ir.Builder{ISA: arm64.ISA}
	a.Frame(func() { a.I("hint", ir.Imm(34)) })
	a.Origin("tag")
	a.I("ldp", x(8), x(9), arm64.Mem(ir.Args, 128, arm64.SP, 0))
	a.Frame(func() {
		a.I("stp", arm64.As("d", v(8)), arm64.As("d", v(9)), arm64.Pre(ir.Stack, 128, arm64.SP, -32))
	})
	a.Label("work")
	a.Origin("late")
	a.I("ldr", x(10), arm64.Mem(ir.Args, 64, arm64.SP, 40)) // behind the frame
	a.Frame(func() {
		a.I("ldp", arm64.As("d", v(8)), arm64.As("d", v(9)), arm64.Post(ir.Stack, 128, arm64.SP, 32))
		a.Instead(func() { a.Origin("wipe").I("movi", v(8), ir.Imm(0)) })
	})
	a.Origin("return")
	a.I("ret")
	p := &ir.Program{Name: "p", ISA: arm64.ISA, Contract: numbers(10, "something"), Code: a.Code}
	q := p.ForGo()
	want := []string{"ldr x0, [fp] // argument a", "ldr x1, [fp, #8] // argument b", "ldr x2, [fp, #16] // argument c",
		"ldr x3, [fp, #24] // argument d", "ldr x4, [fp, #32] // argument e", "ldr x5, [fp, #40] // argument f",
		"ldr x6, [fp, #48] // argument g", "ldr x7, [fp, #56] // argument h",
		"ldp x8, x9, [fp, #64] // tag", "work:", "ldr x10, [fp, #72] // late", "movi v8.16b, #0 // wipe",
		"str x0, [fp, #80] // result", "ret // return"}
	if got := lines(q); !slices.Equal(got, want) {
		t.Errorf("the program for Go is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !q.Go || p.Go || q.Contract.StackBytes != 0 || p.Contract.StackBytes != 32 || p.Code[1].Args[2].Mem.Base != arm64.SP.Reg {
		t.Errorf("the program is %+v, and was %+v", q, p)
	}

	b := &ir.Builder{ISA: amd64.ISA}
	b.Frame(func() { b.I("sub", amd64.RSP, ir.Imm(32)) })
	b.I("mov", amd64.RAX, amd64.Mem(ir.Args, 64, amd64.RSP, 32+8+8))
	b.I("mov", amd64.Mem(ir.Stack, 64, amd64.RSP, 16), amd64.RAX)
	b.Frame(func() { b.I("add", amd64.RSP, ir.Imm(32)) })
	b.I("ret")
	q = (&ir.Program{Name: "q", ISA: amd64.ISA, Contract: numbers(8, ""), Code: b.Code}).ForGo()
	got := lines(q)[6:]
	if want := []string{"mov rax, [fp + 56] // ", "mov [rsp + 16], rax // ", "ret // "}; !slices.Equal(got, want) || q.Contract.StackBytes != 32 {
		t.Errorf("the program for Go is %q with %d bytes of stack", got, q.Contract.StackBytes)
	}
}
