// SPDX-License-Identifier: ISC

package prove

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestPlanted plants faults that no changed result shows, each in a program
// that is otherwise right, and wants some case to refuse it.
func TestPlanted(t *testing.T) {
	for _, p := range kernels.VaesAVX512() {
		if p.Contract.Bits != 128 || !p.Contract.Whole() {
			continue
		}
		bulk := []func(*ir.Program) error{vaesTurnCase, vaesLastTurnCase}
		for n, q := range looserBounds(p, vaesRun) {
			refused(t, fmt.Sprintf("%s: bound %d of the bulk loop is looser", p.Name, n), q, bulk...)
		}
		refused(t, p.Name+": a turn keeps the counter of the turn before", without(p, "bulk_turn", "vpbroadcastd"), bulk...)
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

// TestPlantedAVX does the same for the kernels without AVX-512, for one program of
// each.
func TestPlantedAVX(t *testing.T) {
	for _, p := range []*ir.Program{kernels.VaesAVX2()[1], kernels.Aesni()[2]} { // seal and open
		whole := func(q *ir.Program) error { return errors.Join(failures(avxCases(q), 1)...) }
		if err := whole(p); err != nil {
			t.Fatalf("%s, as it is: %v", p.Name, err)
		}
		for n, q := range looserBounds(p, int64(avxShapeOf(p).turn)) {
			refused(t, fmt.Sprintf("%s: bound %d for the bulk loop is looser", p.Name, n), q, whole)
		}
		secret := amd64.Mem(ir.KeyBlock, 64, amd64.RDI, 16)
		for _, c := range []struct {
			what, label, mnemonic string
			args                  []ir.Operand
		}{
			{"a preserved register changes", "short_more", "mov", []ir.Operand{amd64.RBX, amd64.RAX}},
			{"a round key stays in r8", "short_more", "mov", []ir.Operand{amd64.R8, secret}},
			{"a round key stays in rax", "finish", "mov", []ir.Operand{amd64.RAX, secret}},
			{"a round key stays in register 16", "short_more", "vmovdqu64", []ir.Operand{amd64.X(16), amd64.Mem(ir.KeyBlock, 128, amd64.RDI, 0)}},
			{"a secret is stored to the stack", "reduced", "vmovdqu", []ir.Operand{amd64.Mem(ir.Stack, 128, amd64.RSP, 24), amd64.X(12)}},
			{"the return address is overwritten", "finish", "mov", []ir.Operand{amd64.Mem(ir.Stack, 64, amd64.RSP, 40), amd64.RAX}},
			{"a 256-bit register is used behind vzeroupper", "wipe", "vpxor", []ir.Operand{amd64.Y(16), amd64.Y(0), amd64.Y(0)}},
			{"the lengths are loaded below the stack pointer", "finish", "vmovdqu", []ir.Operand{amd64.X(1), amd64.Mem(ir.Stack, 128, amd64.RSP, -16)}},
		} {
			if c.label == "finish" && c.what == "a round key stays in rax" && p.Contract.Op == "open" {
				continue // where the result overwrites it
			}
			refused(t, p.Name+": "+c.what, insert(p, c.label, c.mnemonic, c.args...), whole)
		}
		for at, i := range p.Code {
			if i.Form != nil && (i.Form.Mnemonic == "vzeroupper" || i.Form.Mnemonic == "endbr64" || i.Args != nil &&
				i.Args[0].Kind == ir.Memory && i.Args[0].Mem.Space == ir.Stack) {
				q := *p
				q.Code = slices.Delete(slices.Clone(p.Code), at, at+1)
				refused(t, fmt.Sprintf("%s: %s (%s) is missing", p.Name, i.Form.Mnemonic, i.Origin), &q, whole)
			}
		}
	}
}

// looserBounds returns programs in each of which one comparison with a bound of
// the bulk loop lets it leave a byte less.
func looserBounds(p *ir.Program, bound int64) (qs []*ir.Program) {
	for at, i := range p.Code {
		if i.Form == nil || i.Form.Mnemonic != "cmp" || i.Args[1].Imm != bound {
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

// TestPlantedTurns plants faults into the programs for turns.
func TestPlantedTurns(t *testing.T) {
	for _, ps := range [][]*ir.Program{kernels.VaesAVX512(), kernels.VaesAVX2(), kernels.Aesni()} {
		for _, p := range ps {
			if p.Contract.Bits != 128 || !strings.HasSuffix(p.Contract.Op, "_turns") {
				continue
			}
			whole := func(q *ir.Program) error { return errors.Join(failures(cases[p.Contract.Kernel](q), 1)...) }
			if err := whole(p); err != nil {
				t.Fatalf("%s, as it is: %v", p.Name, err)
			}
			for n, q := range looserBounds(p, int64(p.Contract.Turn)) {
				refused(t, fmt.Sprintf("%s: bound %d of the bulk loop is looser", p.Name, n), q, whole)
			}
			counter, secret := "vpinsrd", amd64.Mem(ir.KeyBlock, 64, amd64.RDI, 16)
			if p.Contract.Kernel == "vaes-avx512" {
				counter = "vpbroadcastd"
				refused(t, p.Name+": what is fetched depends on a round key",
					insert(insert(p, "bulk_turn", "prefetcht0", amd64.Addr(amd64.R10, 0)), "bulk_turn", "mov", amd64.R10, secret), whole)
				if err := whole(insert(insert(p, "bulk_turn", "prefetcht0", amd64.Addr(amd64.R10, 0)), "bulk_turn", "mov", amd64.R10, amd64.RDX)); err != nil {
					t.Errorf("%s: the place of the text is fetched: %v", p.Name, err)
				}
			} else { // the other wipes r10
				refused(t, p.Name+": a round key stays in r10", insert(p, "bulk_turn", "mov", amd64.R10, secret), whole)
			}
			refused(t, p.Name+": a turn keeps the counter of the turn before", without(p, "bulk_turn", counter), whole)
			refused(t, p.Name+": a preserved register changes", insert(p, "bulk_turn", "mov", amd64.RBX, amd64.RAX), whole)
			refused(t, p.Name+": the place of the state changes", insert(p, "bulk_turn", "add", amd64.R9, ir.Imm(1)), whole)
			refused(t, p.Name+": a round key stays in rdx", insert(p, "bulk_turn", "mov", amd64.RDX, secret), whole)
			refused(t, p.Name+": Xi is stored early",
				insert(p, "bulk_turn", "vmovdqu", amd64.Mem(ir.State, 128, amd64.R9, 0), amd64.X(0)), whole)
		}
	}
}

// without returns the program without the first instruction of a kind behind a
// label.
func without(p *ir.Program, label, mnemonic string) *ir.Program {
	at := slices.IndexFunc(p.Code, func(i ir.Inst) bool { return i.Form == nil && i.Label == label })
	at += slices.IndexFunc(p.Code[at:], func(i ir.Inst) bool { return i.Form != nil && i.Form.Mnemonic == mnemonic })
	q := *p
	q.Code = slices.Delete(slices.Clone(p.Code), at, at+1)
	return &q
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
