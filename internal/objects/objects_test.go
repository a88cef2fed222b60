// SPDX-License-Identifier: ISC

package objects

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// onEveryKernel runs a test once for each kernel, with a gcc that can make
// its objects. Short tests, as those under emulation, take the kernels of the
// architecture at hand.
func onEveryKernel(t *testing.T, test func(t *testing.T, ps []*ir.Program, cc string)) {
	for _, ps := range kernels.All() {
		t.Run(ps[0].Contract.Kernel, func(t *testing.T) {
			if testing.Short() && ps[0].ISA.Name != runtime.GOARCH {
				t.Skip("another architecture's")
			}
			test(t, ps, gcc(t, ps[0]))
		})
	}
}

// TestGNU compares what the GNU assembler makes of the C flavour.
func TestGNU(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, cc string) {
		checkObject(t, cc, ps, assemble(t, []string{cc}, source("cshim", ps[0])+".S"))
	})
}

// TestClang compares what clang's assembler makes of the C flavour. It says
// where the code differs byte for byte from the GNU assembler's.
func TestClang(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, cc string) {
		other := clang(ps[0])
		if other == nil {
			t.Skip("no clang")
		}
		file := source("cshim", ps[0]) + ".S"
		object := assemble(t, other, file)
		checkObject(t, cc, ps, object)
		a, b := functionBytes(t, object), functionBytes(t, assemble(t, []string{cc}, file))
		same := 0
		for name := range a {
			if bytes.Equal(a[name], b[name]) {
				same++
			}
		}
		t.Logf("%d functions have the very bytes that gcc makes", same)
	})
}

// functionBytes returns the code of each function of an object.
func functionBytes(t *testing.T, object string) map[string][]byte {
	t.Helper()
	f := open(t, object)
	data, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string][]byte{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			code[s.Name] = data[s.Value:][:s.Size]
		}
	}
	return code
}

// checkObject compares each function of an object with its program, and
// checks the object's form.
func checkObject(t *testing.T, cc string, ps []*ir.Program, object string) {
	t.Helper()
	m := disassemble(t, cc, ps[0].ISA.Name, object, 0, 0)
	total := 0
	inside := map[uint64]bool{}
	for _, p := range ps {
		code, err := m.function(emit.Prefix + p.Name)
		if err == nil {
			err = compare(m, code, forC(p), nil)
		}
		if err != nil {
			t.Error(err)
		}
		checkMnemonics(t, code, ps[0])
		for _, i := range code {
			inside[i.addr] = true
		}
		total += len(code)
	}
	for _, i := range m.code {
		if !inside[i.addr] && !padding.MatchString(i.text) {
			t.Errorf("kernel %s: %q at %#x is outside of every function", ps[0].Contract.Kernel, i.raw, i.addr)
		}
	}
	for _, err := range hygiene(t, cc, ps, object) {
		t.Error(err)
	}
	t.Logf("%d functions, %d instructions compared", len(ps), total)
}

// TestGo compares the Go flavour in a linked program. Both flavours equal the
// program, so they equal each other.
func TestGo(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, ps []*ir.Program, cc string) {
		m := disassembleGo(t, cc, ps)
		total := 0
		for _, p := range ps {
			code, err := m.function(goSymbol(p))
			if err == nil {
				err = compareGo(m, code, p.ForGo())
			}
			if err != nil {
				t.Error(err)
			}
			checkMnemonics(t, code, ps[0])
			total += len(code)
		}
		t.Logf("%d functions, %d instructions compared", len(ps), total)
	})
}

// goSymbol is the name of a program's function in the program of linkGo.
func goSymbol(p *ir.Program) string { return "probe/direct." + emit.GoName(p) + ".abi0" }

// disassembleGo builds the Go flavour and disassembles its functions.
func disassembleGo(t *testing.T, cc string, ps []*ir.Program) *image {
	t.Helper()
	name := linkGo(t, ps)
	symbols, err := open(t, name).Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var from, to uint64
	for _, s := range symbols {
		if slices.ContainsFunc(ps, func(p *ir.Program) bool { return goSymbol(p) == s.Name }) {
			if from == 0 || s.Value < from {
				from = s.Value
			}
			to = max(to, s.Value+s.Size)
		}
	}
	return disassemble(t, cc, ps[0].ISA.Name, name, from, to)
}

// checkMnemonics allows only what the instruction table has, and what Go's
// assembler adds.
func checkMnemonics(t *testing.T, code []instruction, p *ir.Program) {
	t.Helper()
	allowed := map[string]bool{}
	for _, f := range p.ISA.Forms {
		allowed[f.Mnemonic] = true
	}
	for _, i := range code {
		if !allowed[i.mnemonic()] && !goEntry.MatchString(i.text) && !goExit.MatchString(i.text) && !padding.MatchString(i.text) {
			t.Errorf("kernel %s: no %s in the table of %s: %q at %#x", p.Contract.Kernel, i.mnemonic(), p.ISA.Name, i.raw, i.addr)
		}
	}
}

// TestSources checks that every assembly file in the tree belongs to a kernel
// that is compared here.
func TestSources(t *testing.T) {
	known := map[string]bool{}
	for _, ps := range kernels.All() {
		known[source("cshim", ps[0])+".S"] = true
		known[source("internal/direct", ps[0])+".s"] = true
	}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); (ext == ".S" || ext == ".s") && !known[path] {
			if data, err := os.ReadFile(path); err != nil || bytes.HasPrefix(data, []byte(emit.Marker)) {
				t.Errorf("%s belongs to no kernel", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
