// SPDX-License-Identifier: ISC

package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/emit"
)

// A flavour is a format of object files, as far as the text of assembly shows it.
type flavour struct {
	name     string
	tags     string // for go build
	local    string // how names begin that do not leave the file
	symbol   string // how other names begin in assembly
	sections map[string]string
}

var flavours = []flavour{
	{"elf", "!darwin && !windows", ".L", "", map[string]string{code: ".text", constants: ".section .rodata"}},
	{"macho", "darwin", "L", "_", map[string]string{code: ".text", constants: ".section __TEXT,__const"}},
}

// Tag is the build tag under which foreign kernels run.
const Tag = "stitchgcm_foreign"

// prefix begins the symbols of a kernel.
func (m *Manifest) prefix() string { return emit.Prefix + "foreign_" + m.Name + "_" }

// print returns what is kept of a file, in a flavour.
func (f flavour) print(m *Manifest, s *source) []byte {
	var w strings.Builder
	fmt.Fprintf(&w, "// Code generated from %s of %s; DO NOT EDIT.\n// LICENSES/%s holds its licence.\n\n", s.name, m.Name, m.licenceName())
	fmt.Fprintf(&w, "//go:build %s && cgo && %s && %s\n", Tag, f.tags, m.Architecture)
	section := ""
	for _, i := range s.items {
		if !i.kept {
			continue
		}
		if !i.setting {
			if i.section != section {
				section = i.section
				fmt.Fprintf(&w, "\n\t%s\n", f.sections[section])
			}
			fmt.Fprintf(&w, "\n\t.balign 64\n")
		}
		if i.function != "" {
			f.declare(&w, m, i.function)
		}
		for _, label := range i.labels {
			if i.function == "" && !strings.HasPrefix(label, ".L") {
				f.declare(&w, m, label)
			}
		}
		unwinds := balanced(i.body)
		for _, st := range i.body {
			if strings.HasPrefix(st.text, ".cfi_") && !unwinds {
				continue
			}
			text := f.statement(m, s, st.text)
			if !strings.HasSuffix(text, ":") {
				text = "\t" + text
			}
			fmt.Fprintln(&w, text)
		}
		if i.function != "" && f.name == "elf" {
			name := f.rename(m, i.function)
			fmt.Fprintf(&w, "\t.type %s, %%function\n\t.size %s, . - %s\n", name, name, name)
		}
	}
	if f.name == "elf" {
		fmt.Fprintf(&w, "\n\t.section .note.GNU-stack, \"\", %%progbits\n")
	}
	return []byte(w.String())
}

// declare makes a symbol visible to the other objects of a program and no further.
func (f flavour) declare(w *strings.Builder, m *Manifest, label string) {
	hide := ".hidden"
	if f.name == "macho" {
		hide = ".private_extern"
	}
	fmt.Fprintf(w, "\t.globl %s\n\t%s %s\n", f.rename(m, label), hide, f.rename(m, label))
}

// balanced reports whether a function begins and ends its unwind information.
func balanced(body []statement) bool {
	has := func(text string) bool {
		return slices.ContainsFunc(body, func(s statement) bool { op, _ := operation(s.text); return op == text })
	}
	return has(".cfi_startproc") && has(".cfi_endproc")
}

// rename returns the name of a label in the output.
func (f flavour) rename(m *Manifest, label string) string {
	if local, ok := strings.CutPrefix(label, ".L"); ok {
		return f.local + local
	}
	return f.symbol + m.prefix() + label
}

var (
	lowBits  = regexp.MustCompile(`#?:lo12:([\w.$]+)`)
	page     = regexp.MustCompile(`^(adrp\s+\w+\s*,\s*)(?::pg_hi21:)?([\w.$]+)`)
	alignOne = regexp.MustCompile(`^\.align\s+`)
)

// statement returns a statement with its labels renamed, in the syntax of the
// flavour.
func (f flavour) statement(m *Manifest, s *source, text string) string {
	known := func(w string) bool {
		return s.owner[w] != nil || !strings.HasPrefix(w, ".L") && m.labels[w]
	}
	if label, ok := strings.CutSuffix(text, ":"); ok && s.owner[label] != nil {
		return f.rename(m, label) + ":"
	}
	if f.name == "macho" {
		text = lowBits.ReplaceAllString(text, "${1}@PAGEOFF")
		text = page.ReplaceAllString(text, "${1}${2}@PAGE")
		align := ".p2align "
		if m.Architecture == "amd64" {
			align = ".balign "
		}
		text = alignOne.ReplaceAllString(text, align)
	}
	op, rest := operation(text)
	if f.name == "macho" && strings.HasPrefix(op, ".L") && strings.HasSuffix(op, ":") { // of a macro
		op = f.local + op[2:]
	}
	rest = word.ReplaceAllStringFunc(rest, func(w string) string {
		if known(w) {
			return f.rename(m, w)
		}
		if f.name == "macho" && strings.HasPrefix(w, ".L") { // of a macro
			return f.local + w[2:]
		}
		return w
	})
	return strings.TrimSpace(op + " " + rest)
}
