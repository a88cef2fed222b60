// SPDX-License-Identifier: ISC

package objects

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// hygiene returns what makes an object unfit for linking into any program.
func hygiene(t *testing.T, cc string, ps []*ir.Program, object string) (errs []error) {
	t.Helper()
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("kernel %s: "+format, append([]any{ps[0].Contract.Kernel}, args...)...))
	}
	f := open(t, object)
	if s := f.Section(".note.GNU-stack"); s == nil || s.Flags&elf.SHF_EXECINSTR != 0 {
		fail("nothing says that the stack is not executable")
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_WRITE != 0 && (s.Flags&elf.SHF_EXECINSTR != 0 || s.Size > 0) {
			fail("section %s can be written", s.Name)
		}
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Name != ".text" {
			fail("code in section %s", s.Name)
		}
	}

	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]bool{}
	for _, p := range ps {
		functions[emit.Prefix+p.Name] = true
	}
	for _, s := range symbols {
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			continue
		}
		switch {
		case !functions[s.Name]:
			fail("symbol %s is not expected", s.Name)
		case elf.ST_VISIBILITY(s.Other) != elf.STV_HIDDEN:
			fail("symbol %s is not hidden", s.Name)
		case elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0:
			fail("symbol %s is no function with a size", s.Name)
		}
		delete(functions, s.Name)
	}
	for name := range functions {
		fail("no symbol %s", name)
	}

	want := targets[ps[0].ISA.Name].properties
	if notes := run(t, binutil(t, cc, "readelf"), "-nW", object); !strings.Contains(notes, want) {
		fail("no property %q", want)
	}
	return append(errs, shared(t, cc, ps[0], object)...)
}

// shared links a shared library from the object alone: the linker refuses
// relocations of code and undefined symbols. The library must keep the
// object's properties, need no relocation at all and offer no symbol.
func shared(t *testing.T, cc string, p *ir.Program, object string) (errs []error) {
	t.Helper()
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("kernel %s: "+format, append([]any{p.Contract.Kernel}, args...)...))
	}
	library := filepath.Join(t.TempDir(), "kernel.so")
	out, err := exec.Command(cc, "-shared", "-nostdlib", "-Wl,-z,text,-z,defs", "-o", library, object).CombinedOutput()
	if err != nil {
		fail("no shared library: %v\n%s", err, out)
		return errs
	}
	f := open(t, library)
	if symbols, err := f.DynamicSymbols(); err == nil && len(symbols) > 0 {
		fail("symbol %s is visible in a shared library", symbols[0].Name)
	}
	for _, s := range f.Sections {
		if (s.Type == elf.SHT_RELA || s.Type == elf.SHT_REL) && s.Size > 0 {
			fail("relocations in %s of a shared library", s.Name)
		}
	}
	for _, s := range f.Progs {
		if s.Type == elf.PT_GNU_STACK && s.Flags&elf.PF_X != 0 {
			fail("executable stack in a shared library")
		}
	}
	return errs
}

// TestHygiene plants flaws in a kernel's source and sees each reported.
func TestHygiene(t *testing.T) {
	absolute := map[string]string{"amd64": ".quad", "arm64": ".xword"}
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, cc string) {
		text, err := emit.GNU(ps)
		if err != nil {
			t.Fatal(err)
		}
		// The first function without the header's macro, so that flaws are its alone.
		name, macro := emit.Prefix+ps[0].Name, "\tfunction STITCHGCM_SYMBOL("+ps[0].Name+")\n"
		gnu := strings.Replace(string(text), macro, fmt.Sprintf("\t.balign 64\n\t.globl %[1]s\n\t.hidden %[1]s\n\t.type %[1]s, %%function\n%[1]s:\n", name), 1)
		for _, flaw := range []struct{ old, new, report string }{
			{".note.GNU-stack, \"\"", ".note.GNU-stack, \"x\"", "nothing says that the stack is not executable"},
			{"\t.section .note.GNU-stack, \"\", %progbits\n", "", "nothing says that the stack is not executable"},
			{".hidden " + name + "\n", "\n", "is visible in a shared library"},
			{".hidden " + name + "\n", "\n", "is not hidden"},
			{".globl " + name + "\n", "\n", "no symbol " + name},
			{".globl " + name + "\n", ".globl " + name + ", planted\nplanted:\n", "symbol planted is not expected"},
			{".type " + name + ",", ".type other,", "is no function"},
			{ps[0].ISA.Notes, "", "no property"},
			{"\t.balign 64\n\t.globl " + name, absolute[ps[0].ISA.Name] + " " + name + "\n\t.balign 64\n\t.globl " + name, "no shared library"},
			{"\n\t.text\n", "\n\t.section .planted, \"awx\"\n\t.byte 0\n\t.text\n", "section .planted can be written"},
		} {
			planted := strings.Replace(gnu, flaw.old, flaw.new, 1)
			if planted == gnu {
				t.Fatalf("no %q in the source", flaw.old)
			}
			file := filepath.Join(t.TempDir(), "planted.S")
			if err := os.WriteFile(file, []byte(planted), 0o666); err != nil {
				t.Fatal(err)
			}
			errs := fmt.Sprint(hygiene(t, cc, ps, assemble(t, []string{cc, "-I", filepath.Join(root, "cshim")}, file)))
			if !strings.Contains(errs, flaw.report) {
				t.Errorf("with %q instead of %q: reported %s, want %q", flaw.new, flaw.old, errs, flaw.report)
			}
		}
	})
}
