// SPDX-License-Identifier: ISC

package abi

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestWindowsPromises calls the shim for amd64 by the convention of Windows, on
// all its functions. It is compiled for that convention by the compiler at hand,
// and runs here; where GCM_WINE is the path of wine, also by MinGW, and runs there.
func TestWindowsPromises(t *testing.T) {
	for _, kernel := range []string{dispatch.VAESAVX512, dispatch.VAESAVX2, dispatch.AESNI} {
		windows(t, kernel, "-O0")
		windows(t, kernel, "-O2")
	}
}

// TestWindowsPlanted calls functions that break one promise of that convention each.
func TestWindowsPlanted(t *testing.T) { windows(t, dispatch.AESNI, "-O2", "planted") }

// windows builds the program for a kernel and wants it to end well.
func windows(t *testing.T, kernel, level string, args ...string) {
	tg := targets[slices.IndexFunc(targets, func(tg target) bool { return tg.kernel == kernel })]
	check := func(t *testing.T, command ...string) {
		t.Helper()
		command = append(command, args...)
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%.2000s", err, out)
		}
	}
	t.Run(kernel+" "+level, func(t *testing.T) { check(t, tg.buildWindows(t, tg.cc, level)) })
	if wine := os.Getenv("GCM_WINE"); wine != "" {
		t.Run(kernel+" "+level+" MinGW", func(t *testing.T) {
			check(t, wine, tg.buildWindows(t, "x86_64-w64-mingw32-gcc", level))
		})
	}
}

// buildWindows compiles the program with an optimization level, or skips the test
// where it cannot run.
func (tg target) buildWindows(t *testing.T, cc, level string) string {
	t.Helper()
	tg.usable(t)
	dir := t.TempDir()
	shim, bin := filepath.Join(dir, "shim.o"), filepath.Join(dir, "windows.exe")
	assembly, err := filepath.Glob("../../cshim/*_amd64.S")
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(tg.kernel, "-", "_")
	for _, args := range [][]string{
		{level, "-mabi=ms", "-Wall", "-Wextra", "-Werror", "-c", "-o", shim, "../../cshim/shim.c"},
		append([]string{"-Wall", "-Wextra", "-Werror", "-static", "-I", "../../cshim", "-o", bin,
			"-DID=STITCHGCM_" + strings.ToUpper(name), "-DNAME=" + name,
			"testdata/windows.c", "testdata/call_windows.S", shim}, assembly...),
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return bin
}
