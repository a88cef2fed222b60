// SPDX-License-Identifier: ISC

package objects

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// A flavour is an object of any format, as far as formats agree.
type flavour struct {
	code, constants []byte
	symbols         []symbol
	uses            []use
	others          []string // relocations of code that are no such use
	writable        []string // sections with something in them that can be written
}

// A symbol is a name that other files of a program see.
type symbol struct {
	name    string // without the underscore that Mach-O puts before it
	defined bool
	at      uint64 // bytes into the code
	hidden  bool   // from other libraries, as far as the format can say so
}

// A use is four bytes of an instruction that the linker puts the distance to a
// constant in: target + where the constants are - where those bytes are.
type use struct {
	at     uint64 // bytes into the code
	target int64
}

// readELF reads an object of ELF.
func readELF(name string) (*flavour, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := &flavour{}
	for _, s := range f.Sections {
		switch {
		case s.Name == ".text":
			o.code, err = s.Data()
		case s.Name == ".rodata":
			o.constants, err = s.Data()
		case s.Size > 0 && s.Flags&elf.SHF_WRITE != 0:
			o.writable = append(o.writable, s.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			o.symbols = append(o.symbols, symbol{s.Name, s.Section != elf.SHN_UNDEF, s.Value, elf.ST_VISIBILITY(s.Other) == elf.STV_HIDDEN})
		}
	}
	relocations := f.Section(".rela.text")
	if relocations == nil {
		return o, nil
	}
	data, err := relocations.Data()
	for ; len(data) >= 24; data = data[24:] {
		r := elf.Rela64{Off: f.ByteOrder.Uint64(data), Info: f.ByteOrder.Uint64(data[8:]), Addend: int64(f.ByteOrder.Uint64(data[16:]))}
		to := symbols[elf.R_SYM64(r.Info)-1]
		if elf.R_X86_64(elf.R_TYPE64(r.Info)) != elf.R_X86_64_PC32 || elf.ST_TYPE(to.Info) != elf.STT_SECTION ||
			f.Sections[to.Section].Name != ".rodata" {
			o.others = append(o.others, fmt.Sprintf("%+v", r))
			continue
		}
		o.uses = append(o.uses, use{r.Off, r.Addend})
	}
	return o, err
}

// readMachO reads an object of Mach-O.
func readMachO(name string) (*flavour, error) {
	f, err := macho.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := &flavour{}
	var text, constants *macho.Section
	for _, s := range f.Sections {
		switch {
		case s.Seg == "__TEXT" && s.Name == "__text":
			text = s
			o.code, err = s.Data()
		case s.Seg == "__TEXT" && s.Name == "__const":
			constants = s
			o.constants, err = s.Data()
		case s.Size > 0 && s.Seg != "__TEXT" && s.Seg != "__LD":
			o.writable = append(o.writable, s.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, s := range f.Symtab.Syms {
		const ext, private, section = 0x01, 0x10, 0x0e // of n_type
		if s.Type&ext != 0 {
			bare, ok := strings.CutPrefix(s.Name, "_")
			if !ok {
				return nil, fmt.Errorf("symbol %s without an underscore", s.Name)
			}
			o.symbols = append(o.symbols, symbol{bare, s.Type&section == section, s.Value, s.Type&private != 0})
		}
	}
	for _, r := range text.Relocs {
		// The field is the distance between the addresses in the object.
		field := int64(int32(binary.LittleEndian.Uint32(o.code[r.Addr:])))
		signed := []macho.RelocTypeX86_64{macho.X86_64_RELOC_SIGNED, macho.X86_64_RELOC_SIGNED_1}
		if f.Cpu != macho.CpuAmd64 || !slices.Contains(signed, macho.RelocTypeX86_64(r.Type)) || r.Extern || f.Sections[r.Value-1] != constants {
			o.others = append(o.others, fmt.Sprintf("%+v", r))
			continue
		}
		o.uses = append(o.uses, use{uint64(r.Addr), field + int64(text.Addr) + int64(r.Addr) - int64(constants.Addr)})
	}
	slices.SortFunc(o.uses, func(a, b use) int { return cmp.Compare(a.at, b.at) })
	return o, nil
}

// readPE reads an object of PE/COFF.
func readPE(name string) (*flavour, error) {
	f, err := pe.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := &flavour{}
	var text *pe.Section
	constants := 0 // the section's number, from 1
	for n, s := range f.Sections {
		switch {
		case s.Name == ".text":
			text = s
			o.code, err = s.Data()
		case s.Name == ".rdata" && s.Characteristics&(pe.IMAGE_SCN_MEM_WRITE|pe.IMAGE_SCN_MEM_EXECUTE) == 0:
			constants = n + 1
			o.constants, err = s.Data()
		case s.Size > 0 && s.Characteristics&pe.IMAGE_SCN_MEM_WRITE != 0:
			o.writable = append(o.writable, s.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, s := range f.Symbols {
		if s.StorageClass == 2 { // external; there is no hiding
			o.symbols = append(o.symbols, symbol{s.Name, s.SectionNumber > 0, uint64(s.Value), true})
		}
	}
	for _, r := range text.Relocs {
		to := f.COFFSymbols[r.SymbolTableIndex]
		const rel32, rel32_1 = 4, 5 // of the machine amd64
		if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || r.Type != rel32 && r.Type != rel32_1 || int(to.SectionNumber) != constants {
			o.others = append(o.others, fmt.Sprintf("%+v", r))
			continue
		}
		field := int64(int32(binary.LittleEndian.Uint32(o.code[r.VirtualAddress:])))
		o.uses = append(o.uses, use{uint64(r.VirtualAddress), field + int64(to.Value) - 4 - int64(r.Type-rel32)})
	}
	return o, nil
}

// A format is one of objects, with a target of clang for it on each architecture.
type format struct {
	name   string
	target map[string]string
	read   func(name string) (*flavour, error)
}

var formats = []format{
	{"ELF", map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}, readELF},
	{"ELF of FreeBSD", map[string]string{"amd64": "x86_64-unknown-freebsd", "arm64": "aarch64-unknown-freebsd"}, readELF},
	{"Mach-O", map[string]string{"amd64": "x86_64-apple-macos11", "arm64": "arm64-apple-macos11"}, readMachO},
	{"PE/COFF", map[string]string{"amd64": "x86_64-pc-windows-gnu", "arm64": "aarch64-pc-windows-gnu"}, readPE},
	{"PE/COFF of MSVC", map[string]string{"amd64": "x86_64-pc-windows-msvc", "arm64": "aarch64-pc-windows-msvc"}, readPE},
}

// compile makes an object of each format from a C or assembly file with clang,
// which needs none of the systems' headers for that.
func (f format) compile(t *testing.T, arch, file string) (*flavour, error) {
	t.Helper()
	cc := clang(&ir.Program{ISA: &ir.ISA{Name: arch}})
	if cc == nil {
		t.Skip("no clang")
	}
	return f.read(assemble(t, []string{cc[0], "--target=" + f.target[arch], "-ffreestanding", "-O2"}, file))
}

// functions returns the bytes of each function, whose sizes come from an object of ELF,
// with zeros for what the linker changes.
func (o *flavour) functions(size map[string][]byte) map[string][]byte {
	code := bytes.Clone(o.code)
	for _, u := range o.uses {
		clear(code[u.at:][:4])
	}
	found := map[string][]byte{}
	for _, s := range o.symbols {
		if s.defined {
			found[s.name] = code[s.at:min(s.at+uint64(len(size[s.name])), uint64(len(code)))]
		}
	}
	return found
}

// differ returns what an object has that one of ELF has not, and the other way
// round.
func differ(o, model *flavour, size map[string][]byte) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	have, want := o.functions(size), model.functions(size)
	for name, code := range want {
		if !bytes.Equal(have[name], code) {
			fail("the code of %s differs", name)
		}
	}
	for _, s := range o.symbols {
		if want[s.name] == nil {
			fail("symbol %s is not expected", s.name)
		}
		if !s.hidden {
			fail("symbol %s is not hidden", s.name)
		}
	}
	if n := len(model.constants); len(o.constants) < n || !bytes.Equal(o.constants[:n], model.constants) {
		fail("the constants differ")
	}
	if len(o.others) > 0 {
		fail("code has relocations such as %s", o.others[0])
	}
	if !slices.Equal(o.uses, model.uses) {
		fail("other constants are used: %d times, not %d", len(o.uses), len(model.uses))
	}
	for _, s := range o.writable {
		fail("section %s can be written", s)
	}
	return errors.Join(errs...)
}

// TestFormats assembles every kernel for every format, and wants the very bytes
// that clang makes for ELF, which TestClang compares with the program.
func TestFormats(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, _ string) {
		file, arch := source("cshim", ps[0])+".S", ps[0].ISA.Name
		if clang(ps[0]) == nil {
			t.Skip("no clang")
		}
		size := functionBytes(t, assemble(t, clang(ps[0]), file))
		if len(size) != len(ps) {
			t.Fatalf("%d functions, want %d", len(size), len(ps))
		}
		model, err := formats[0].compile(t, arch, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range formats {
			o, err := f.compile(t, arch, file)
			if err == nil {
				err = differ(o, model, size)
			}
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
		t.Logf("%d functions, %d uses of constants in %d formats", len(ps), len(model.uses), len(formats))
	})
}

// TestFormatsMinGW does so with the assembler of MinGW, where there is one, for
// which gcc's is the model.
func TestFormatsMinGW(t *testing.T) {
	const cc = "x86_64-w64-mingw32-gcc"
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("no MinGW")
	}
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, gcc string) {
		if ps[0].ISA.Name != "amd64" {
			t.Skip("another architecture's")
		}
		file := source("cshim", ps[0]) + ".S"
		elfObject := assemble(t, []string{gcc}, file)
		model, err := readELF(elfObject)
		if err != nil {
			t.Fatal(err)
		}
		o, err := readPE(assemble(t, []string{cc}, file))
		if err == nil {
			err = differ(o, model, functionBytes(t, elfObject))
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// TestShimFormats compiles the shim for every format. It offers the linker
// nothing but its three functions, hidden from other libraries, and asks for
// nothing but kernels.
func TestShimFormats(t *testing.T) {
	for _, f := range formats {
		for arch := range f.target {
			o, err := f.compile(t, arch, filepath.Join(root, "cshim", "shim.c"))
			if err != nil {
				t.Fatal(err)
			}
			var offered []string
			for _, s := range o.symbols {
				name, ours := strings.CutPrefix(s.name, emit.Prefix)
				switch {
				case s.name == "_fltused" && strings.HasPrefix(f.name, "PE"): // asked for by code with vectors
				case !ours:
					t.Errorf("%s, %s: symbol %s is not expected", f.name, arch, s.name)
				case s.defined:
					offered = append(offered, name)
					if !s.hidden {
						t.Errorf("%s, %s: symbol %s is not hidden", f.name, arch, s.name)
					}
				}
			}
			slices.Sort(offered)
			if want := []string{"init", "open", "seal"}; !slices.Equal(offered, want) {
				t.Errorf("%s, %s: the shim offers %q, want %q", f.name, arch, offered, want)
			}
		}
	}
}

// TestFormatsPlanted plants flaws in one format and sees each reported.
func TestFormatsPlanted(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, _ string) {
		gnu, err := emit.GNU(ps)
		if err != nil {
			t.Fatal(err)
		}
		if clang(ps[0]) == nil {
			t.Skip("no clang")
		}
		header, arch := string(emit.Symbols()), ps[0].ISA.Name
		file := source("cshim", ps[0]) + ".S"
		size := functionBytes(t, assemble(t, clang(ps[0]), file))
		model, err := formats[0].compile(t, arch, file)
		if err != nil {
			t.Fatal(err)
		}
		apple, windows := formats[2], formats[3]
		function := "\tfunction STITCHGCM_SYMBOL(" + ps[0].Name + ")\n"
		for _, flaw := range []struct {
			format           format
			old, new, report string
		}{
			{apple, "\t.private_extern _\\symbol\n", "", "symbol " + emit.Prefix + ps[0].Name + " is not hidden"},
			{apple, function, function + "#ifdef __APPLE__\n\tret\n#endif\n", "the code of " + emit.Prefix + ps[0].Name + " differs"},
			{windows, function, function + "#ifdef _WIN32\n\tret\n#endif\n", "the code of " + emit.Prefix + ps[0].Name + " differs"},
			{apple, function, "\t.globl _planted\n_planted:\n" + function, "symbol planted is not expected"},
			{windows, function, "\t.globl planted\nplanted:\n" + function, "symbol planted is not expected"},
			{apple, "\tconstants\n", "\t.data\n\t.byte 1\n\tconstants\n", "section __data can be written"},
			{windows, "\tconstants\n", "\t.data\n\t.byte 1\n\tconstants\n", "section .data can be written"},
			{apple, "\n\tconstants\n", "\n\tconstants\n#ifdef __APPLE__\n\t.balign 64\n\t.space 64\n#endif\n", "the constants differ"},
			{windows, "\n\tconstants\n", "\n\tconstants\n#ifdef _WIN32\n\t.balign 64\n\t.space 64\n#endif\n", "other constants are used"},
		} {
			if len(model.constants) == 0 && strings.Contains(flaw.report, "constants") {
				continue
			}
			dir := t.TempDir()
			for name, text := range map[string]string{"symbols.h": header, "planted.S": string(gnu)} {
				text = strings.Replace(text, flaw.old, flaw.new, 1)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			o, err := flaw.format.compile(t, arch, filepath.Join(dir, "planted.S"))
			if err != nil {
				t.Fatal(err)
			}
			if err := differ(o, model, size); err == nil || !strings.Contains(err.Error(), flaw.report) {
				t.Errorf("%s with %q instead of %q: reported %v, want %q", flaw.format.name, flaw.new, flaw.old, err, flaw.report)
			}
		}
	})
}
