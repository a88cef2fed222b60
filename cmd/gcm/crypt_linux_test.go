// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal makes a terminal: what is written to the second file is read from
// the first.
func newTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Skip(err)
	}
	return screen, terminal
}

// On a terminal a bar is shown and taken away.
func TestTerminal(t *testing.T) {
	screen, terminal := newTerminal(t)
	if width(terminal) != 60 {
		t.Errorf("width %d", width(terminal))
	}
	cmd := child(t, "encrypt", "-out", filepath.Join(t.TempDir(), "out"))
	cmd.Stderr = terminal
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go stdin.Write(someText(1 << 20))
	readUntil(t, screen, "1.0 MiB, ", "KiB/s, 0:0")
	stdin.Close()
	readUntil(t, screen, "\r  ", "\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// What is encrypted is not shown on a terminal.
func TestNoTerminal(t *testing.T) {
	screen, terminal := newTerminal(t)
	cmd := child(t, "encrypt")
	cmd.Stdout, cmd.Stderr = terminal, terminal
	if err := cmd.Run(); err == nil {
		t.Error("it is")
	}
	readUntil(t, screen, "standard output is a terminal", "-out")

	// Text is, and no bar beside it.
	t.Setenv(keyVariable, strings.Repeat("7", 64))
	sealed, err := filter(encrypt, []byte("a text to be read"))
	if err != nil {
		t.Fatal(err)
	}
	cmd = child(t, "decrypt")
	cmd.Stdout, cmd.Stderr = terminal, terminal
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdin.Write(sealed)
	stdin.Close()
	readUntil(t, screen, "a text to be read")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A pipe with a name is written, not replaced.
func TestNamedPipe(t *testing.T) {
	t.Setenv(keyVariable, strings.Repeat("7", 64))
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	text := someText(100_000)
	in := write(t, dir, "in", text)
	got := make(chan []byte)
	go func() {
		sealed, err := os.ReadFile(pipe)
		if err != nil {
			t.Error(err)
		}
		got <- sealed
	}()
	if status, _, stderr := call("encrypt", "-in", in, "-out", pipe); status != 0 {
		t.Fatal(stderr)
	}
	if again, err := filter(decrypt, <-got); err != nil || !bytes.Equal(again, text) {
		t.Errorf("%d bytes, %v", len(again), err)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v, %v", info.Mode(), err)
	}
}
