// SPDX-License-Identifier: ISC

// Command gcm encrypts and decrypts files, and shows what the package
// github.com/stitchgcm/gcm does on this machine.
//
//	gcm info            the processor's features, the kernels, and which is chosen
//	gcm speed           time per call beside crypto/cipher and the port limit
//	gcm check FILE      seals and opens a file, and compares with crypto/cipher
//	gcm encrypt         encrypts a file or standard input
//	gcm decrypt         decrypts what gcm encrypt, or Tink, has encrypted
//
// It exits with 0 when all went well, with 2 when it was called wrongly, and
// with 1 when anything else failed; the reason is one sentence on standard
// error.
//
// # Files
//
// What gcm encrypt writes is the format of the package stream, with HKDF over
// SHA-256 and segments of 1 MiB: with a key of 32 bytes Tink's
// AES256_GCM_HKDF_1MB, with one of 16 bytes Tink's AES128_GCM_HKDF_1MB. -segment
// chooses another size of segments; it is not written in the file, and gcm
// decrypt needs the same.
//
// A file that -out names appears when it is whole and safe on disk, or not at
// all: neither an error nor an interrupt leaves anything behind, and a file that
// had the name stays until it is replaced.
//
// Where gcm decrypt writes to a pipe, it hands out each segment once it has
// found it authentic. A file that was cut short or changed further on is known
// only then, when what lies before has been handed out: gcm decrypt ends with a
// status other than 0, and its reader should throw away what it got.
//
// The key is never an argument, which others could see. On a terminal a bar
// shows what is done, how fast, and how long the rest takes.
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
		{"speed", "[-json] [-sizes N,…] [-bits N,…] [-kernels NAME,…] [-door NAME,…] [-batch N] [-time D] [-turns N]", "time kernels, crypto/cipher and the port limit in turn", speed},
		{"check", "[-time D] [-turns N] FILE", "seal and open FILE, compare with crypto/cipher byte for byte, then time both", check},
		{"encrypt", cryptArgs, "encrypt a file, so that gcm decrypt and Tink can decrypt it", func(args []string, stdout io.Writer) error {
			return encrypt(args, os.Stdin, stdout, os.Stderr)
		}},
		{"decrypt", cryptArgs, "decrypt a file that gcm encrypt or Tink's AES-GCM-HKDF streaming has encrypted", func(args []string, stdout io.Writer) error {
			return decrypt(args, os.Stdin, stdout, os.Stderr)
		}},
	}
}

const cryptArgs = "[-key-file FILE] [-aad TEXT] [-segment BYTES] [-in FILE] [-out FILE]"

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
		return usageError("no command given; choose one of info, speed, check, encrypt, decrypt, or see gcm help")
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
	return usageError(fmt.Sprintf("unknown command %q; choose one of info, speed, check, encrypt, decrypt", args[0]))
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
