// SPDX-License-Identifier: ISC

package objects

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/require"
)

// root is the module's root.
const root = "../.."

// A target is what one architecture needs of the tools.
type target struct {
	machine    string   // as compilers name it
	objdump    []string // options that select the syntax
	properties string   // what readelf shows of the GNU property note
}

var targets = map[string]target{
	"amd64": {"x86_64", []string{"-M", "intel"}, "x86 feature: IBT, SHSTK"},
	"arm64": {"aarch64", nil, "AArch64 feature: BTI"},
}

// source is the path of a kernel's generated file, without its extension.
func source(dir string, p *ir.Program) string {
	return filepath.Join(root, dir, strings.ReplaceAll(p.Contract.Kernel, "-", "_")+"_"+p.ISA.Name)
}

// gcc returns a compiler for the architecture. Without one the test is
// skipped, and says so on standard error, or fails if the environment
// variable GCM_REQUIRE names the kernel.
func gcc(t *testing.T, p *ir.Program) string {
	t.Helper()
	machine := targets[p.ISA.Name].machine
	for _, cc := range []string{machine + "-linux-gnu-gcc", "gcc"} {
		out, err := exec.Command(cc, "-dumpmachine").Output()
		if err == nil && strings.HasPrefix(string(out), machine+"-") && strings.Contains(string(out), "linux") {
			return cc
		}
	}
	absent(t, p, "no gcc for "+machine)
	return ""
}

// absent skips the test of a kernel, or fails it where it is required.
func absent(t *testing.T, p *ir.Program, why string) {
	t.Helper()
	if require.Kernel(p.Contract.Kernel) {
		t.Fatalf("GCM_REQUIRE wants kernel %q, but %s", p.Contract.Kernel, why)
	}
	fmt.Fprintf(os.Stderr, "objects: KERNEL %s IS NOT COMPARED: %s\n", p.Contract.Kernel, why)
	t.Skip(why)
}

// run runs a tool and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		var stderr []byte
		if e, ok := err.(*exec.ExitError); ok {
			stderr = e.Stderr
		}
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr)
	}
	return string(out)
}

// binutil returns the path of one of the binutils that cc belongs to.
func binutil(t *testing.T, cc, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, cc, "-print-prog-name="+name))
}

// clang returns the option that makes clang an assembler for the
// architecture, behind clang's name; nil without clang.
func clang(p *ir.Program) []string {
	for _, cc := range []string{"clang-19", "clang"} {
		if path, err := exec.LookPath(cc); err == nil {
			return []string{path, "--target=" + targets[p.ISA.Name].machine + "-linux-gnu"}
		}
	}
	return nil
}

// assemble makes an object from a source file.
func assemble(t *testing.T, cc []string, file string) string {
	t.Helper()
	object := filepath.Join(t.TempDir(), "kernel.o")
	run(t, cc[0], append(cc[1:], "-c", "-o", object, file)...)
	return object
}

// linkGo builds a Go program that holds all functions of a kernel's Go
// assembly, from the very files of package direct.
func linkGo(t *testing.T, ps []*ir.Program) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		absent(t, ps[0], "no go command")
	}
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "direct"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".go", ".s"} {
		file := source("internal/direct", ps[0]) + ext
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put(filepath.Join("direct", filepath.Base(file)), data)
	}
	var names []string
	for _, p := range ps {
		names = append(names, emit.GoName(p))
	}
	put("direct/keep.go", fmt.Appendf(nil, "package direct\n\nvar Keep = []any{%s}\n", strings.Join(names, ", ")))
	put("main.go", []byte("package main\n\nimport \"probe/direct\"\n\nfunc main() { println(len(direct.Keep)) }\n"))
	put("go.mod", []byte("module probe\n\ngo 1.25\n"))
	cmd := exec.Command("go", "build", "-o", "probe.elf", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+ps[0].ISA.Name, "CGO_ENABLED=0",
		"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "probe.elf")
}
