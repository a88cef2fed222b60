// SPDX-License-Identifier: ISC

package objects

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A difference is a way to change one instruction of a program.
type difference struct {
	name string
	// plant changes instruction n of the code, or changes nothing and reports
	// that it cannot.
	plant func(p *ir.Program, n int) bool
}

var differences = []difference{
	{"register", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if o.Kind != ir.Register || o.Reg.Bank.Count < 2 {
				return false
			}
			o.Reg.Num = (o.Reg.Num + 1) % o.Reg.Bank.Count
			return true
		})
	}},
	{"immediate", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if o.Kind != ir.Immediate || o.Class != "imm" {
				return false
			}
			o.Imm ^= 1
			return true
		})
	}},
	{"displacement", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if o.Kind != ir.Memory {
				return false
			}
			if o.Mem.Step != 0 {
				o.Mem.Step += 16
			} else {
				o.Mem.Disp += 16
			}
			return true
		})
	}},
	{"base", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if o.Kind != ir.Memory || o.Mem.Base.Bank == nil || o.Mem.Base.Bank.Count < 2 {
				return false
			}
			o.Mem.Base.Num ^= 1
			return true
		})
	}},
	{"mask", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if !o.Masked() {
				return false
			}
			o.Mask.Num ^= 1
			return true
		})
	}},
	{"constant", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			for _, d := range p.Data {
				if o.Kind == ir.Memory && o.Mem.Symbol != "" && d.Name != o.Mem.Symbol {
					o.Mem.Symbol = d.Name
					return true
				}
			}
			return false
		})
	}},
	{"bytes of a constant", func(p *ir.Program, n int) bool {
		i := slices.IndexFunc(p.Data, func(d ir.Datum) bool {
			uses := func(i ir.Inst) bool {
				return slices.ContainsFunc(i.Args, func(o ir.Operand) bool { return o.Kind == ir.Memory && o.Mem.Symbol == d.Name })
			}
			return uses(p.Code[n]) && !slices.ContainsFunc(p.Code[:n], uses) // so that it is reported here
		})
		if i < 0 {
			return false
		}
		p.Data = slices.Clone(p.Data)
		p.Data[i].Bytes = slices.Clone(p.Data[i].Bytes)
		p.Data[i].Bytes[len(p.Data[i].Bytes)-1] ^= 1
		return true
	}},
	{"target", func(p *ir.Program, n int) bool {
		return operand(p, n, func(o *ir.Operand) bool {
			if o.Kind != ir.Target {
				return false
			}
			labels := forC(p).labels
			for _, i := range p.Code { // in order, so that runs are alike
				if i.Form == nil && labels[i.Label] != labels[o.Label] {
					o.Label = i.Label
					return true
				}
			}
			return false
		})
	}},
	{"mnemonic", func(p *ir.Program, n int) bool {
		i := &p.Code[n]
		for _, f := range p.ISA.Forms {
			if f.Mnemonic != i.Form.Mnemonic && slices.EqualFunc(f.Slots, i.Form.Slots,
				func(a, b ir.Slot) bool { return slices.Equal(a.Classes, b.Classes) }) {
				i.Form = f
				return true
			}
		}
		return false
	}},
	{"order", func(p *ir.Program, n int) bool {
		if n+1 == len(p.Code) || p.Code[n+1].Form == nil ||
			emit.Instruction(p.Code[n], p) == emit.Instruction(p.Code[n+1], p) {
			return false
		}
		p.Code[n], p.Code[n+1] = p.Code[n+1], p.Code[n]
		return true
	}},
	{"missing", func(p *ir.Program, n int) bool {
		// The object must not have the like of it next.
		if n == 0 || p.Code[n-1].Form == nil || n+1 == len(p.Code) || p.Code[n+1].Form == nil {
			return false
		}
		if emit.Instruction(p.Code[n], p) == emit.Instruction(p.Code[n+1], p) {
			return false
		}
		p.Code = slices.Delete(p.Code, n, n+1)
		return true
	}},
}

// operand changes the first operand of instruction n that change accepts.
func operand(p *ir.Program, n int, change func(o *ir.Operand) bool) bool {
	args := slices.Clone(p.Code[n].Args)
	p.Code[n].Args = args
	for i := range args {
		if change(&args[i]) {
			return true
		}
	}
	return false
}

// TestPlanted plants every difference at places all over each program, C and
// Go flavour, and sees it reported with the kernel, the index and the origin.
func TestPlanted(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, cc string) {
		object := disassemble(t, cc, ps[0].ISA.Name, assemble(t, []string{cc}, source("cshim", ps[0])+".S"), 0, 0)
		linked := disassembleGo(t, cc, ps)
		planted := map[string]int{}
		for _, p := range ps {
			for _, f := range []struct {
				name    string
				image   *image
				symbol  string
				program *ir.Program
				compare func(m *image, code []instruction, p *ir.Program) error
			}{
				{"C", object, emit.Prefix + p.Name, p, func(m *image, code []instruction, p *ir.Program) error {
					return compare(m, code, forC(p), nil)
				}},
				{"Go", linked, goSymbol(p), p.ForGo(), compareGo},
			} {
				code, err := f.image.function(f.symbol)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range differences {
					for n, q := range places(f.program, d) {
						planted[d.name]++
						// Go's arguments have their real places in the report.
						want := fmt.Sprintf("kernel %s, %s_%d, instruction %d (%s): the program has ", p.Contract.Kernel,
							p.Contract.Op, p.Contract.Bits, count(q.Code[:n]), q.Code[n].Origin)
						if err := f.compare(f.image, code, q); err == nil || !strings.HasPrefix(err.Error(), want) {
							t.Errorf("%s flavour, %s changed: reported %v, want %s%q", f.name, d.name, err, want, emit.Instruction(q.Code[n], q))
						}
					}
				}
			}
		}
		t.Logf("planted and reported: %v", planted)
	})
}

// placesEach is how many places of a program get each difference, at most.
const placesEach = 4

// places returns a program for each place at which a difference was planted,
// far from each other.
func places(p *ir.Program, d difference) map[int]*ir.Program {
	found := map[int]*ir.Program{}
	for k := range placesEach {
		if testing.Short() && k > 0 {
			break
		}
		q := *p
		q.Code = slices.Clone(p.Code)
		for n := k * len(p.Code) / placesEach; n < len(p.Code); n++ {
			if p.Code[n].Form == nil {
				continue
			}
			if d.plant(&q, n) {
				found[n] = &q
				break
			}
		}
	}
	return found
}

// count returns the number of instructions, labels apart.
func count(code []ir.Inst) int { return (&ir.Program{Code: code}).Count() }

// TestSpelling checks that the normal spelling blurs nothing: any change of
// one operand of any instruction of a kernel shows.
func TestSpelling(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, _ string) {
		for _, p := range ps {
			for n, i := range p.Code {
				if i.Form == nil {
					continue
				}
				for _, d := range differences[:5] {
					q := *p
					q.Code = []ir.Inst{i}
					if !d.plant(&q, 0) {
						continue
					}
					a, b := &listing{program: p}, &listing{program: p}
					a.add(i, n)
					b.add(q.Code[0], n)
					if a.wants[0].text == b.wants[0].text && a.wants[0].offset == b.wants[0].offset {
						t.Errorf("%q and %q are both spelt %q", a.wants[0].source, b.wants[0].source, a.wants[0].text)
					}
				}
			}
		}
	})
}
