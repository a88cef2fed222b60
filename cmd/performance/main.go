// SPDX-License-Identifier: ISC

// Performance renders what was timed: the plots beside the result files in
// docs/results, and the parts of docs/PERFORMANCE.md and README.md between two marks.
//
// Usage, from the root of the module:
//
//	go run ./cmd/performance           # write
//	go run ./cmd/performance -check    # compare, exit status 1 on a difference
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/stitchgcm/gcm/internal/record"
)

// Where everything is, from the root of the module.
const (
	resultsDir = "docs/results"
	page       = "docs/PERFORMANCE.md"
	readme     = "README.md"
)

// The files of a machine, in a directory of its own. Both are as gcm speed -json
// prints them; see scripts/record.
const (
	sizesFile = "sizes.jsonl"      // some sizes, everything else in every way
	everyFile = "every-size.jsonl" // every size up to a few thousand bytes
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// run carries out a command line for the module in directory root.
func run(root string, args []string) error {
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	check := flags.Bool("check", false, "compare instead of writing")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(os.Stdout)
		fmt.Println("Usage: go run ./cmd/performance [flags]; without flags it writes the page, its plots and the table of the README")
		flags.PrintDefaults()
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	files, err := render(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(root, f.name)
		have, err := os.ReadFile(name)
		switch {
		case err == nil && bytes.Equal(have, f.data):
		case *check:
			return fmt.Errorf("%s is not what the result files give; run make performance", f.name)
		default:
			if err := os.WriteFile(name, f.data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// A file is one rendered file; its name is relative to the root of the module.
type file struct {
	name string
	data []byte
}

// A machine is what was timed on one.
type machine struct {
	name   string // of its directory
	run    record.Run
	rows   []record.Row
	every  record.Run
	sweeps []record.Sweep
}

// render returns all rendered files.
func render(root string) ([]file, error) {
	names, err := filepath.Glob(filepath.Join(root, resultsDir, "*", sizesFile))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no %s/*/%s here; run this from the root of the module", resultsDir, sizesFile)
	}
	slices.Sort(names)
	var files []file
	var sections, digests bytes.Buffer
	for _, name := range names {
		m, err := load(filepath.Dir(name))
		if err != nil {
			return nil, err
		}
		plots := m.plots()
		for _, p := range plots {
			files = append(files, file{resultsDir + "/" + m.name + "/" + p.name, p.chart.SVG()})
		}
		m.section(&sections, plots)
		m.digest(&digests, plots)
	}
	for _, f := range []file{{page, sections.Bytes()}, {readme, digests.Bytes()}} {
		old, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			return nil, err
		}
		text, err := between(old, f.data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		files = append(files, file{f.name, text})
	}
	return files, nil
}

// load reads the result files of a machine.
func load(dir string) (m machine, err error) {
	m.name = filepath.Base(dir)
	read := func(name string) (run record.Run, rows []record.Row, sweeps []record.Sweep, err error) {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return run, nil, nil, err
		}
		defer f.Close()
		run, rows, sweeps, err = record.Read(f)
		if err != nil {
			err = fmt.Errorf("%s: %w", f.Name(), err)
		}
		return run, rows, sweeps, err
	}
	if m.run, m.rows, _, err = read(sizesFile); err != nil {
		return m, err
	}
	if len(m.rows) == 0 {
		return m, fmt.Errorf("%s: no times in it", filepath.Join(dir, sizesFile))
	}
	m.every, _, m.sweeps, err = read(everyFile)
	return m, err
}

// The marks between which the page is rendered.
const (
	begin = "<!-- What follows is written by make performance from docs/results. -->\n"
	end   = "<!-- What precedes was written by make performance. -->\n"
)

// between puts text between the marks of a page.
func between(page, text []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, errors.New("it lacks one of the marks between which it is rendered")
	}
	return slices.Concat(before, []byte(begin), text, []byte(end), after), nil
}
