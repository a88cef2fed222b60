// SPDX-License-Identifier: ISC

package hardware

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/require"
)

// A target is an instruction set with all that the check must know of it
// apart from its table.
type target struct {
	isa *ir.ISA
	// banks are the register files in the order of a state, the flags last,
	// which are bits of one 8-byte word.
	banks   []*ir.Bank
	flagBit map[ir.Reg]int
	// pointer holds the address of the state and is not checked; aligned
	// holds multiples of 16 wherever it is a base. Bank nil if none.
	pointer, aligned ir.Reg
	mask             *ir.Bank // mask registers, of which number 0 masks nothing; nil if none
	// operands returns what may stand for a class at slot i of f, with n as
	// a register number to start from, behind the operands before.
	operands func(f *ir.Form, i int, class string, n int, before []ir.Operand) []ir.Operand
	// immediates by mnemonic and class of the first operand, or by mnemonic.
	immediates map[string][]int64
	// frame is the assembly text of enter(test), which loads the state and
	// jumps to test, and of leave, which stores the state and returns.
	frame string
	// body returns the text of a test around the text of an instruction.
	body func(name, text string, branches bool) string
	has  func(feature string) bool
	// compile and run are commands without the files' names.
	compile, run []string
	// absent tells why there is no such processor or emulator, "" if it is there.
	absent string
	// elsewhere tells why a run on another machine is the one that checks,
	// even if GCM_REQUIRE names a kernel; else "".
	elsewhere string
}

// patterns give register numbers to the operands of one instruction: low,
// high and mixed ones, and each pair of operands in the same register.
var patterns = [][]int{
	{1, 2, 3, 0}, {4, 4, 4, 4}, {30, 17, 25, 20}, {5, 12, 5, 12}, {7, 7, 19, 9}, {8, 21, 21, 29}, {13, 0, 31, 31},
}

// instances returns instructions of a form: all combinations of its operand
// classes in all register patterns and under all kinds of masking.
func (t *target) instances(f *ir.Form) (out []ir.Inst) {
	for _, p := range patterns {
		for _, args := range t.arguments(f, p, nil) {
			i := ir.Inst{Form: f, Args: args}
			if t.predictable(i) {
				out = append(out, i)
			}
			if f.Element == 0 {
				continue
			}
			at := slices.IndexFunc(f.Slots, func(s ir.Slot) bool { return s.Access&ir.Write != 0 })
			for _, zero := range []bool{false, true} {
				if zero && args[at].Kind == ir.Memory {
					continue
				}
				masked := slices.Clone(args)
				masked[at].Mask = ir.Reg{Bank: t.mask, Num: 1 + p[0]%(t.mask.Count-1)}
				masked[at].Zero = zero
				out = append(out, ir.Inst{Form: f, Args: masked})
			}
		}
	}
	return out
}

// arguments completes the operands before in all ways.
func (t *target) arguments(f *ir.Form, pattern []int, before []ir.Operand) (out [][]ir.Operand) {
	i := len(before)
	if i == len(f.Slots) {
		return [][]ir.Operand{slices.Clone(before)}
	}
	for _, class := range f.Slots[i].Classes {
		var fit []ir.Operand
		switch class {
		case "imm":
			for _, x := range t.immediatesOf(f) {
				fit = append(fit, ir.Imm(x))
			}
		case "label":
			fit = []ir.Operand{ir.To("taken")}
		default:
			fit = t.operands(f, i, class, pattern[i], before)
		}
		if len(fit) == 0 {
			panic(fmt.Sprintf("%s: no operand of class %s for %v", t.isa.Name, class, f))
		}
		for _, o := range fit {
			out = append(out, t.arguments(f, pattern, append(before, o))...)
		}
	}
	return out
}

func (t *target) immediatesOf(f *ir.Form) []int64 {
	if x, ok := t.immediates[f.Mnemonic+" "+f.Slots[0].Classes[0]]; ok {
		return x
	}
	return t.immediates[f.Mnemonic]
}

// predictable refuses what manuals leave unpredictable: two results in one
// register, and a base that changes and is also another operand.
func (t *target) predictable(i ir.Inst) bool {
	var written []ir.Reg
	for n, a := range i.Args {
		if a.Kind == ir.Register && i.Form.Slots[n].Access&ir.Write != 0 {
			if slices.Contains(written, a.Reg) {
				return false
			}
			written = append(written, a.Reg)
		}
		if a.Kind == ir.Memory && (a.Mem.Step != 0 || a.Mem.Pre) {
			for _, b := range i.Args {
				if b.Kind == ir.Register && b.Reg == a.Mem.Base {
					return false
				}
			}
		}
	}
	return true
}

// unsupported returns the features of a form that the processor lacks.
func (t *target) unsupported(f *ir.Form) (lacking []string) {
	for _, name := range features(f) {
		if !t.has(name) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

func features(f *ir.Form) []string {
	return strings.FieldsFunc(f.Feature, func(r rune) bool { return r == ',' || r == ' ' })
}

// skip ends a test that cannot run here, as a failure where GCM_REQUIRE wants
// a kernel that needs one of the features which are lacking; nil stands for
// all features.
func (t *target) skip(tb testing.TB, lacking []string, format string, args ...any) {
	tb.Helper()
	for _, p := range t.programs() {
		needed := lacking == nil || slices.ContainsFunc(p.Contract.Features, func(f string) bool { return slices.Contains(lacking, f) })
		if k := p.Contract.Kernel; needed && require.Kernel(k) {
			tb.Fatalf("GCM_REQUIRE wants %s, but "+format, append([]any{k}, args...)...)
		}
	}
	tb.Skipf(format, args...)
}
