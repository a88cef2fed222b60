// SPDX-License-Identifier: ISC

package ir

import "fmt"

// A Builder collects the instructions of a stream or a frame.
type Builder struct {
	ISA    *ISA
	Code   []Inst
	origin string
	frame  bool
}

// Origin sets what the following instructions are for.
func (b *Builder) Origin(format string, args ...any) *Builder {
	b.origin = fmt.Sprintf(format, args...)
	return b
}

// I appends an instruction. It panics if the table has no such form: kernels
// are fixed programs, so that is a mistake in their source.
func (b *Builder) I(mnemonic string, args ...Operand) {
	f, err := b.ISA.Find(mnemonic, args)
	if err != nil {
		panic(err)
	}
	b.Code = append(b.Code, Inst{Form: f, Args: args, Origin: b.origin, Frame: b.frame})
}

// Element marks the last instruction: what it writes is a reduced element of
// GF(2^128) in each 128-bit lane. It says nothing to a processor; it is where
// a proof may begin anew.
func (b *Builder) Element() { b.Code[len(b.Code)-1].Element = true }

// Label appends a label.
func (b *Builder) Label(name string) {
	b.Code = append(b.Code, Inst{Label: name})
}

// Append appends instructions made elsewhere, such as stitched streams.
func (b *Builder) Append(code []Inst) { b.Code = append(b.Code, code...) }

// Frame appends, through f, instructions that only save or bring back
// registers which the C ABI preserves.
func (b *Builder) Frame(f func()) {
	b.frame = true
	f()
	b.frame = false
}

// Instead lets what f appends stand for the last instruction, one of Frame, where
// a calling convention omits that.
func (b *Builder) Instead(f func()) {
	n := len(b.Code)
	frame := b.frame
	b.frame = false
	f()
	b.frame = frame
	b.Code[n-1].Instead = append(b.Code[n-1].Instead, b.Code[n:]...)
	b.Code = b.Code[:n]
}

// To returns a label operand.
func To(label string) Operand { return Operand{Kind: Target, Class: "label", Label: label} }

// Imm returns an immediate operand.
func Imm(x int64) Operand { return Operand{Kind: Immediate, Class: "imm", Imm: x} }
