// SPDX-License-Identifier: ISC

package objects

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A want is one instruction that an object must hold, from a program.
type want struct {
	index  int    // in the program, labels apart
	origin string // as in the program
	source string // text in GNU syntax
	text   string // normalised, with @ where a target is
	label  string // where it jumps
	always bool   // it jumps whatever the flags are
	symbol string // the constant that it addresses
	offset uint64 // bytes into the constant
}

// A listing is all that one function must hold.
type listing struct {
	program *ir.Program
	wants   []want
	labels  map[string]int // index of the want behind each label
	// goFlavour allows what Go's assembler does: a jump to a jump goes where
	// that one does, and constants have its own alignment.
	goFlavour bool
}

// reaches reports whether a jump to a label may go to want n.
func (l *listing) reaches(label string, n int) bool {
	for range l.labels { // jumps may go round in a circle
		to := l.labels[label]
		if to == n {
			return true
		}
		if !l.goFlavour || to >= len(l.wants) || !l.wants[to].always {
			return false
		}
		label = l.wants[to].label
	}
	return false
}

// sizes are the names of operand sizes, in bits, in Intel syntax.
var sizes = map[int]string{8: "BYTE", 16: "WORD", 32: "DWORD", 64: "QWORD", 128: "XMMWORD", 256: "YMMWORD", 512: "ZMMWORD"}

// add appends an instruction.
func (l *listing) add(i ir.Inst, index int) {
	w := want{index: index, origin: i.Origin, source: emit.Instruction(i, l.program), always: i.Form.Flow == ir.Jump}
	var args []string
	for _, a := range i.Args {
		s := l.program.ISA.Text(a, l.program)
		switch {
		case a.Kind == ir.Target:
			w.label, s = a.Label, "@"
		case a.Kind == ir.Memory && a.Mem.Symbol != "":
			w.symbol, w.offset = a.Mem.Symbol, uint64(a.Mem.Disp)
			s = bracketed.ReplaceAllString(s, "[@]")
		}
		if a.Kind == ir.Memory && l.program.ISA.Name == "amd64" {
			switch {
			case a.Width != 0:
				s = sizes[a.Width] + " PTR " + s
			case i.Form.Hint:
				s = sizes[8] + " PTR " + s
			}
		}
		args = append(args, s)
	}
	w.text = normal(l.program.ISA.Name, i.Form.Mnemonic+" "+strings.Join(args, ", "))
	l.wants = append(l.wants, w)
}

var bracketed = regexp.MustCompile(`\[[^\]]*\]`)

// forC lists what the C flavour of a program holds.
func forC(p *ir.Program) *listing {
	l := &listing{program: p, labels: map[string]int{}}
	for _, i := range p.Code {
		if i.Form == nil {
			l.labels[i.Label] = len(l.wants)
		} else {
			l.add(i, len(l.wants))
		}
	}
	return l
}

// forGo lists what the Go flavour of a program holds, as ForGo makes it, where FP
// is base bytes above the stack pointer.
func forGo(p *ir.Program, base int64) *listing {
	q := *p
	q.Code = slices.Clone(p.Code)
	for n := range q.Code {
		args := slices.Clone(q.Code[n].Args)
		for k := range args {
			if m := &args[k].Mem; m.Base == ir.FP {
				m.Base, m.Disp = p.ISA.Call.SP, m.Disp+base
			}
		}
		q.Code[n].Args = args
	}
	l := forC(&q)
	l.goFlavour = true
	return l
}

// maxReports bounds the differences reported of one function.
const maxReports = 3

// compare returns the differences between a function's code and its listing.
// Code that the toolchain adds, as skipped tells, counts as part of what
// comes behind it.
func compare(m *image, code []instruction, l *listing, skipped []bool) error {
	var errs []error
	report := func(w want, format string, args ...any) {
		c := l.program.Contract
		errs = append(errs, fmt.Errorf("kernel %s, %s_%d, instruction %d (%s): the program has %q, %s",
			c.Kernel, c.Op, c.Bits, w.index, w.origin, w.source, fmt.Sprintf(format, args...)))
	}
	at := map[uint64]int{} // which want each address is
	var body []instruction
	for n, i := range code {
		at[i.addr] = len(body)
		if skipped == nil || !skipped[n] {
			body = append(body, i)
		}
	}
	for n, w := range l.wants {
		if n >= len(body) {
			report(w, "the object ends")
			break
		}
		if body[n].text != w.text {
			report(w, "the object %q", body[n].raw)
		}
		if len(errs) == maxReports {
			break
		}
	}
	if errs != nil { // what follows would only repeat it
		return errors.Join(errs...)
	}
	if len(body) > len(l.wants) {
		report(l.wants[len(l.wants)-1], "behind which the object goes on with %q", body[len(l.wants)].raw)
	}
	for n, w := range l.wants {
		if len(errs) == maxReports {
			break
		}
		if w.label != "" {
			if to, ok := at[body[n].target]; !ok || !l.reaches(w.label, to) {
				report(w, "which is a jump to instruction %d of the object, but %q goes to %d", l.labels[w.label], body[n].raw, to)
			}
		}
		if w.symbol != "" {
			if flaw := m.holds(body[n].target-w.offset, w.symbol, l); flaw != "" {
				report(w, "the object %q, where constant %s %s", body[n].raw, w.symbol, flaw)
			}
		}
	}
	return errors.Join(errs...)
}

// holds says what is wrong with a constant that ought to be at an address.
func (m *image) holds(at uint64, symbol string, l *listing) string {
	d, ok := l.program.Find(symbol)
	switch {
	case !ok || !bytes.Equal(m.constant(at, len(d.Bytes)), d.Bytes):
		return "is not"
	case !l.goFlavour && at%uint64(d.Align) != 0:
		return fmt.Sprintf("is not on a boundary of %d bytes", d.Align)
	}
	return ""
}

// What Go's assembler adds to functions that use the stack: at the beginning
// and right before each return.
var (
	goEntry = regexp.MustCompile(`^(str x30,\[sp,#-\d+\]!|str x29,\[sp,#-8\]|sub x29,sp,#8|push rbp|mov rbp,rsp|sub rsp,\d+|add rsp,-\d+)$`)
	goExit  = regexp.MustCompile(`^(add x29,sp,#\d+|add sp,sp,#\d+|ldr x30,\[sp\],#\d+|ldr x29,\[sp,#-8\]|pop rbp|add rsp,\d+|sub rsp,-\d+)$`)
	goTakes = regexp.MustCompile(`^(?:str x30,\[sp,#-(\d+)\]!|sub rsp,(\d+)|add rsp,-(\d+))$`)
	padding = regexp.MustCompile(`^(int3|nop|udf #0|data16|cs nop|xchg ax,ax)`)
)

// compareGo returns the differences between a function's code in a Go program
// and its program for Go.
func compareGo(m *image, code []instruction, p *ir.Program) error {
	for len(code) > 0 && padding.MatchString(code[len(code)-1].text) {
		code = code[:len(code)-1]
	}
	skipped := make([]bool, len(code))
	base := int64(8) // behind the return address, or where arm64 saves it
	entry := 0
	for entry < len(code) && goEntry.MatchString(code[entry].text) {
		if f := goTakes.FindStringSubmatch(code[entry].text); f != nil {
			n, _ := strconv.ParseInt(f[1]+f[2]+f[3], 10, 64)
			base += n
		} else if code[entry].mnemonic() == "push" {
			base += 8
		}
		skipped[entry] = true
		entry++
	}
	for n := range code {
		for b := n - 1; code[n].mnemonic() == "ret" && b >= entry && goExit.MatchString(code[b].text); b-- {
			skipped[b] = true
		}
	}
	return compare(m, code, forGo(p, base), skipped)
}
