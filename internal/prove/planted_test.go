// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestPlanted plants faults that no changed result shows, each in a program
// that is otherwise right, and wants some case to refuse it.
func TestPlanted(t *testing.T) {
	for _, p := range kernels.VaesAVX512() {
		if p.Contract.Bits != 128 || p.Contract.Op == "init" {
			continue
		}
		bulk := []func(*ir.Program) error{vaesFirstTurnCase, vaesEnterCase, vaesTurnCase, vaesLastTurnCase}
		for n, q := range looserBounds(p) {
			refused(t, fmt.Sprintf("%s: bound %d of the bulk loop is looser", p.Name, n), q, bulk...)
		}
		short := func(q *ir.Program) error { return vaesShortCase(q, 100) }
		refused(t, p.Name+": a preserved register changes",
			insert(p, "short_counter", "mov", amd64.RBX, amd64.RAX), short)
		refused(t, p.Name+": a round key stays in a register",
			insert(p, "short_counter", "mov", amd64.R8, amd64.Mem(ir.KeyBlock, 64, amd64.RDI, 16)), short)
	}
}

func refused(t *testing.T, what string, q *ir.Program, runs ...func(*ir.Program) error) {
	t.Helper()
	for _, run := range runs {
		if attempt(proofCase{run: func() error { return run(q) }}) != nil {
			return
		}
	}
	t.Errorf("%s, and nothing refuses it", what)
}

// looserBounds returns programs in each of which one comparison of the bulk
// loop lets it leave a byte less.
func looserBounds(p *ir.Program) (qs []*ir.Program) {
	for at, i := range p.Code {
		if i.Form == nil || i.Form.Mnemonic != "cmp" || i.Args[1].Imm != vaesRun+vaesMinLeft {
			continue
		}
		q := *p
		q.Code = slices.Clone(p.Code)
		q.Code[at].Args = slices.Clone(i.Args)
		q.Code[at].Args[1].Imm--
		qs = append(qs, &q)
	}
	return qs
}

// insert returns the program with an instruction more behind a label.
func insert(p *ir.Program, label, mnemonic string, args ...ir.Operand) *ir.Program {
	b := &ir.Builder{ISA: p.ISA}
	b.I(mnemonic, args...)
	at := slices.IndexFunc(p.Code, func(i ir.Inst) bool { return i.Form == nil && i.Label == label })
	q := *p
	q.Code = slices.Insert(slices.Clone(p.Code), at+1, b.Code...)
	return &q
}
