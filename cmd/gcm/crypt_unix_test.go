// SPDX-License-Identifier: ISC

//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestChild is no test: it is the command, for tests that need it in a process of
// its own.
func TestChild(t *testing.T) {
	args, ok := os.LookupEnv("GCM_TEST_ARGS")
	if !ok {
		t.Skip("runs only as a child of other tests")
	}
	os.Exit(run(strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// child is the command in a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// GCM_TEST_EXEC is what go test -exec was given, for a foreign architecture.
	words := append(strings.Fields(os.Getenv("GCM_TEST_EXEC")), self, "-test.run=^TestChild$")
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "GCM_TEST_ARGS="+strings.Join(args, "\n"), keyVariable+"="+strings.Repeat("7", 64))
	return cmd
}

// eventually waits until f holds.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// A signal that ends the program leaves nothing behind but what was there before.
func TestSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		// A child inherits what is ignored, as under nohup, but not what is caught.
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, s)
		defer signal.Stop(caught)
		for _, command := range []string{"encrypt", "decrypt"} {
			if testing.Short() && (s == syscall.SIGTERM) != (command == "encrypt") {
				continue
			}
			dir := t.TempDir()
			out := write(t, dir, "out", []byte("as it was"))
			cmd := child(t, command, "-segment", "64", "-out", out)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "a temporary file", func() bool { return len(names(t, dir)) == 2 })
			if command == "encrypt" {
				// As much as is written out before the end.
				stdin.Write(someText(2 << 20))
			}
			time.Sleep(50 * time.Millisecond)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			stdin.Close()
			if s == syscall.SIGQUIT {
				// Go prints its stacks and ends with a status of its own.
				if cmd.ProcessState.Success() {
					t.Errorf("%v: %v", s, cmd.ProcessState)
				}
			} else if status := cmd.ProcessState.Sys().(syscall.WaitStatus); (!status.Signaled() || status.Signal() != s) && status.ExitStatus() != 128+int(s) {
				t.Errorf("%v: %v", s, cmd.ProcessState)
			}
			if left := names(t, dir); !slices.Equal(left, []string{"out"}) || string(read(t, out)) != "as it was" {
				t.Errorf("%v: files %q", s, left)
			}
		}
	}
}

// A signal that is ignored, as under nohup, stays so.
func TestIgnoredSignal(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	cmd := child(t, "encrypt", "-out", out)
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = shell
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a temporary file", func() bool { return len(names(t, dir)) == 1 })
	cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"out"}) {
		t.Errorf("files %q", left)
	}
}

// The commands that README.md shows do what it says.
func TestReadme(t *testing.T) {
	for _, program := range []string{"sh", "tar", "head"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	readme := string(read(t, filepath.Join("..", "..", "README.md")))
	_, script, found := strings.Cut(readme, "```sh\n(umask")
	script, _, end := strings.Cut("(umask"+script, "```")
	if !found || !end {
		t.Fatal("the commands are not in README.md")
	}
	dir := t.TempDir()
	gcm := child(t)
	wrapper := "#!/bin/sh\nGCM_TEST_ARGS=$(printf '%s\\n' \"$@\") exec '" + strings.Join(gcm.Args, "' '") + "'\n"
	if err := os.WriteFile(write(t, dir, "gcm", nil), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "gcm"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", "tar -cf backup.tar gcm\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "gcm\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Without a terminal there is no bar.
func TestNoBar(t *testing.T) {
	cmd := child(t, "encrypt", "-out", filepath.Join(t.TempDir(), "out"))
	var messages bytes.Buffer
	cmd.Stderr = &messages
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	stdin.Close()
	if err := cmd.Wait(); err != nil || messages.Len() > 0 {
		t.Errorf("%v, %q", err, &messages)
	}
}

// readUntil reads until all words have come.
func readUntil(t *testing.T, r io.Reader, words ...string) {
	t.Helper()
	var all []byte
	for buf := make([]byte, 1000); len(words) > 0; {
		n, err := r.Read(buf)
		all = append(all, buf[:n]...)
		for len(words) > 0 && bytes.Contains(all, []byte(words[0])) {
			words = words[1:]
		}
		if err != nil && len(words) > 0 {
			t.Fatalf("no %q in %q: %v", words[0], all, err)
		}
	}
}
