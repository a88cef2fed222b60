// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestMain is the command itself in the child processes of the tests.
func TestMain(m *testing.M) {
	if os.Getenv("IMPORT_ASM_CHILD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestGenerated makes every generated file again and compares it with the one
// in the tree, byte for byte.
func TestGenerated(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := compare(root, f, "make regenerate"); err != nil {
			t.Error(err)
		}
	}
}

// A tree is a module with nothing but generated files in it.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T) tree {
	t.Helper()
	tr := tree{t, t.TempDir()}
	tr.write("go.mod", "module github.com/stitchgcm/gcm\n")
	for _, dir := range []string{"cshim", "internal/direct", "deep/er"} {
		if err := os.MkdirAll(filepath.Join(tr.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr tree) path(name string) string { return filepath.Join(tr.dir, name) }

func (tr tree) read(name string) string {
	tr.t.Helper()
	b, err := os.ReadFile(tr.path(name))
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(b)
}

func (tr tree) write(name, text string) {
	tr.t.Helper()
	if err := os.WriteFile(tr.path(name), []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// run runs the command in a directory of the tree and returns what it says and
// its exit status.
func (tr tree) run(dir string, args ...string) (stdout, stderr string, status int) {
	tr.t.Helper()
	self, err := os.Executable()
	if err != nil {
		tr.t.Fatal(err)
	}
	// GCM_TEST_EXEC is what go test -exec was given, for a foreign architecture.
	args = append(append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self), args...)
	cmd := exec.Command(args[0], args[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = tr.path(dir), &out, &errs
	cmd.Env = append(os.Environ(), "IMPORT_ASM_CHILD=1")
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tr.t.Skip("no child processes here: ", err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// fails runs the command and wants it to say one thing and fail.
func (tr tree) fails(want, dir string, args ...string) {
	tr.t.Helper()
	stdout, stderr, status := tr.run(dir, args...)
	first, _, _ := strings.Cut(stderr, "\n")
	if status != 1 || stdout != "" || first != "import-asm: "+want {
		tr.t.Errorf("%q: status %d, says %q and %q, want %q", args, status, stdout, stderr, want)
	}
}

const victim = "cshim/vaes_avx512_amd64.S"

// TestWriting writes a tree, finds it up to date, and repairs it.
func TestWriting(t *testing.T) {
	tr := newTree(t)
	tr.fails("cshim/symbols.h is missing; run make regenerate", ".", "-check")
	if stdout, stderr, status := tr.run("deep/er"); status != 0 || stdout != "" || stderr != "" {
		t.Fatalf("status %d, says %q and %q", status, stdout, stderr)
	}
	list, _, _ := tr.run(".", "-list")
	names := strings.Fields(list)
	stdout, _, status := tr.run(".", "-check")
	if status != 0 || !strings.HasSuffix(stdout, " generated files are up to date\n") {
		t.Errorf("-check after writing: status %d, says %q", status, stdout)
	}
	count := 0
	for _, dir := range []string{"cshim", "internal/direct"} {
		entries, err := os.ReadDir(tr.path(dir))
		if err != nil {
			t.Fatal(err)
		}
		count += len(entries)
	}
	if count != len(names) || count == 0 {
		t.Errorf("%d files are there, and -list names %d", count, len(names))
	}

	good := tr.read(victim)
	line := strings.Count(good[:1000], "\n") + 1
	for name, c := range map[string]struct{ text, want string }{
		"a changed byte":   {good[:1000] + "?" + good[1001:], " differs at line " + strconv.Itoa(line) + "; run make regenerate"},
		"a truncated file": {good[:1000], " differs at line " + strconv.Itoa(line) + "; run make regenerate"},
		"an empty file":    {"", " differs at line 1; run make regenerate"},
		"a longer file":    {good + "x", " differs at line " + strconv.Itoa(strings.Count(good, "\n")+1) + "; run make regenerate"},
	} {
		tr.write(victim, c.text)
		tr.fails(victim+c.want, ".", "-check")
		if tr.read(victim) != c.text {
			t.Errorf("%s: -check writes", name)
		}
		if _, stderr, status := tr.run("."); status != 0 || tr.read(victim) != good {
			t.Errorf("%s is not repaired: status %d, says %q", name, status, stderr)
		}
	}
	if err := os.Remove(tr.path(victim)); err != nil {
		t.Fatal(err)
	}
	tr.fails(victim+" is missing; run make regenerate", ".", "-check")
}

// TestWrong calls the command in wrong ways.
func TestWrong(t *testing.T) {
	tr := newTree(t)
	tr.fails("flag provided but not defined: -chekc", ".", "-chekc")
	tr.fails(`unexpected argument "check"`, ".", "check")
	tr.fails("-check and -list exclude each other", ".", "-check", "-list")
	tr.fails("-schedule excludes -check and -list", ".", "-check", "-schedule", "eor3")
	tr.fails("-bits goes with -schedule only", ".", "-bits", "128")
	known := strings.Join(kernels.Names(), ", ")
	tr.fails(`unknown kernel "eor4"; choose one of `+known, ".", "-schedule", "eor4")
	tr.fails(`unknown kernel ""; choose one of `+known, ".", "-schedule", "")
	tr.fails("key size 129 is not 128, 192 or 256", ".", "-schedule", "eor3", "-bits", "129")

	elsewhere := tree{t, t.TempDir()}
	elsewhere.fails(elsewhere.dir+" is not inside the module github.com/stitchgcm/gcm", ".")
	elsewhere.write("go.mod", "module example.com/other\n")
	elsewhere.fails(elsewhere.dir+" is not inside the module github.com/stitchgcm/gcm", ".", "-check")
}

// TestNothingHalfWritten cannot write one of the files: it says which, and
// leaves neither that nor others half-written.
func TestNothingHalfWritten(t *testing.T) {
	tr := newTree(t)
	if err := os.MkdirAll(tr.path(victim+"/full"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, stderr, status := tr.run(".")
	if status != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, victim) {
		t.Errorf("status %d, says %q", status, stderr)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{}
	for _, f := range files {
		whole[f.name] = string(f.data)
	}
	for _, dir := range []string{"cshim", "internal/direct"} {
		entries, err := os.ReadDir(tr.path(dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if name := dir + "/" + e.Name(); !e.IsDir() && tr.read(name) != whole[name] {
				t.Errorf("%s is half-written", name)
			}
		}
	}
}
