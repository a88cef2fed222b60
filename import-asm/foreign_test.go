// SPDX-License-Identifier: ISC

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// newForeignTree is a module with what bringing in a kernel needs, and that
// kernel's tree in the folder foreign.
func newForeignTree(t *testing.T) tree {
	tr := newTree(t)
	if err := os.CopyFS(tr.path("foreign"), os.DirFS("testdata/foreign")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"third_party", "LICENSES"} {
		if err := os.Mkdir(tr.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []string{"cshim/foreign.h", "cshim/gcm.h", "cshim/symbols.h"} {
		data, err := os.ReadFile(filepath.Join("..", h))
		if err != nil {
			t.Fatal(err)
		}
		tr.write(h, string(data))
	}
	return tr
}

// files returns the names of all files in some folders of the tree.
func (tr tree) files(dirs ...string) (names []string) {
	tr.t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(tr.path(dir), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name[len(tr.dir)+1:])
			}
			return err
		})
		if err != nil {
			tr.t.Fatal(err)
		}
	}
	return names
}

// succeeds runs the command and wants it to say one thing and succeed.
func (tr tree) succeeds(want string, args ...string) {
	tr.t.Helper()
	if stdout, stderr, status := tr.run(".", args...); status != 0 || stdout != want || stderr != "" {
		tr.t.Errorf("%q: status %d, says %q and %q, want %q", args, status, stdout, stderr, want)
	}
}

// TestForeign brings in a kernel, compares it, spoils it and brings it in again.
func TestForeign(t *testing.T) {
	tr := newForeignTree(t)
	args := []string{"-tree", "foreign", "-manifest", "foreign/amd64.json"}
	check := append(slices.Clone(args), "-check")
	tr.fails("slow: third_party/slow/gcm_x86_64_elf_amd64.S is missing; run import-asm -manifest without -check", ".", check...)
	tr.succeeds("", args...)
	before := tr.files("third_party", "LICENSES")
	want := []string{
		"third_party/kernel_amd64.go", "third_party/slow/foreign.h", "third_party/slow/gcm.h",
		"third_party/slow/gcm_x86_64_elf_amd64.S", "third_party/slow/gcm_x86_64_macho_amd64.S", "third_party/slow/lock",
		"third_party/slow/package.go", "third_party/slow/symbols.h", "third_party/slow/table.c", "LICENSES/LicenseRef-slow.txt",
	}
	if !slices.Equal(before, want) {
		t.Errorf("there are %q, want %q", before, want)
	}
	tr.succeeds("10 files of slow are up to date\n", check...)

	const victim = "third_party/slow/table.c"
	good := tr.read(victim)
	tr.write(victim, good+"\n")
	tr.fails("slow: third_party/slow/table.c differs at line "+lineOf(good+"\n")+"; run import-asm -manifest without -check", ".", check...)
	tr.run(".") // our own files, for what follows
	_, stderr, status := tr.run(".", "-check")
	if want := "import-asm: third_party/slow: third_party/slow/table.c is not what the lock says\n"; status != 1 || stderr != want {
		t.Errorf("status %d, says %q, want %q", status, stderr, want)
	}
	tr.succeeds("", args...)
	if tr.read(victim) != good {
		t.Error("the file is not repaired")
	}
	if stdout, _, status := tr.run(".", "-check"); status != 0 || !strings.HasSuffix(stdout, "\n9 files of slow are those of its lock\n") {
		t.Errorf("status %d, says %q", status, stdout)
	}

	// A changed input shows in the lock, even where the output stays.
	source := tr.read("foreign/src/gcm-x86_64.S")
	tr.write("foreign/src/gcm-x86_64.S", source+"// more\n")
	tr.fails("slow: third_party/slow/lock differs at line 3; run import-asm -manifest without -check", ".", check...)

	// Errors leave everything as it was.
	tr.write("foreign/src/gcm-x86_64.S", source+"#if 1\n")
	tr.fails("foreign/src/gcm-x86_64.S:"[8:]+lineOf(source)+": this condition has no #endif", ".", args...)
	tr.write("foreign/src/gcm-x86_64.S", source)
	other := strings.Replace(tr.read("foreign/amd64.json"), `"slow"`, `"other"`, 1)
	tr.write("other.json", other)
	tr.fails("third_party/kernel_amd64.go links another kernel; delete it and that kernel's folder first", ".",
		"-tree", "foreign", "-manifest", "other.json")
	if after := tr.files("third_party", "LICENSES"); !slices.Equal(after, before) {
		t.Errorf("there are %q, want %q", after, before)
	}
	tr.succeeds("10 files of slow are up to date\n", check...)

	tr.fails("-tree and -manifest go together", ".", "-tree", "foreign")
	tr.fails("-tree and -manifest go together", ".", "-manifest", "other.json")
	tr.fails("-tree excludes -list and -schedule", ".", append(args, "-list")...)
	tr.fails("open none: no such file or directory", ".", "-tree", "foreign", "-manifest", "none")
}

func lineOf(text string) string { return strconv.Itoa(strings.Count(text, "\n") + 1) }

// TestForeignNotHalf cannot write the last file, and puts back the folder that
// was there before.
func TestForeignNotHalf(t *testing.T) {
	tr := newForeignTree(t)
	args := []string{"-tree", "foreign", "-manifest", "foreign/arm64.json"}
	if err := os.MkdirAll(tr.path("LICENSES/LicenseRef-slow.txt/full"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, before := range [][]string{{}, {"third_party/slow/mine"}} {
		for _, name := range before {
			if err := os.MkdirAll(filepath.Dir(tr.path(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			tr.write(name, "mine")
		}
		_, stderr, status := tr.run(".", args...)
		if status != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "LicenseRef-slow.txt") {
			t.Errorf("status %d, says %q", status, stderr)
		}
		if after := tr.files("third_party"); !slices.Equal(after, before) {
			t.Errorf("there are %q, want %q", after, before)
		}
	}
}

// TestForeignRuns brings a kernel into a copy of this module and tests that there,
// through the cgo door: as it is, for eight blocks a call, and with an error in
// it, which has to show; under an emulator for eight blocks a call alone.
func TestForeignRuns(t *testing.T) {
	if os.Getenv("GCM_TEST_EXEC") != "" || runtime.GOOS != "linux" {
		t.Skip("builds on Linux, natively")
	}
	for _, c := range []struct{ arch, file, right, wrong, tests string }{
		{"amd64", "gcm-x86_64.S", "incl %r10d", "incl %r11d", "Sizes|Overlap|ForgedLengths|Wycheproof"},
		{"arm64", "gcm-aarch64.S", "add w9, w9, #1", "add w9, w9, #2", "Wycheproof|ForgedLengths"},
	} {
		t.Run(c.arch, func(t *testing.T) {
			env := append(os.Environ(), "CGO_ENABLED=1", "GOARCH="+c.arch, "GOWORK=off", "GCM_REQUIRE=")
			flags := []string{"test", "-short", "-vet=off", "-tags=stitchgcm_foreign", "-run=^Test(" + c.tests + ")$"}
			if c.arch != runtime.GOARCH {
				if c.arch != "arm64" || testing.Short() || !has("aarch64-linux-gnu-gcc") || !has("qemu-aarch64") {
					t.Skip("no tools for it")
				}
				env = append(env, "CC=aarch64-linux-gnu-gcc")
				flags = append(flags, "-exec=qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu")
			} else if !has("gcc") || !has("go") {
				t.Skip("no tools for it")
			}
			tr := copyModule(t)
			test := func() (string, error) {
				cmd := exec.Command("go", append(flags, ".")...)
				cmd.Dir, cmd.Env = tr.dir, env
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := test(); err == nil || !strings.Contains(out, "undefined: third_party.Kernel") {
				t.Errorf("without a kernel: %v\n%s", err, out)
			}
			manifest := "foreign/" + c.arch + ".json"
			bring := func() {
				t.Helper()
				tr.succeeds("", "-tree", "foreign", "-manifest", manifest)
			}
			texts := []string{tr.read(manifest), strings.Replace(tr.read(manifest), `"htable"`, `"blocks": 8, "htable"`, 1)}
			if c.arch != runtime.GOARCH {
				texts = texts[1:]
			}
			for _, text := range texts {
				tr.write(manifest, text)
				bring()
				if out, err := test(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			if c.arch != runtime.GOARCH {
				return
			}
			source := tr.read("foreign/src/" + c.file)
			tr.write("foreign/src/"+c.file, strings.Replace(source, c.right, c.wrong, 1))
			bring()
			if out, err := test(); err == nil || !regexp.MustCompile(`(?m)^--- FAIL: Test`).MatchString(out) {
				t.Errorf("a wrong kernel is not found: %v\n%s", err, out)
			}
		})
	}
}

func has(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// copyModule copies what the tests of package gcm are built of.
func copyModule(t *testing.T) tree {
	t.Helper()
	tr := newForeignTree(t)
	list := exec.Command("go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", ".")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	above, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	root, names := os.DirFS(above), []string{"go.mod", "go.sum", "third_party/doc.go"}
	for dir := range strings.FieldsSeq(string(out)) {
		rel, err := filepath.Rel(above, dir)
		if err != nil || !filepath.IsLocal(rel) {
			continue // another module
		}
		found, err := fs.Glob(root, filepath.ToSlash(filepath.Join(rel, "*.[chsgS]*")))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if info, err := fs.Stat(root, name); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(tr.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		tr.write(name, string(data))
	}
	return tr
}
