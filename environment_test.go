// SPDX-License-Identifier: ISC

package gcm

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestChild is no test: it prints what New and Kernels do in the environment
// that TestEnvironment gives it.
func TestChild(t *testing.T) {
	if os.Getenv("GCM_TEST_CHILD") == "" {
		t.Skip("runs only as a child of TestEnvironment")
	}
	a, err := New(make([]byte, 16))
	fmt.Printf("kernels %s\n", strings.Join(Kernels(), ","))
	if err != nil {
		fmt.Printf("error %v\n", err)
	} else {
		fmt.Printf("kernel %s\n", a.Kernel())
	}
	if a, err = NewWithOptions(make([]byte, 16), Options{Kernel: "generic"}); err == nil {
		fmt.Printf("explicit %s\n", a.Kernel())
	}
}

// child runs TestChild with more environment and returns what it prints.
func child(t *testing.T, env ...string) string {
	t.Helper()
	return childOf(t, "TestChild", env...)
}

// childOf is child for another test.
func childOf(t *testing.T, test string, env ...string) string {
	t.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		t.Skip("no child processes here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// GCM_TEST_EXEC is what go test -exec was given, for a foreign architecture.
	args := append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self, "-test.run=^"+test+"$")
	var out []byte
	for try := range 3 {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "GCM_TEST_CHILD=1", "GCM_REQUIRE=", "GCM_KERNEL=", "GODEBUG=")
		cmd.Env = append(cmd.Env, env...)
		out, err = cmd.CombinedOutput()
		if cmd.Process != nil || runtime.GOOS != "windows" {
			break
		}
		t.Logf("%v, at try %d: wine now and then fails to start a process", err, try+1)
	}
	if err != nil && strings.Contains(err.Error(), "exec format error") {
		t.Skip("a foreign architecture: set GCM_TEST_EXEC to the emulator")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestEnvironment pins kernels through GCM_KERNEL and hides features through
// GODEBUG, each in a program of its own.
func TestEnvironment(t *testing.T) {
	plain := child(t)
	_, list, _ := strings.Cut(plain, "kernels ")
	list, _, _ = strings.Cut(list, "\n")
	all := strings.Split(list, ",") // more than Kernels() where GODEBUG hides some here
	if !slices.Equal(all, Kernels()) && os.Getenv("GODEBUG") == "" {
		t.Fatalf("the child has other kernels:\n%s", plain)
	}
	for _, k := range all {
		if got := child(t, "GCM_KERNEL="+k); !strings.Contains(got, "\nkernel "+k+"\n") {
			t.Errorf("GCM_KERNEL=%s gives\n%s", k, got)
		}
	}
	for _, name := range []string{"nonsense", "Generic", " "} {
		got := child(t, "GCM_KERNEL="+name)
		if !strings.Contains(got, fmt.Sprintf("error gcm: kernel %q, asked for by the environment variable GCM_KERNEL, is unusable: no such kernel; usable are ", name)) ||
			!strings.Contains(got, "generic\n") {
			t.Errorf("GCM_KERNEL=%s gives\n%s", name, got)
		}
		if !strings.Contains(got, "explicit generic\n") {
			t.Errorf("GCM_KERNEL=%s wins over Options.Kernel:\n%s", name, got)
		}
	}
	masks := map[string][]string{
		"amd64": {"all", "aes", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "avx512", "avx512f",
			"avx512bw", "avx512dq", "avx512vl", "vaes", "avx512vaes", "vpclmulqdq", "avx512vpclmulqdq"},
		"arm64": {"all", "aes", "pmull", "sha3"},
	}
	longer := map[string]string{"avx512vaes": "vaes", "avx512vpclmulqdq": "vpclmulqdq"}
	for _, m := range masks[runtime.GOARCH] {
		var left []string // kernels that do without the feature
		for _, k := range dispatch.Kernels {
			hidden := m == "all" || slices.Contains(k.Needs, cmp.Or(longer[m], m))
			if slices.Contains(all, k.Name) && (k.Name == dispatch.Generic || !hidden) {
				left = append(left, k.Name)
			}
		}
		want := fmt.Sprintf("kernels %s\nkernel %s\n", strings.Join(left, ","), left[0])
		if got := child(t, "GODEBUG=cpu."+m+"=off"); !strings.Contains(got, want) {
			t.Errorf("GODEBUG=cpu.%s=off gives\n%s", m, got)
		}
	}
}

// TestRequire checks that GCM_REQUIRE fails a run that lacks a kernel.
func TestRequire(t *testing.T) {
	if got := child(t, "GCM_REQUIRE=generic"); !strings.Contains(got, "kernels ") {
		t.Errorf("GCM_REQUIRE=generic gives\n%s", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self, "-test.run=^TestChild$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GCM_REQUIRE=generic,absent")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `GCM_REQUIRE wants kernel "absent"`) {
		t.Errorf("GCM_REQUIRE=generic,absent gives %v\n%s", err, out)
	}
}
