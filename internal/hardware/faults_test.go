// SPDX-License-Identifier: ISC

package hardware

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// commutative are the mnemonics whose operands may change places.
var commutative = map[string][]string{
	"amd64": {"add", "and", "or", "xor", "test", "vpxor", "vpxorq", "vpand", "vpaddd", "vpaddq"},
	"arm64": {"add", "adds", "and", "orr", "eor", "eor3", "aese", "pmull", "pmull2"},
}

// TestFaults checks the check: it plants faults in the meaning of each form,
// and each must be noticed.
func TestFaults(t *testing.T) {
	for _, tg := range targets() {
		t.Run(tg.isa.Name, func(t *testing.T) {
			forms, _ := tg.supported()
			var insts []ir.Inst
			hidden := map[*ir.Form][]fault{}
			planted := 0
			rng := rand.New(rand.NewSource(2))
			for _, f := range forms {
				all := tg.instances(f)
				rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				insts = append(insts, all[:min(len(all), 40)]...)
				hidden[f] = faults(f)
				planted += len(hidden[f])
			}
			tg.try(t, insts, func(i ir.Inst, before, after []byte) {
				hidden[i.Form] = slices.DeleteFunc(hidden[i.Form], func(f fault) bool {
					j := i
					j.Form = f.form
					return tg.compare(j, before, after) != nil
				})
			})
			t.Logf("%d faults in %d forms", planted, len(forms))
			for _, form := range forms {
				for _, f := range hidden[form] {
					if !f.swap || !slices.Contains(commutative[tg.isa.Name], form.Mnemonic) {
						t.Errorf("%v: %s goes unnoticed", form, f.name)
					}
				}
			}
		})
	}
}

// A fault is a form with a wrong meaning.
type fault struct {
	name string
	swap bool // of two operands
	form *ir.Form
}

// faults returns wrong copies of f: one flips a bit of a result, for each;
// one swaps two operands, for each pair that could stand for one another;
// one leaves the implicit results alone, and one has another mask element.
func faults(f *ir.Form) (out []fault) {
	plant := func(name string) *ir.Form {
		g := *f
		out = append(out, fault{name: name, form: &g})
		return &g
	}
	for _, n := range results(f) {
		plant(fmt.Sprintf("a flipped bit of result %d", n)).Meaning = func(in ir.In) []value.Value {
			r := slices.Clone(f.Meaning(in))
			r[n] = in.D.Xor(r[n], in.D.Const(r[n].Width(), 1))
			return r
		}
	}
	for j, b := range f.Slots {
		for i, a := range f.Slots[:j] {
			if a.Access&b.Access&ir.Read == 0 || b.Classes[0] == "imm" || !slices.Contains(b.Classes, a.Classes[0]) {
				continue
			}
			plant(fmt.Sprintf("a swap of operands %d and %d", i, j)).Meaning = func(in ir.In) []value.Value {
				if in.Op[i] != nil && in.Op[j] != nil {
					in.Op[i], in.Op[j] = in.Op[j], in.Op[i]
				}
				return f.Meaning(in)
			}
			out[len(out)-1].swap = true
		}
	}
	if slices.ContainsFunc(f.ImplicitWrites, func(r ir.Reg) bool { return !slices.Contains(f.Undefined, r) }) {
		plant("the lack of implicit results").ImplicitWrites = nil
	}
	if f.Element != 0 {
		plant("another mask element").Element = 24 - min(f.Element, 16) // 8 or 16 bits
	}
	return out
}

// results returns the places of a form's results among what its meaning
// returns, apart from undefined ones.
func results(f *ir.Form) (places []int) {
	n := 0
	for _, s := range f.Slots {
		if s.Access&ir.Write != 0 {
			places = append(places, n)
			n++
		}
	}
	if f.Flow == ir.Branch {
		places = append(places, n)
	}
	for _, r := range f.ImplicitWrites {
		if !slices.Contains(f.Undefined, r) {
			places = append(places, n)
		}
		n++
	}
	return places
}
