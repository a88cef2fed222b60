// SPDX-License-Identifier: ISC

package abi

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/require"
)

// A target is an architecture with one of its kernels and the commands that compile
// and run a program for it.
type target struct {
	arch, kernel string
	cc           string
	run          []string
}

var targets = []target{
	{"amd64", dispatch.VAESAVX512, "gcc", nil},
	{"amd64", dispatch.VAESAVX2, "gcc", nil},
	{"amd64", dispatch.AESNI, "gcc", nil},
	{"arm64", dispatch.EOR3, "aarch64-linux-gnu-gcc", []string{"qemu-aarch64", "-cpu", "max"}},
	{"arm64", dispatch.PMULL, "aarch64-linux-gnu-gcc", []string{"qemu-aarch64", "-cpu", "cortex-a76"}},
}

// usable returns what runs programs of the target, or skips the test where they
// cannot be built or run.
func (tg target) usable(t *testing.T) (run []string) {
	t.Helper()
	skip := t.Skipf
	if require.Kernel(tg.kernel) {
		skip = t.Fatalf
	}
	run = tg.run
	if runtime.GOARCH == tg.arch {
		run = nil
		host := dispatch.Host{OS: runtime.GOOS, Arch: tg.arch, Linked: true, Features: dispatch.Features()}
		if !slices.Contains(host.Usable(), tg.kernel) {
			skip("no kernel %s on this processor", tg.kernel)
		}
	} else if run == nil {
		t.Skipf("runs on %s", tg.arch)
	}
	for _, c := range append(slices.Clone(run[:min(1, len(run))]), tg.cc) {
		if _, err := exec.LookPath(c); err != nil {
			skip("%v", err)
		}
	}
	return run
}

// build compiles the test program, or skips the test where it cannot run.
func (tg target) build(t *testing.T) (command []string) {
	t.Helper()
	run := tg.usable(t)
	sources, err := filepath.Glob("../../cshim/*_" + tg.arch + ".S") // the shim names all of them
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(tg.kernel, "-", "_")
	bin := filepath.Join(t.TempDir(), "abi")
	args := append([]string{"-static", "-O1", "-Wall", "-Wextra", "-Werror", "-I", "../../cshim", "-o", bin,
		"-DID=STITCHGCM_" + strings.ToUpper(name), "-DNAME=" + name,
		fmt.Sprintf("-DTURN=%d", kernels.Programs(tg.kernel)[0].Contract.Turn),
		"testdata/abi.c", "testdata/call_" + tg.arch + ".S", "../../cshim/shim.c"}, sources...)
	if out, err := exec.Command(tg.cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return append(slices.Clone(run), bin)
}

// TestPromises calls every function of every kernel on all its paths.
func TestPromises(t *testing.T) { run(t) }

// TestPlanted calls functions that break one promise each, or fail for one class
// of lengths only.
func TestPlanted(t *testing.T) { run(t, "planted") }

// run builds the program for each target and wants it to end well.
func run(t *testing.T, args ...string) {
	for _, tg := range targets {
		t.Run(tg.kernel, func(t *testing.T) {
			c := append(tg.build(t), args...)
			out, err := exec.Command(c[0], c[1:]...).CombinedOutput()
			if err != nil && strings.Contains(err.Error(), "exec format error") {
				t.Skip("this test runs under emulation itself")
			}
			if err != nil {
				t.Errorf("%v\n%.2000s", err, out)
			}
		})
	}
}
