// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/prove"
)

// TestMain is the command itself in the child processes of the tests.
func TestMain(m *testing.M) {
	if os.Getenv("PROVE_CHILD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// call runs one command line in a child process.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// GCM_TEST_EXEC is what go test -exec was given, for a foreign architecture.
	args = append(append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self), args...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PROVE_CHILD=1")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	exit := (*exec.ExitError)(nil)
	switch err := cmd.Run(); {
	case err != nil && strings.Contains(err.Error(), "exec format error"):
		t.Skip("a foreign architecture: set GCM_TEST_EXEC to the emulator")
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return status, o.String(), e.String()
}

// TestWrong names what no program has: each gets one sentence, status 1 and no
// other output.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-kernel", "eor4"}, `prove: no kernel "eor4"; there are vaes-avx512, vaes-avx2, aesni, eor3, pmull`},
		{[]string{"-bits", "512"}, "prove: no key size of 512 bits; there are 128, 192, 256"},
		{[]string{"-op", "sael"}, `prove: no operation "sael"; there are init, seal, open, seal_turns, open_turns, seal_fours, open_fours`},
		{[]string{"extra"}, `prove: unexpected argument "extra"`},
	} {
		status, stdout, stderr := call(t, c.args...)
		if status != 1 || stdout != "" || stderr != c.want+"\n" {
			t.Errorf("prove %s: status %d, output %q, error %q; want 1, nothing, %q",
				strings.Join(c.args, " "), status, stdout, stderr, c.want)
		}
	}
}

// TestOneProgram proves what is quickest, one line a program and one with
// totals.
func TestOneProgram(t *testing.T) {
	status, stdout, stderr := call(t, "-kernel", "vaes-avx512", "-op", "init", "-parts")
	want := regexp.MustCompile(`^(proved  vaes-avx512  (128|192|256) init +\d+ instructions, +\d+ cases, every key, \d+\.\d s\n` +
		`( +\d+  [^:\n]+: [^\n]+\n)+){3}3 programs, 0 refused; \d+ cases in \d+ s\n$`)
	if status != 0 || stderr != "" || !want.MatchString(stdout) {
		t.Errorf("status %d, error %q, output:\n%s", status, stderr, stdout)
	}
}

// TestJSON reads one object a program.
func TestJSON(t *testing.T) {
	status, stdout, stderr := call(t, "-kernel", "vaes-avx512", "-bits", "192", "-op", "init", "-json")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, error %q", status, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	var r prove.Result
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if d.More() {
		t.Errorf("more than one object: %q", stdout)
	}
	if r.Kernel != "vaes-avx512" || r.Bits != 192 || r.Op != "init" || r.Instructions == 0 || r.Cases == 0 ||
		len(r.Parts) == 0 || r.Seconds <= 0 || len(r.Failures) > 0 {
		t.Errorf("%+v", r)
	}
}
