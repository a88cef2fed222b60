// SPDX-License-Identifier: ISC

// Import-asm writes every generated file of the module, or checks that the
// files there are what it would write, byte for byte.
//
// Usage, from the root of the module:
//
//	go run ./import-asm            # write
//	go run ./import-asm -check     # compare, exit status 1 on a difference
//	go run ./import-asm -list      # name the files
//	go run ./import-asm -schedule KERNEL [-bits N]
//	                               # print its bulk loops as its model runs them
//	go run ./import-asm -tree DIR -manifest FILE [-check]
//	                               # bring in a kernel of others, or compare it;
//	                               # see third_party/README.md
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "import-asm:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("import-asm", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	check := flags.Bool("check", false, "compare instead of writing")
	list := flags.Bool("list", false, "name the files instead of writing")
	schedule := flags.String("schedule", "", "print the bulk loops of a `kernel` with cycle, port and origin of each instruction instead of writing")
	bits := flags.Int("bits", 128, "key size in bits for -schedule")
	tree := flags.String("tree", "", "a source `directory` with a kernel of others to bring in, with -manifest")
	manifest := flags.String("manifest", "", "the `file` that describes the kernel in -tree")
	err := flags.Parse(args)
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(os.Stdout)
		fmt.Println("Usage: go run ./import-asm [flags]; without flags it writes every generated file")
		flags.PrintDefaults()
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *check && *list:
		return errors.New("-check and -list exclude each other")
	case given["schedule"] && (*check || *list):
		return errors.New("-schedule excludes -check and -list")
	case given["bits"] && !given["schedule"]:
		return errors.New("-bits goes with -schedule only")
	case given["tree"] != given["manifest"]:
		return errors.New("-tree and -manifest go together")
	case given["tree"] && (*list || given["schedule"]):
		return errors.New("-tree excludes -list and -schedule")
	case given["schedule"]:
		return printSchedules(os.Stdout, *schedule, *bits)
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if given["tree"] {
		return importForeign(root, *tree, *manifest, *check)
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for _, f := range files {
		switch {
		case *list:
			fmt.Println(f.name)
		case *check:
			if err := compare(root, f, "make regenerate"); err != nil {
				return err
			}
		default:
			if err := write(filepath.Join(root, f.name), f.data); err != nil {
				return err
			}
		}
	}
	if *check {
		fmt.Printf("%d generated files are up to date\n", len(files))
		return verifyForeign(root)
	}
	return nil
}

// moduleRoot returns the directory of this module's go.mod, at or above the
// working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		mod, err := os.ReadFile(filepath.Join(d, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module github.com/stitchgcm/gcm\n")) {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s is not inside the module github.com/stitchgcm/gcm", dir)
		}
	}
}

// compare reports the first line in which the file on disk differs, and what
// writes it anew.
func compare(root string, f file, remedy string) error {
	have, err := os.ReadFile(filepath.Join(root, f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing; run %s", f.name, remedy)
	}
	if err != nil {
		return err
	}
	if bytes.Equal(have, f.data) {
		return nil
	}
	h, w := strings.Split(string(have), "\n"), strings.Split(string(f.data), "\n")
	for i := range max(len(h), len(w)) {
		a, b := line(h, i), line(w, i)
		if a != b {
			return fmt.Errorf("%s differs at line %d; run %s\n  have %s\n  want %s", f.name, i+1, remedy, a, b)
		}
	}
	return fmt.Errorf("%s differs; run %s", f.name, remedy)
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of file)"
}

// write replaces a file in one step, so that none is ever half-written.
func write(name string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".import-asm-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Chmod(0o644)
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
