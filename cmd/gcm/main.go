// SPDX-License-Identifier: ISC

// Command gcm shows what the package github.com/stitchgcm/gcm does on this
// machine.
//
//	gcm info            the processor's features, the kernels, and which is chosen
//	gcm speed           time per call beside crypto/cipher and the port limit
//	gcm check FILE      seals and opens a file, and compares with crypto/cipher
//
// It exits with 0 when all went well, with 2 when it was called wrongly, and
// with 1 when anything else failed; the reason is one sentence on standard
// error. It writes no files.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// command is one subcommand. Its run gets the words after the name.
type command struct {
	name, args, does string
	run              func(args []string, stdout io.Writer) error
}

func commands() []command {
	return []command{
		{"info", "[-json]", "show the processor's features, the kernels, and which is chosen and why", info},
		{"speed", "[-json] [-sizes N,…] [-bits N,…] [-kernels NAME,…] [-time D]", "time kernels, crypto/cipher and the port limit in turn", speed},
		{"check", "[-time D] FILE", "seal and open FILE, compare with crypto/cipher byte for byte, then time both", check},
	}
}

// usageError is the sentence for a wrong command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out one command line, reports what went wrong, and returns the
// exit status.
func run(args []string, stdout, stderr io.Writer) int {
	err := perform(args, stdout)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "gcm:", strings.TrimPrefix(err.Error(), "gcm: "))
	if usage := usageError(""); errors.As(err, &usage) {
		return 2
	}
	return 1
}

// perform carries out the command that args name.
func perform(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return usageError("no command given; choose one of info, speed, check, or see gcm help")
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(stdout)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], stdout)
		}
	}
	return usageError(fmt.Sprintf("unknown command %q; choose one of info, speed, check", args[0]))
}

func help(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n  gcm %s %s\n        %s\n", c.name, c.args, c.does)
	}
	b.WriteString("\nGCM_KERNEL=NAME in the environment pins a kernel, and GODEBUG=cpu.FEATURE=off hides\n" +
		"a feature. gcm COMMAND -h lists the flags of a command.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// parse reads the flags of a subcommand, of which at most words others may
// follow. done is true when only help was asked for, which is then printed.
func parse(fs *flag.FlagSet, args []string, words int, stdout io.Writer) (done bool, err error) {
	var text bytes.Buffer
	fs.SetOutput(&text)
	fs.Usage = func() {
		for _, c := range commands() {
			if c.name == fs.Name() {
				fmt.Fprintf(&text, "Usage: gcm %s %s\n", c.name, c.args)
			}
		}
		fs.PrintDefaults()
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := stdout.Write(text.Bytes())
		return true, err
	case err != nil:
		return false, usageError(fs.Name() + ": " + err.Error())
	case fs.NArg() > words:
		return false, usageError(fmt.Sprintf("%s: unexpected argument %q", fs.Name(), fs.Arg(words)))
	}
	return false, nil
}
