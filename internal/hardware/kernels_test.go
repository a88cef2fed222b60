// SPDX-License-Identifier: ISC

package hardware

import (
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// programs returns the kernels' programs for an instruction set.
func (t *target) programs() (ps []*ir.Program) {
	for _, k := range kernels.All() {
		for _, p := range k {
			if p.ISA == t.isa {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// fromKernels returns every different instruction of the kernels that has
// one of the forms. Labels and constants become those of the tests.
func (t *target) fromKernels(forms []*ir.Form) (insts []ir.Inst) {
	seen := map[string]bool{}
	for _, p := range t.programs() {
		for _, i := range p.Code {
			if i.Form == nil || !slices.Contains(forms, i.Form) {
				continue
			}
			i = ir.Inst{Form: i.Form, Args: slices.Clone(i.Args)}
			pointer := false
			for n := range i.Args {
				a := &i.Args[n]
				if a.Kind == ir.Target {
					*a = ir.To("taken")
				}
				if a.Mem.Symbol != "" {
					a.Mem.Symbol, a.Mem.Disp = "datum", a.Mem.Disp%(int64(len(datum))-64)
				}
				pointer = pointer || t.pointer.Bank != nil && (a.Reg == t.pointer || a.Mem.Base == t.pointer || a.Mem.Index == t.pointer)
			}
			if text := t.text(i); !seen[text] && !pointer {
				seen[text] = true
				insts = append(insts, i)
			}
		}
	}
	return insts
}

// unused are the mnemonics that no kernel needs, and why they are there.
var unused = map[string]string{
	"cmove":  "conditions come as a family",
	"cmovb":  "conditions come as a family",
	"cmovae": "conditions come as a family",
	"cmovbe": "conditions come as a family",
	"b.eq":   "conditions come as a family",
	"b.ls":   "conditions come as a family",
}

// TestUsed checks that the tables hold no mnemonic that no kernel needs. The
// forms of one mnemonic come as a family of register widths.
func TestUsed(t *testing.T) {
	for _, tg := range targets() {
		used := map[string]bool{}
		for _, p := range tg.programs() {
			for _, i := range p.Code {
				if i.Form != nil {
					used[i.Form.Mnemonic] = true
				}
			}
		}
		if len(used) == 0 {
			t.Logf("%s has no kernel", tg.isa.Name)
			continue
		}
		for _, f := range tg.isa.Forms {
			if !used[f.Mnemonic] && unused[f.Mnemonic] == "" {
				used[f.Mnemonic] = true // tell only once
				t.Errorf("%s: no kernel uses %s", tg.isa.Name, f.Mnemonic)
			}
		}
	}
}
