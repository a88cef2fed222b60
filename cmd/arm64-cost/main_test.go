// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain is the command itself in the child processes of the tests.
func TestMain(m *testing.M) {
	if os.Getenv("ARM64_COST_CHILD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestWrong passes an argument where there are none: one sentence and status 1.
func TestWrong(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// GCM_TEST_EXEC is what go test -exec was given, for a foreign architecture.
	args := append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self, "extra")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "ARM64_COST_CHILD=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Skip("no child processes here: ", err)
	}
	if status := cmd.ProcessState.ExitCode(); status != 1 || stdout.Len() > 0 ||
		stderr.String() != "arm64-cost: unexpected argument \"extra\"\n" {
		t.Errorf("status %d, says %q and %q", status, &stdout, &stderr)
	}
}
