// SPDX-License-Identifier: ISC

package emit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// small is a program of its own, with one constant.
func small(name string, datum ir.Datum) *ir.Program {
	b := &ir.Builder{ISA: amd64.ISA}
	b.Frame(func() { b.I("endbr64") })
	b.Origin("the one instruction")
	b.I("vmovdqu64", amd64.Z(1), amd64.Mem(ir.Text, 512, amd64.RSI, 64))
	b.I("jmp", ir.To("end"))
	b.Label("end")
	b.I("ret")
	return &ir.Program{Name: name, ISA: amd64.ISA, Code: b.Code, Data: []ir.Datum{datum},
		Contract: &ir.Contract{Kernel: "small", Op: "open", Bits: 128, Summary: "do little",
			Features: []string{"AVX512F"}, Clobbers: "zmm1", Result: "nothing of use",
			KeyBlock: []ir.Field{{Offset: 16, Size: 32, Means: "round keys"}},
			Args: []ir.Arg{
				{Name: "key_block", Type: "const uint8_t *", Perm: "r", Size: "the fields below", Means: "key"},
				{Name: "out", Type: "uint8_t *", Perm: "w", Size: "len", Means: "result"},
				{Name: "len", Type: "uint64_t ", Means: "bytes of text"},
			}}}
}

var one = ir.Datum{Name: "one", Align: 16, Bytes: make([]byte, 16)}

// TestConstants refuses one name for two constants.
func TestConstants(t *testing.T) {
	other, aligned, odd := one, one, one
	other.Bytes = []byte("0123456789abcdef")
	aligned.Align = 64
	odd.Bytes = odd.Bytes[:15]
	for name, c := range map[string]struct {
		a, b      ir.Datum
		gnu, goas string // errors
	}{
		"the same":         {one, one, "", ""},
		"other bytes":      {one, other, "emit: two constants named one", "emit: two constants named one"},
		"other length":     {one, odd, "emit: two constants named one", "emit: two constants named one"},
		"other alignment":  {one, aligned, "emit: two constants named one", "emit: two constants named one"},
		"no multiple of 8": {odd, odd, "", "emit: constant one of 15 bytes, not a multiple of 8"},
	} {
		ps := []*ir.Program{small("a", c.a), small("b", c.b)}
		text := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		data, err := emit.GNU(ps)
		if text(err) != c.gnu {
			t.Errorf("%s: GNU's error is %v, want %s", name, err, c.gnu)
		}
		if n := bytes.Count(data, []byte("\nL(one):\n")); err == nil && n != 1 {
			t.Errorf("%s: the constant comes %d times", name, n)
		}
		if _, err := emit.GoAssembly(ps); text(err) != c.goas {
			t.Errorf("%s: GoAssembly's error is %v, want %s", name, err, c.goas)
		}
	}
}

// TestBanner checks the comment above a program.
func TestBanner(t *testing.T) {
	want := `small_open_128: do little.

uint64_t ` + emit.Prefix + `small_open_128(const uint8_t *key_block, uint8_t *out, uint64_t len);

  key_block key [read, the fields below]
  out       result [written, len bytes]
  len       bytes of text
  returns   nothing of use

Key block:
    16 to   47  round keys

Changes zmm1.
Uses no stack.
4 instructions.`
	p := small("small_open_128", one)
	if got := strings.Join(emit.Banner(p), "\n"); got != want {
		t.Errorf("banner is\n%s", got)
	}
	p.Contract.StackBytes = 64
	if got := strings.Join(emit.Banner(p), "\n"); !strings.Contains(got, "Uses 64 bytes of stack.") {
		t.Errorf("banner is\n%s", got)
	}
}

// TestText checks a short program as a whole, in both syntaxes.
func TestText(t *testing.T) {
	p := small("small_open_128", one)
	gnu, err := emit.GNU([]*ir.Program{p})
	if err != nil {
		t.Fatal(err)
	}
	goText, err := emit.GoAssembly([]*ir.Program{p})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text  []byte
		lines []string
	}{
		"GNU": {gnu, []string{emit.Marker, "// Needs AVX512F.", "#include \"symbols.h\"", "\tconstants", "L(one):",
			"\tfunction STITCHGCM_SYMBOL(small_open_128)", "\tvmovdqu64 zmm1, [rsi + 64]", "\tjmp L(small_open_128_end)",
			"L(small_open_128_end):", "\tret", "\tend_function STITCHGCM_SYMBOL(small_open_128)",
			"#ifdef __ELF__", "\t.section .note.GNU-stack, \"\", %progbits", "#endif"}},
		"Go": {goText, []string{emit.Marker, "// Needs AVX512F.", "GLOBL one<>(SB), RODATA|NOPTR, $16",
			"TEXT ·smallOpen128(SB), NOSPLIT, $0-32", "\tMOVQ keyBlock+0(FP), DI", "\tMOVQ len+16(FP), DX",
			"\tVMOVDQU64 64(SI), Z1", "end:", "\tMOVQ AX, ret+24(FP)", "\tRET"}},
	} {
		rest := string(c.text)
		for _, l := range c.lines {
			_, after, ok := strings.Cut(rest, l)
			if !ok {
				t.Errorf("%s: no line %q behind those before in\n%s", name, l, c.text)
				break
			}
			rest = after
		}
		if n := strings.Count(string(c.text), "// the one instruction\n"); n < 2 {
			t.Errorf("%s: %d lines tell where they come from", name, n)
		}
	}
	if bytes.Contains(goText, []byte("ENDBR64")) {
		t.Error("Go assembly has what only the C ABI needs")
	}
}

// TestDeterministic emits all kernels twice.
func TestDeterministic(t *testing.T) {
	first, second := kernels.All(), kernels.All()
	for i := range first {
		a, errA := emit.GNU(first[i])
		b, errB := emit.GNU(second[i])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("kernel %s differs from run to run: %v, %v", first[i][0].Contract.Kernel, errA, errB)
		}
	}
}

// TestHeader compiles the C header with all warnings on, for every standard
// from C99.
func TestHeader(t *testing.T) {
	name := filepath.Join(t.TempDir(), "kernels.h")
	for file, text := range map[string][]byte{name: emit.Header(kernels.All()...), filepath.Join(filepath.Dir(name), "symbols.h"): emit.Symbols()} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compiled := false
	for _, cc := range []string{"gcc", "clang", "clang-19", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(cc); err != nil {
			continue
		}
		for _, std := range []string{"c99", "c11", "c2x"} {
			args := []string{"-std=" + std, "-x", "c", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wstrict-prototypes", "-fsyntax-only", name}
			if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", cc, std, err, out)
			}
			compiled = true
		}
	}
	if !compiled {
		t.Skip("no C compiler")
	}
}

// TestStub vets the Go declarations beside their assembly: the names, offsets
// and sizes of all arguments must fit.
func TestStub(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	for _, ps := range append(kernels.All(), []*ir.Program{small("small_open_128", one)}) {
		isa := ps[0].ISA
		text, err := emit.GoAssembly(ps)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, data := range map[string][]byte{
			"go.mod":                []byte("module stub.test\n\ngo 1.25.0\n"),
			"k_" + isa.Name + ".s":  text,
			"k_" + isa.Name + ".go": emit.GoStub("stub", ps),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("go", "vet", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+isa.Name, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", ps[0].Contract.Kernel, err, out)
		}
	}
}

// TestDispatch checks what calls the functions by kernel and rounds: slices for
// pointers, their lengths for numbers.
func TestDispatch(t *testing.T) {
	p, q := small("small_open_128", one), small("other_open_128", one)
	p.Contract.ID, q.Contract.ID = 7, 8
	q.Contract.Kernel, q.Contract.Bits, q.Contract.Result = "other", 256, ""
	fours := small("other_fours_128", one)
	fours.Contract.ID, fours.Contract.Kernel, fours.Contract.Op = 8, "other", "open_fours"
	fours.Contract.Args = append(fours.Contract.Args, ir.Arg{Name: "tag_len", Type: "uint64_t "})
	all := [][]*ir.Program{{p}, {q, fours}}
	p.Contract.Turn = 96
	rest := string(emit.GoDispatch("pkg", all))
	for _, l := range []string{emit.Marker, "package pkg\n",
		"func ID(kernel string) byte {", "\tcase \"small\":\n\t\treturn 7\n", "\tcase \"other\":\n\t\treturn 8\n", "\treturn 0\n",
		"func Turn(", "\tcase 7: // small\n\t\treturn 96\n", "func Fours(", "\tcase 8: // other\n\t\treturn true\n",
		"func expand(", "\tdefault:\n", "func Seal(", "\tdefault:\n", "func Open(",
		"\tcase 7<<8 | 10: // small, 128-bit keys\n\t\treturn smallOpen128(&block[0], start(out), uint64(len(out))) != 0\n",
		"\tcase 8<<8 | 14: // other, 256-bit keys\n\t\totherOpen128(&block[0], start(out), uint64(len(out)))\n",
		"func openFours(", "\tcase 8<<8 | 10: // other, 128-bit keys\n\t\treturn otherFours128(&block[0], start(out), uint64(len(out)), uint64(tagLen))\n"} {
		_, after, ok := strings.Cut(rest, l)
		if !ok {
			t.Fatalf("no %q behind those before in\n%s", l, emit.GoDispatch("pkg", all))
		}
		rest = after
	}
}
