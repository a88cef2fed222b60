// SPDX-License-Identifier: ISC

package traces

import (
	"slices"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A leak is a mistake that tests plant into a program to see it caught.
type leak struct {
	kind string // load: at an address made of a secret; branch: on one bit of it
	of   string // key, or text, which in set-up is the key too
}

func (l leak) String() string { return l.kind + " by " + l.of }

var leaks = []leak{{"load", "key"}, {"branch", "key"}, {"load", "text"}, {"branch", "text"}}

// plantedSituations are those in which leaks must be caught.
func plantedSituations(bits, turn int) (all []situation) {
	for _, op := range []string{"init", "seal", "open", "forge"} {
		all = append(all, situation{op, bits, 100, 13, 12, 16})
	}
	return append(all, someTurns(bits, turn)...)
}

// plant returns p with the leak behind its first instruction.
func (l leak) plant(p *ir.Program) *ir.Program {
	args := p.ISA.Call.Args
	base := args[0] // the key block, which begins with the key
	switch {
	case p.Contract.Op == "init":
		base = args[1]
	case l.of == "text":
		base = args[2]
	}
	b := (&ir.Builder{ISA: p.ISA}).Origin("planted %v", l)
	switch p.ISA {
	case amd64.ISA:
		s, r, x := amd64.R64(base.Num), amd64.R10, amd64.RAX
		b.I("mov", r, amd64.Mem(ir.KeyBlock, 64, s, 0))
		if l.kind == "load" {
			b.I("and", r, ir.Imm(7))
			b.I("add", r, s)
			b.I("mov", x, amd64.Mem(ir.KeyBlock, 64, r, 0))
		} else {
			b.I("and", r, ir.Imm(1))
			b.I("je", ir.To("planted"))
			b.I("mov", x, r)
			b.Label("planted")
		}
	case arm64.ISA:
		s, r, x := arm64.X(base.Num), arm64.X(16), arm64.X(17)
		b.I("ldr", r, arm64.Mem(ir.KeyBlock, 64, s, 0))
		if l.kind == "load" {
			b.I("and", r, r, ir.Imm(7))
			b.I("add", r, r, s)
			b.I("ldr", x, arm64.Mem(ir.KeyBlock, 64, r, 0))
		} else {
			b.I("tbz", r, ir.Imm(0), ir.To("planted"))
			b.I("mov", x, r)
			b.Label("planted")
		}
	default:
		panic("traces: no leaks for " + p.ISA.Name)
	}
	leaky := *p
	leaky.Code = slices.Concat(p.Code[:1], b.Code, p.Code[1:])
	return &leaky
}
