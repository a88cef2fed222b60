// SPDX-License-Identifier: ISC

package foreign

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stitchgcm/gcm/internal/emit"
)

// TestOwnKernels imports our own kernels, out of a tree that has conditions round
// each function, and wants the machine code of each function to be the same.
func TestOwnKernels(t *testing.T) {
	for _, c := range []struct{ arch, machine, kernel string }{
		{"arm64", "aarch64", "eor3"}, {"arm64", "aarch64", "pmull"},
		{"amd64", "x86_64", "vaes-avx512"}, {"amd64", "x86_64", "aesni"},
	} {
		if testing.Short() && c.kernel != "eor3" && c.kernel != "aesni" {
			continue
		}
		t.Run(c.kernel, func(t *testing.T) {
			name := strings.ReplaceAll(c.kernel, "-", "_")
			source, err := os.ReadFile(filepath.Join("..", "..", "cshim", name+"_"+c.arch+".S"))
			if err != nil {
				t.Fatal(err)
			}
			function := func(op, bits string) string { return emit.Prefix + name + "_" + op + "_" + bits }
			m := Manifest{
				Name: "own", Architecture: c.arch, InPlaceOf: []string{c.kernel}, Files: []string{"lib/kernel.S"},
				Defines: map[string]string{"HAVE_THIS": "1"}, Htable: function("init", "128"), HashKey: "bytes", Licence: "LICENCE",
				Encrypt: map[string]string{}, Decrypt: map[string]string{},
			}
			for _, bits := range keyBits {
				m.Encrypt[bits], m.Decrypt[bits] = function("seal", bits), function("open", bits)
			}
			manifest, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			tree := fstest.MapFS{"lib/kernel.S": {Data: conditional(flat(source))}, "LICENCE": {}}
			_, files, err := Import(manifest, tree, module)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range files {
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			t.Run("macho", func(t *testing.T) {
				clang, err := exec.LookPath("clang-19")
				if err != nil {
					t.Skip(err)
				}
				target := map[string]string{"arm64": "arm64-apple-macos", "amd64": "x86_64-apple-macos"}[c.arch]
				assemble(t, clang, "-target", target, "-c", "-o", dir+"/macho.o", dir+"/kernel_macho_"+c.arch+".S")
			})
			cc := c.machine + "-linux-gnu-gcc"
			if _, err := exec.LookPath(cc); err != nil {
				t.Skip(err)
			}
			assemble(t, cc, "-c", "-o", dir+"/theirs.o", "../../cshim/"+name+"_"+c.arch+".S")
			assemble(t, cc, "-c", "-o", dir+"/elf.o", dir+"/kernel_elf_"+c.arch+".S")
			theirs, ours := symbols(t, dir+"/theirs.o"), symbols(t, dir+"/elf.o")
			if len(ours) != 7 {
				t.Errorf("%d functions were taken, want 7", len(ours))
			}
			for _, f := range m.functions() {
				want, got := theirs[f], ours[m.prefix()+f]
				if len(want) == 0 || !bytes.Equal(got, want) {
					t.Errorf("%s has %d bytes of other code, want %d", f, len(got), len(want))
				}
			}
		})
	}
}

// flat returns a source of ours without the macros of its header, as they are for
// ELF.
func flat(source []byte) []byte {
	const p = emit.Prefix
	for _, m := range []struct{ macro, text string }{
		{`#include "symbols.h"\n`, ""},
		{`\bL\((\w+)\)`, ".L$1"},
		{`\tconstants\n`, "\t.section .rodata\n"},
		{`\tfunction STITCHGCM_SYMBOL\((\w+)\)`,
			"\t.balign 64\n\t.globl " + p + "$1\n\t.hidden " + p + "$1\n\t.type " + p + "$1, %function\n" + p + "$1:"},
		{`\tend_function STITCHGCM_SYMBOL\((\w+)\)`, "\t.size " + p + "$1, . - " + p + "$1"},
		{`#(ifdef __ELF__|endif)\n`, ""},
	} {
		source = regexp.MustCompile(m.macro).ReplaceAll(source, []byte(m.text))
	}
	return source
}

// conditional returns a source within a condition, with another one at the end of
// each of its functions.
func conditional(source []byte) []byte {
	var w bytes.Buffer
	w.WriteString("#if defined(HAVE_THIS) && HAVE_THIS == 1\n")
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "\t.size ") {
			w.WriteString("#ifdef HAVE_THAT\n\tb elsewhere\n#endif\n")
		}
		w.WriteString(line)
	}
	w.WriteString("#else\n#error without this\n#endif\n")
	return w.Bytes()
}

func assemble(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// symbols returns the code of each function of an object.
func symbols(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string][]byte{}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		data, err := f.Sections[s.Section].Data()
		if err != nil {
			t.Fatal(err)
		}
		code[s.Name] = data[s.Value:][:s.Size]
	}
	return code
}
