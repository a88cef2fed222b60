// SPDX-License-Identifier: ISC

package hardware

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// targets are the instruction sets that have a table.
func targets() []*target { return []*target{amd64Target(), arm64Target()} }

// statesEach returns the number of states on which each instruction runs.
func statesEach() int {
	if testing.Short() {
		return 6
	}
	return 16
}

// supported returns the forms that the processor has, and names the others.
func (t *target) supported() (forms []*ir.Form, skipped []string) {
	for _, f := range t.isa.Forms {
		if lacking := t.unsupported(f); len(lacking) > 0 {
			skipped = append(skipped, f.String()+" (needs "+strings.Join(lacking, ", ")+")")
			continue
		}
		forms = append(forms, f)
	}
	return forms, skipped
}

// try runs every instruction on states and calls f with each outcome.
func (t *target) try(tb testing.TB, insts []ir.Inst, f func(i ir.Inst, before, after []byte)) {
	tb.Helper()
	r := t.start(tb, insts)
	rng := rand.New(rand.NewSource(1))
	for n, i := range insts {
		for s := range statesEach() {
			before := t.newState(s, rng)
			t.prepare(i, before, rng)
			after, err := r.do(n, before)
			if err != nil {
				tb.Fatalf("%s: %v", t.text(i), err)
			}
			f(i, before, after)
		}
	}
}

func (t *target) text(i ir.Inst) string {
	return emit.Instruction(i, &ir.Program{Name: "t", ISA: t.isa})
}

// TestForms checks each form of each table against the processor, with
// operands of all kinds and with those that kernels use.
func TestForms(t *testing.T) {
	for _, tg := range targets() {
		t.Run(tg.isa.Name, func(t *testing.T) {
			forms, skipped := tg.supported()
			var lacking []string
			for _, f := range tg.isa.Forms {
				lacking = append(lacking, tg.unsupported(f)...)
			}
			insts := tg.fromKernels(forms)
			for _, f := range forms {
				insts = append(insts, tg.instances(f)...)
			}
			wrong := map[*ir.Form]int{}
			runs := 0
			tg.try(t, insts, func(i ir.Inst, before, after []byte) {
				runs++
				if err := tg.compare(i, before, after); err != nil {
					if wrong[i.Form]++; wrong[i.Form] <= 3 {
						t.Errorf("%v: %s: %v", i.Form, tg.text(i), err)
					}
				}
			})
			t.Logf("%d forms, %d instructions, %d runs, %d forms wrong", len(forms), len(insts), runs, len(wrong))
			if len(skipped) > 0 {
				tg.skip(t, lacking, "not checked here: %s", strings.Join(skipped, "; "))
			}
		})
	}
}
