// SPDX-License-Identifier: ISC

// Package machine runs a program on the values of a domain. It knows no
// instruction and no kernel: what an instruction does stands in its form.
package machine

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// Memory is what loads and stores go to.
type Memory interface {
	Load(addr uint64, bytes int) (value.Value, error)
	Store(addr uint64, v value.Value) error
}

// A Machine is the state that a program works on.
type Machine struct {
	Domain value.Domain
	Memory Memory
	// Symbols gives the address of each datum of the program.
	Symbols map[string]uint64
	// Trace, if set, is called before each instruction that Run runs, with its
	// index into the program's code.
	Trace func(pc int)
	// Steps counts the instructions run; MaxSteps bounds it.
	Steps, MaxSteps int
	// Decide, if set, says whether a branch is taken whose condition is not
	// known. Without it such a branch is a fault.
	Decide func(i ir.Inst, condition value.Value) (bool, error)
	// Stop, if set, is asked at each label whether to end the run there.
	Stop func(label string) bool
	// After, if set, is called after each instruction.
	After func(i ir.Inst) error

	regs map[ir.Reg]value.Value
}

// New returns a machine whose registers are all zero.
func New(d value.Domain, m Memory) *Machine {
	return &Machine{Domain: d, Memory: m, Symbols: map[string]uint64{},
		MaxSteps: 50_000_000, regs: map[ir.Reg]value.Value{}}
}

// Reg returns the value of a register.
func (m *Machine) Reg(r ir.Reg) value.Value {
	if v, ok := m.regs[r]; ok {
		return v
	}
	return m.Domain.Const(r.Bank.Width)
}

// SetReg sets a register; bits of the register above a narrower v become 0.
func (m *Machine) SetReg(r ir.Reg, v value.Value) {
	m.regs[r] = value.Extend(m.Domain, v, r.Bank.Width)
}

// A Fault is an error of the program at one instruction.
type Fault struct {
	Program *ir.Program
	At      int // index into the program's code
	Err     error
}

func (f *Fault) Error() string {
	i := f.Program.Code[f.At]
	return fmt.Sprintf("%s, instruction %d, %s (%s): %v", f.Program.Name, f.At, i.Form.Mnemonic, i.Origin, f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }

// Run runs the program from its first instruction until it returns.
func (m *Machine) Run(p *ir.Program) error {
	_, err := m.RunFrom(p, "")
	return err
}

// RunFrom runs the program from a label, or from its first instruction, until
// it returns or Stop says so, and gives back the label where it stopped.
func (m *Machine) RunFrom(p *ir.Program, from string) (stopped string, err error) {
	labels := map[string]int{"": 0}
	for n, i := range p.Code {
		if i.Form == nil {
			labels[i.Label] = n + 1
		}
	}
	pc, ok := labels[from]
	if !ok {
		return "", fmt.Errorf("%s: no label %s", p.Name, from)
	}
	for ; ; pc++ {
		if pc >= len(p.Code) {
			return "", fmt.Errorf("%s: control runs off the end", p.Name)
		}
		i := p.Code[pc]
		if i.Form == nil {
			if m.Stop != nil && m.Stop(i.Label) {
				return i.Label, nil
			}
			continue
		}
		if m.Steps++; m.Steps > m.MaxSteps {
			return "", &Fault{p, pc, fmt.Errorf("more than %d instructions", m.MaxSteps)}
		}
		if m.Trace != nil {
			m.Trace(pc)
		}
		jump, err := m.Step(i)
		if err == nil && m.After != nil {
			err = m.After(i)
		}
		if err != nil {
			return "", &Fault{p, pc, err}
		}
		if i.Form.Flow == ir.Return {
			return "", nil
		}
		if jump {
			label := target(i)
			to, ok := labels[label]
			if !ok {
				return "", &Fault{p, pc, fmt.Errorf("no label %s", label)}
			}
			pc = to - 2 // the label itself comes next
		}
	}
}

func target(i ir.Inst) string {
	for _, a := range i.Args {
		if a.Kind == ir.Target {
			return a.Label
		}
	}
	return ""
}

// Step runs one instruction and reports whether it jumps to its label.
func (m *Machine) Step(i ir.Inst) (jump bool, err error) {
	d, f := m.Domain, i.Form
	in := ir.In{D: d, Op: make([]value.Value, len(i.Args)), Imm: make([]int64, len(i.Args)), Lane: make([]int, len(i.Args))}
	addrs := make([]uint64, len(i.Args))
	for n, a := range i.Args {
		in.Lane[n] = a.Lane
		switch a.Kind {
		case ir.Immediate:
			in.Imm[n] = a.Imm
		case ir.Register:
			if f.Slots[n].Access&ir.Read != 0 {
				in.Op[n] = d.Slice(m.Reg(a.Reg), 0, a.Width)
			}
		case ir.Memory:
			if a.Width == 0 { // lea and its like only compute
				if in.Op[n], err = m.effective(a.Mem); err != nil {
					return false, err
				}
				continue
			}
			if addrs[n], err = m.address(a.Mem); err != nil {
				return false, err
			}
			if f.Slots[n].Access&ir.Read != 0 {
				if in.Op[n], err = m.load(i, addrs[n], a); err != nil {
					return false, err
				}
			}
		}
	}
	for _, r := range f.ImplicitReads {
		in.Impl = append(in.Impl, m.Reg(r))
	}

	out := f.Meaning(in)
	switch f.Flow {
	case ir.Jump:
		return true, nil
	case ir.Return:
		return false, nil
	case ir.Branch:
		k, ok := d.Known(out[0])
		if !ok {
			if m.Decide == nil {
				return false, fmt.Errorf("branch on an unknown value")
			}
			return m.Decide(i, out[0])
		}
		return k[0]&1 == 1, nil
	}
	for n, a := range i.Args {
		if f.Slots[n].Access&ir.Write == 0 {
			continue
		}
		v := out[0]
		out = out[1:]
		switch {
		case a.Kind == ir.Memory:
			err = m.store(i, addrs[n], a, v)
		case a.Masked():
			err = m.writeMasked(i, a, v)
		default:
			m.SetReg(a.Reg, v)
		}
		if err != nil {
			return false, err
		}
	}
	for _, a := range i.Args {
		if a.Kind != ir.Memory {
			continue
		}
		step := a.Mem.Step
		if a.Mem.Pre {
			step = a.Mem.Disp
		}
		if step != 0 {
			m.SetReg(a.Mem.Base, d.Add(m.Reg(a.Mem.Base), d.Const(64, uint64(step))))
		}
	}
	for n, r := range f.ImplicitWrites {
		m.SetReg(r, out[n])
	}
	return false, nil
}

// address returns the address of a memory operand, which must be known.
func (m *Machine) address(mem ir.Mem) (uint64, error) {
	addr := uint64(mem.Disp)
	if mem.Symbol != "" {
		base, ok := m.Symbols[mem.Symbol]
		if !ok {
			return 0, fmt.Errorf("no datum %s", mem.Symbol)
		}
		addr += base
	}
	for _, t := range []struct {
		r     ir.Reg
		scale int
	}{{mem.Base, 1}, {mem.Index, mem.Scale}} {
		if t.r.Bank == nil {
			continue
		}
		k, ok := m.Domain.Known(m.Reg(t.r))
		if !ok {
			return 0, fmt.Errorf("address from the unknown value of %v", t.r)
		}
		addr += k[0] * uint64(t.scale)
	}
	return addr, nil
}

// effective returns the address of an operand that is not accessed; it may be
// an unknown number plus a displacement.
func (m *Machine) effective(mem ir.Mem) (value.Value, error) {
	if mem.Base.Bank != nil && mem.Index.Bank == nil {
		return m.Domain.Add(m.Reg(mem.Base), m.Domain.Const(64, uint64(mem.Disp))), nil
	}
	addr, err := m.address(mem)
	return m.Domain.Const(64, addr), err
}

// mask returns the bits of the operand's mask, which must be known.
func (m *Machine) mask(a ir.Operand) (uint64, error) {
	k, ok := m.Domain.Known(m.Reg(a.Mask))
	if !ok {
		return 0, fmt.Errorf("unknown mask in %v", a.Mask)
	}
	return k[0], nil
}

// load reads a memory operand. Under a mask, on either operand, it touches
// only the elements whose bit is set, or that of any of their copies in a wider
// register, and returns zeros for the others.
func (m *Machine) load(i ir.Inst, addr uint64, a ir.Operand) (value.Value, error) {
	by := a
	for _, o := range i.Args {
		if o.Masked() {
			by = o
		}
	}
	if !by.Masked() {
		return m.Memory.Load(addr, a.Width/8)
	}
	k, err := m.mask(by)
	if err != nil {
		return nil, err
	}
	size := i.Form.Element
	parts := make([]value.Value, a.Width/size)
	for e := range parts {
		wanted := false
		for c := e; c < by.Width/size; c += len(parts) {
			wanted = wanted || k>>c&1 == 1
		}
		if !wanted {
			parts[e] = m.Domain.Const(size)
			continue
		}
		if parts[e], err = m.Memory.Load(addr+uint64(e*size/8), size/8); err != nil {
			return nil, err
		}
	}
	return m.Domain.Concat(parts...), nil
}

func (m *Machine) store(i ir.Inst, addr uint64, a ir.Operand, v value.Value) error {
	if !a.Masked() {
		return m.Memory.Store(addr, v)
	}
	k, err := m.mask(a)
	if err != nil {
		return err
	}
	size := i.Form.Element
	for e := range v.Width() / size {
		if k>>e&1 == 1 {
			if err := m.Memory.Store(addr+uint64(e*size/8), m.Domain.Slice(v, e*size, size)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeMasked writes the elements of a register whose mask bit is set.
func (m *Machine) writeMasked(i ir.Inst, a ir.Operand, v value.Value) error {
	k, err := m.mask(a)
	if err != nil {
		return err
	}
	old, size := m.Reg(a.Reg), i.Form.Element
	parts := make([]value.Value, a.Width/size)
	for e := range parts {
		switch {
		case k>>e&1 == 1:
			parts[e] = m.Domain.Slice(v, e*size, size)
		case a.Zero:
			parts[e] = m.Domain.Const(size)
		default:
			parts[e] = m.Domain.Slice(old, e*size, size)
		}
	}
	m.SetReg(a.Reg, m.Domain.Concat(parts...))
	return nil
}
