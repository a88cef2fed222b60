// SPDX-License-Identifier: ISC

// Package ir represents kernels: programs of instructions whose forms,
// reads, writes and meanings come from an instruction set's table. It knows
// no instruction set itself.
package ir

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/value"
)

// A Bank is a file of registers of one width in bits.
type Bank struct {
	Name  string
	Count int
	Width int
}

// A Reg is one register of a bank, at its full width.
type Reg struct {
	Bank *Bank
	Num  int
}

// String returns a name for messages, such as z3.
func (r Reg) String() string {
	if r.Bank == nil {
		return "none"
	}
	return fmt.Sprintf("%s%d", r.Bank.Name, r.Num)
}

// Kind tells what an operand is.
type Kind uint8

// The kinds of operand.
const (
	Register Kind = iota
	Immediate
	Memory
	Target // a label to jump to
)

// A Space names the object a memory operand points into. Operands of
// different spaces never overlap, except that Text covers both the input and
// the output, which are the same bytes or disjoint.
type Space string

// The spaces of GCM kernels.
const (
	KeyBlock Space = "key block"
	Text     Space = "text"
	AAD      Space = "AAD"
	Nonce    Space = "nonce"
	Tag      Space = "tag"
	State    Space = "state"   // what a message is between its parts
	Packets  Space = "packets" // where the messages of a batch lie
	Rodata   Space = "constants"
	Stack    Space = "stack"
	Args     Space = "arguments" // arguments that the ABI passes on the stack
)

// Mem is an address: Base + Index·Scale + Disp, or Symbol + Disp.
type Mem struct {
	Space  Space
	Base   Reg
	Index  Reg // Bank nil if absent
	Scale  int
	Disp   int64
	Symbol string // a datum of the program, addressed relative to the code
	// Step is added to Base after the access (post-index addressing).
	Step int64
	// Pre says that Disp is added to Base before the access, and stays.
	Pre bool
}

// An Operand is what stands at one place of an instruction.
type Operand struct {
	Kind  Kind
	Class string // as the table's forms name it: "z", "r64", "m512", "16b", …
	Width int    // bits of the register view, or of the memory accessed
	Reg   Reg
	Lane  int // for lane operands such as v0.d[1]
	Imm   int64
	Mem   Mem
	Label string

	Mask Reg  // a mask register that limits the write or the access; Bank nil if none
	Zero bool // masked-off elements become zero instead of keeping their value
}

// Masked reports whether a mask register limits the operand.
func (o Operand) Masked() bool { return o.Mask.Bank != nil }

// Access tells how an instruction uses an operand.
type Access uint8

// The ways to use an operand. An immediate or a label is only Read.
const (
	Read  Access = 1
	Write Access = 2
)

// A Slot is one operand place of a form.
type Slot struct {
	Access  Access
	Classes []string
}

// Flow tells where control goes after an instruction.
type Flow uint8

// The kinds of control flow.
const (
	Next   Flow = iota
	Jump        // to the label, always
	Branch      // to the label, where the meaning returns 1
	Return
)

// In is what a meaning works on: the values of the operands that the form
// reads (nil for others), immediates, and the implicit registers read.
type In struct {
	D    value.Domain
	Op   []value.Value
	Imm  []int64
	Impl []value.Value // implicit reads, in the form's order
	// Lane holds the lane number of each lane operand.
	Lane []int
}

// A Form is one row of an instruction table.
type Form struct {
	Mnemonic string
	Slots    []Slot
	// ImplicitReads and ImplicitWrites are registers that the text does not
	// show, such as flags.
	ImplicitReads, ImplicitWrites []Reg
	Flow                          Flow
	Feature                       string // what the processor must have; "" for the baseline
	// Upper is what it must have instead where a vector register from number 16
	// on is used; "" where there is no such coding.
	Upper string
	// Hint says that the instruction changes nothing but times: it neither
	// accesses memory nor faults.
	Hint bool
	// Undefined lists implicit writes whose value no manual promises.
	Undefined []Reg
	// Element is the number of bits that one mask bit governs; 0 where the
	// form takes no mask.
	Element int
	// Masks are applied by the machine: a meaning works on whole registers.
	// Meaning returns the values of the written operands in order, then of
	// ImplicitWrites. For a Branch it returns the condition, one bit.
	Meaning func(in In) []value.Value
}

// Row makes a form from a short description of its operands: an access (r, w
// or rw), a colon and the operand classes that fit, such as "w:z r:z r:z/m512".
func Row(mnemonic, slots, feature string, meaning func(in In) []value.Value) *Form {
	f := &Form{Mnemonic: mnemonic, Feature: feature, Meaning: meaning}
	for _, s := range strings.Fields(slots) {
		access, classes, _ := strings.Cut(s, ":")
		var sl Slot
		if strings.Contains(access, "r") {
			sl.Access |= Read
		}
		if strings.Contains(access, "w") {
			sl.Access |= Write
		}
		sl.Classes = strings.Split(classes, "/")
		f.Slots = append(f.Slots, sl)
	}
	return f
}

// String shows the form as mnemonic and operand classes.
func (f *Form) String() string {
	s := f.Mnemonic
	for _, sl := range f.Slots {
		s += " "
		for i, c := range sl.Classes {
			if i > 0 {
				s += "/"
			}
			s += c
		}
	}
	return s
}

func (f *Form) accepts(args []Operand) bool {
	if len(args) != len(f.Slots) {
		return false
	}
	for i, a := range args {
		if !slices.Contains(f.Slots[i].Classes, a.Class) {
			return false
		}
		if a.Masked() && f.Element == 0 {
			return false
		}
	}
	return true
}

// An ISA is an instruction table with the syntax of its operands.
type ISA struct {
	Name  string // GOARCH
	Forms []*Form
	// Text returns an operand as the GNU assembler reads it.
	Text func(o Operand, p *Program) string
	// Prologue writes what a GNU assembly file needs before its first
	// instruction for the given features.
	Prologue func(w io.Writer, features []string)
	// Notes are the sections at the end of an ELF file, apart from the one
	// that keeps the stack from being executable.
	Notes string

	// GoText returns an instruction of a program for Go as the Go assembler
	// reads it.
	GoText func(i Inst, p *Program) string
	Call   Call
	Banks  []*Bank // all register files

	byMnemonic map[string][]*Form
}

// A Call is the C calling convention of a platform, as far as kernels care.
type Call struct {
	Args   []Reg // registers of the first arguments
	Result Reg
	SP     Reg
	// Stack is where, in bytes from the stack pointer at entry, the further
	// arguments lie.
	Stack int64
	// PreservedBits returns how many of a register's low bits a callee must
	// bring back.
	PreservedBits func(r Reg) int
	// GoKeeps are registers that functions in Go's assembly must not change:
	// those of the runtime, and those that the assembler uses unasked.
	GoKeeps []Reg
	// Load and Store append a move of 64 bits between a general register and
	// memory.
	Load  func(b *Builder, to Reg, from Operand)
	Store func(b *Builder, to Operand, from Reg)
}

// Preserved reports whether a callee must bring back any of r.
func (c Call) Preserved(r Reg) bool { return c.PreservedBits(r) > 0 }

// Find returns the form for a mnemonic with the given operands.
func (isa *ISA) Find(mnemonic string, args []Operand) (*Form, error) {
	if isa.byMnemonic == nil {
		m := make(map[string][]*Form)
		for _, f := range isa.Forms {
			m[f.Mnemonic] = append(m[f.Mnemonic], f)
		}
		isa.byMnemonic = m
	}
	for _, f := range isa.byMnemonic[mnemonic] {
		if f.accepts(args) {
			return f, nil
		}
	}
	var classes []string
	for _, a := range args {
		classes = append(classes, a.Class)
	}
	return nil, fmt.Errorf("%s: no form %s %v in the table", isa.Name, mnemonic, classes)
}

// An Inst is one instruction, or a label where Form is nil.
type Inst struct {
	Form   *Form
	Args   []Operand
	Label  string
	Origin string // where it came from, such as "AES block 4, round 0"
	// Frame marks what only saves, or brings back, registers that the C ABI
	// preserves; a calling convention without such registers omits it.
	Frame bool
	// Instead is what such a convention needs in the place of a Frame
	// instruction.
	Instead []Inst
	// Glue keeps the next instruction of the same stream right behind this
	// one, since processors run some pairs as one (aese and aesmc).
	Glue bool
	// Element says that what is written is a reduced element of GF(2^128), or
	// one in every lane, to which a proof may give a name.
	Element bool
}

// A Datum is a named constant of a program.
type Datum struct {
	Name  string
	Align int
	Bytes []byte
}

// A Program is a kernel function.
type Program struct {
	Name     string // such as vaes_avx512_seal_128
	ISA      *ISA
	Contract *Contract
	Code     []Inst
	Data     []Datum
	Go       bool // for Go's ABI0, as ForGo makes it; else for the C ABI
}

// Find returns the datum of that name.
func (p *Program) Find(name string) (Datum, bool) {
	for _, d := range p.Data {
		if d.Name == name {
			return d, true
		}
	}
	return Datum{}, false
}

// Needs returns the features that the instruction takes of a processor.
func (i Inst) Needs() []string {
	features := i.Form.Feature
	if i.Form.Upper != "" && slices.ContainsFunc(i.Args, func(o Operand) bool { return o.Kind == Register && o.Reg.Num >= 16 }) {
		features = i.Form.Upper
	}
	return strings.FieldsFunc(features, func(r rune) bool { return r == ',' || r == ' ' })
}

// Count returns the number of instructions, labels apart.
func (p *Program) Count() (n int) {
	for _, i := range p.Code {
		if i.Form != nil {
			n++
		}
	}
	return n
}

// Loop returns the loop that begins at a label: the instructions and labels
// behind it, up to the first branch back to it, which comes last. It returns nil
// where there is none.
func (p *Program) Loop(label string) []Inst {
	first := slices.IndexFunc(p.Code, func(i Inst) bool { return i.Form == nil && i.Label == label }) + 1
	if first == 0 {
		return nil
	}
	n := slices.IndexFunc(p.Code[first:], func(i Inst) bool {
		return i.Form != nil && i.Form.Flow == Branch && slices.ContainsFunc(i.Args, func(a Operand) bool { return a.Kind == Target && a.Label == label })
	}) + 1
	if n == 0 {
		return nil
	}
	return p.Code[first : first+n]
}
