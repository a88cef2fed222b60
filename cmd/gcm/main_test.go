// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/record"
)

// call runs one command line in this process.
func call(args ...string) (status int, stdout, stderr string) {
	var o, e bytes.Buffer
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

// someFile writes a file of the given size in bytes and returns its name.
func someFile(t *testing.T, size int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "some file")
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(i * i >> 3)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Every wrong word gets one sentence that names it, a status, and no output.
func TestWrong(t *testing.T) {
	file, dir := someFile(t, 10), t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		say    string // part of the sentence
	}{
		{nil, 2, "no command given"},
		{[]string{"inof"}, 2, `unknown command "inof"`},
		{[]string{"-json"}, 2, `unknown command "-json"`},
		{[]string{"info", "-jsno"}, 2, "-jsno"},
		{[]string{"info", "-json=maybe"}, 2, `"maybe"`},
		{[]string{"info", "extra"}, 2, `"extra"`},
		{[]string{"speed", "extra"}, 2, `"extra"`},
		{[]string{"speed", "-size", "1"}, 2, "-size"},
		{[]string{"speed", "-sizes", "16,x"}, 2, `"x"`},
		{[]string{"speed", "-sizes", "-1"}, 2, `"-1"`},
		{[]string{"speed", "-sizes", "16,,64"}, 2, `""`},
		{[]string{"speed", "-sizes", "1025M"}, 2, `"1025M"`},
		{[]string{"speed", "-sizes", "99999999999999999999"}, 2, `"99999999999999999999"`},
		{[]string{"speed", "-sizes", "16-"}, 2, `""`},
		{[]string{"speed", "-sizes", "1-2-3"}, 2, `"2-3"`},
		{[]string{"speed", "-sizes", "17-16"}, 2, `"17-16" in -sizes ends before it begins`},
		{[]string{"speed", "-sizes", "1,0-65535"}, 2, "more than 65536 sizes"},
		{[]string{"speed", "-turns", "0"}, 2, "-turns 0"},
		{[]string{"speed", "-bits", "129"}, 2, `"129"`},
		{[]string{"speed", "-bits", ""}, 2, `""`},
		{[]string{"speed", "-time", "soon"}, 2, `"soon"`},
		{[]string{"speed", "-time", "0s"}, 2, "0s"},
		{[]string{"speed", "-time", "-1s"}, 2, "-1s"},
		{[]string{"speed", "-kernels", "fastest"}, 2, `unknown kernel "fastest"`},
		{[]string{"speed", "-kernels", "generic,"}, 2, `unknown kernel ""`},
		{[]string{"speed", "-batch", "-1"}, 2, "-batch -1"},
		{[]string{"speed", "-batch", "65537"}, 2, "-batch 65537"},
		{[]string{"speed", "-batch", "1025", "-sizes", "16,1M"}, 2, "-batch 1025"},
		{[]string{"speed", "-door", "front"}, 2, `"front"`},
		{[]string{"speed", "-door", "direct,"}, 2, `""`},
		{[]string{"check"}, 2, "no file given"},
		{[]string{"check", "-time", "0", file}, 2, "0s"},
		{[]string{"check", "-turns", "-3", file}, 2, "-turns -3"},
		{[]string{"check", file, "more"}, 2, `"more"`},
		{[]string{"check", filepath.Join(dir, "absent")}, 1, "absent"},
		{[]string{"check", dir}, 1, "not a regular file"},
	} {
		status, stdout, stderr := call(c.args...)
		if status != c.status || !strings.Contains(stderr, c.say) {
			t.Errorf("gcm %q: status %d, %q; want status %d and %q", c.args, status, stderr, c.status, c.say)
		}
		if stdout != "" {
			t.Errorf("gcm %q: printed %q", c.args, stdout)
		}
		if !strings.HasPrefix(stderr, "gcm: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gcm %q: not one sentence: %q", c.args, stderr)
		}
	}
}

// A kernel of another architecture is refused with the reason.
func TestForeignKernel(t *testing.T) {
	for _, k := range dispatch.Kernels {
		why := whyNot(k)
		if why == "" {
			continue
		}
		status, _, stderr := call("speed", "-kernels", k.Name)
		if status != 2 || !strings.Contains(stderr, k.Name) || !strings.Contains(stderr, why) {
			t.Errorf("kernel %s: status %d, %q; want 2 and the reason %q", k.Name, status, stderr, why)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"--help"}, {"info", "-h"}, {"speed", "-h"}, {"check", "--help"}} {
		status, stdout, stderr := call(args...)
		if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "Usage:") {
			t.Errorf("gcm %q: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Setenv("GODEBUG", "")
	status, stdout, stderr := call("info")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, name := range gcm.Kernels() {
		if !strings.Contains(stdout, name) {
			t.Errorf("gcm info does not name kernel %s:\n%s", name, stdout)
		}
	}
	status, stdout, stderr = call("info", "-json")
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); status != 0 || err != nil {
		t.Fatalf("status %d, %v: %s%s", status, err, stdout, stderr)
	}
	if want, _ := chosen(); r.Chosen != want || r.Why == "" || r.Arch != runtime.GOARCH {
		t.Errorf("want kernel %s, have %+v", want, r)
	}
}

// GCM_KERNEL is read each time or once a process; a process of its own will do
// for both.
func TestEnvironment(t *testing.T) {
	exe := build(t)
	key := write(t, t.TempDir(), "key", make([]byte, 32))
	for _, c := range []struct {
		env    string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"GCM_KERNEL=generic", []string{"info"}, 0, "GCM_KERNEL pins it", ""},
		{"GCM_KERNEL=generic", []string{"info", "-json"}, 0, `"chosen":"generic"`, ""},
		{"GCM_KERNEL=fastest", []string{"info"}, 1, "none", "fastest"},
		{"GCM_KERNEL=fastest", []string{"speed"}, 1, "", "fastest"},
		{"GCM_KERNEL=fastest", []string{"check", exe}, 1, "", "fastest"},
		{"GCM_KERNEL=fastest", []string{"encrypt", "-key-file", key}, 1, "", `gcm: encrypt: kernel "fastest"`},
		{"GODEBUG=cpu.aes=off", []string{"info", "-json"}, 0, `"chosen":"generic"`, ""},
		{"GODEBUG=cpu.aes=off", []string{"info"}, 0, "cpu.aes=off", ""},
		{"GCM_KERNEL=", []string{"unknown"}, 2, "", "unknown"},
	} {
		if strings.HasPrefix(c.env, "GODEBUG") && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
			continue
		}
		cmd := exec.Command(exe, c.args...)
		cmd.Env = append(os.Environ(), "GCM_KERNEL=", c.env)
		var o, e bytes.Buffer
		cmd.Stdout, cmd.Stderr = &o, &e
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(o.String(), c.stdout) || !strings.Contains(e.String(), c.stderr) {
			t.Errorf("%s gcm %q: status %d, want %d; want %q in\n%sand %q in\n%s", c.env, c.args, got, c.status, c.stdout, &o, c.stderr, &e)
		}
	}
}

// build builds the command with the go command, or skips the test.
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program: not with -short")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	exe := filepath.Join(t.TempDir(), "gcm.exe")
	if out, err := exec.Command(goCommand, "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// What gcm speed -json prints can be read back, and has the rows asked for.
func TestSpeedJSON(t *testing.T) {
	args := []string{"speed", "-json", "-sizes", "0,16,1k", "-bits", "128,256", "-kernels", "all", "-time", "1ms", "-turns", "3"}
	status, stdout, stderr := call(args...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	run, rows, sweeps, err := record.Read(strings.NewReader(stdout))
	if err != nil || len(sweeps) != 0 {
		t.Fatalf("%v, %d sweeps", err, len(sweeps))
	}
	if _, err := time.Parse(time.DateOnly, run.Date); err != nil || run.Command != "gcm "+strings.Join(args, " ") ||
		!slices.Equal(run.Kernels, gcm.Kernels()) || run.Turns != 3 || run.Time != "1ms" || run.AAD != 13 || run.Arch != runtime.GOARCH {
		t.Errorf("the run is %+v, %v", run, err)
	}
	seen := map[record.Row]int{}
	for _, r := range rows {
		if r.NS <= 0 && !(r.Impl == record.Limit && r.Size == 0) {
			t.Errorf("no time in %+v", r)
		}
		if want := float64(r.Size) / r.NS; r.Size > 0 && math.Abs(r.GBPS-want) > 0.001+0.01*want {
			t.Errorf("%+v: %g GB/s from ns", r, want)
		}
		if (r.Times > 0) != (r.Impl == record.GCM) {
			t.Errorf("%+v: compared with crypto/cipher", r)
		}
		r.NS, r.GBPS, r.Times, r.Share = 0, 0, 0, 0
		seen[r]++
	}
	for _, bits := range []int{128, 256} {
		for _, size := range []int{0, 16, 1024} {
			for _, op := range []string{"seal", "open"} {
				want := record.Row{Series: record.Series{Impl: record.Stdlib, Op: op, Bits: bits}, Size: size}
				if seen[want] != 1 {
					t.Errorf("%d rows of %+v", seen[want], want)
				}
				for _, k := range gcm.Kernels() {
					want.Impl, want.Kernel = record.GCM, k
					if seen[want] != 1 {
						t.Errorf("%d rows of %+v", seen[want], want)
					}
				}
			}
		}
	}
	if lines := strings.Count(stdout, "\n"); lines < 2*3*2*(1+len(gcm.Kernels())) {
		t.Errorf("only %d lines", lines)
	}
}

// A range of sizes makes one object for each kernel, key size and direction.
func TestSpeedRange(t *testing.T) {
	status, stdout, stderr := call("speed", "-json", "-sizes", "5,30-70,1k-1k", "-bits", "128,192", "-kernels", "generic", "-time", "1ms", "-turns", "2")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	_, rows, sweeps, err := record.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, s := range sweeps {
		seen[fmt.Sprint(s.Impl, s.Kernel, s.Op, s.Bits)]++
		if s.From != 30 || len(s.NSEach) != 41 || slices.Min(s.NSEach) <= 0 {
			t.Errorf("sweep %+v", s)
		}
	}
	if len(seen) != 8 || len(sweeps) != 8 || len(rows) != 16 { // two directions, two key sizes, two rivals
		t.Errorf("%d sweeps and %d rows, %v", len(sweeps), len(rows), seen)
	}
	for _, r := range rows {
		if r.Size != 5 && r.Size != 1024 {
			t.Errorf("row %+v", r)
		}
	}
}

func TestSpeedTable(t *testing.T) {
	status, stdout, stderr := call("speed", "-sizes", "16", "-bits", "192", "-time", "1ms", "-turns", "2")
	name, _ := chosen()
	if status != 0 || strings.Count(stdout, name) < 2 || !strings.Contains(stdout, "192") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

// With -batch each kernel has two rows: alone and in batches.
func TestSpeedBatch(t *testing.T) {
	status, stdout, stderr := call("speed", "-json", "-batch", "9", "-sizes", "16,1350", "-bits", "128", "-kernels", "all", "-time", "1ms", "-turns", "2")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	_, rows, _, err := record.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[record.Series]int{}
	for _, r := range rows {
		if r.NS <= 0 {
			t.Errorf("no time in %+v", r)
		}
		seen[r.Series]++
	}
	for _, k := range gcm.Kernels() {
		for _, op := range []string{"seal", "open"} {
			for _, batch := range []int{0, 9} {
				if s := (record.Series{Impl: record.GCM, Kernel: k, Op: op, Bits: 128, Batch: batch}); seen[s] != 2 {
					t.Errorf("%d rows of %+v, want 2", seen[s], s)
				}
			}
		}
	}
	status, stdout, stderr = call("speed", "-batch", "9", "-sizes", "16", "-bits", "128", "-time", "1ms", "-turns", "2")
	if name, _ := chosen(); status != 0 || strings.Count(stdout, name+", 9 at once") != 2 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

func TestCheck(t *testing.T) {
	name, _ := chosen()
	for _, size := range []int{0, 1, 100_001} {
		status, stdout, stderr := call("check", "-time", "1ms", "-turns", "1", someFile(t, size))
		if status != 0 || stderr != "" {
			t.Fatalf("%d bytes: status %d, %s", size, status, stderr)
		}
		for _, want := range []string{"kernel  " + name, "AES-128 sealed", "AES-192 sealed", "AES-256 sealed", "1048576"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%d bytes: no %q in\n%s", size, want, stdout)
			}
		}
	}
}

// faulty is an AEAD that gets one thing wrong.
type faulty struct {
	cipher.AEAD
	seal, open, trusting, leaky bool
}

func (f faulty) Seal(dst, nonce, text, aad []byte) []byte {
	sealed := f.AEAD.Seal(dst, nonce, text, aad)
	if f.seal {
		sealed[0] ^= 1
	}
	return sealed
}

func (f faulty) Open(dst, nonce, sealed, aad []byte) ([]byte, error) {
	opened, err := f.AEAD.Open(dst, nonce, sealed, aad)
	switch {
	case err == nil && f.open:
		opened[len(opened)-1] ^= 1
	case err != nil && f.trusting:
		return dst, nil
	case err != nil && f.leaky:
		dst[:1][0] = 1
	}
	return opened, err
}

func TestCompare(t *testing.T) {
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	std, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("some text of some length")
	for _, c := range []struct {
		f   faulty
		say string
	}{
		{faulty{seal: true}, "sealed bytes differ"},
		{faulty{open: true}, "opened bytes differ"},
		{faulty{trusting: true}, "unnoticed"},
		{faulty{leaky: true}, "left bytes behind"},
	} {
		c.f.AEAD = std
		if err := compare(c.f, std, text, nil); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("compare with a fault says %v; want %q", err, c.say)
		}
	}
	if err := compare(std, std, text, nil); err != nil {
		t.Error(err)
	}
}

func TestParseSize(t *testing.T) {
	for word, want := range map[string]int{"0": 0, "1": 1, "16k": 16384, "1M": 1 << 20, "1024M": 1 << 30} {
		if got, err := parseSize(word); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", word, got, err, want)
		}
	}
}
