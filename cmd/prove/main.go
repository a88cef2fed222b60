// SPDX-License-Identifier: ISC

// Prove decides, for all inputs, that every kernel computes what SP 800-38D
// says and touches only what its contract allows. Package
// internal/prove says how.
//
// Usage:
//
//	go run ./cmd/prove                      # every program of every kernel
//	go run ./cmd/prove -kernel eor3 -parts  # one kernel, with what its cases cover
//	go run ./cmd/prove -json                # one object a program
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/prove"
)

func main() {
	kernel := flag.String("kernel", "", "prove only this kernel")
	bits := flag.Int("bits", 0, "prove only programs for this key size")
	op := flag.String("op", "", "prove only init, seal, open, or another operation of a kernel")
	parts := flag.Bool("parts", false, "also print what the cases of each part cover")
	asJSON := flag.Bool("json", false, "print one JSON object a program")
	flag.Parse()
	if err := run(*kernel, *bits, *op, *parts, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func run(kernel string, bits int, op string, parts, asJSON bool) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err := known(kernel, bits, op); err != nil {
		return err
	}
	if err := prove.Lemma(); err != nil {
		return err
	}
	debug.SetGCPercent(800) // symbols live for one case, and there are many
	begin := time.Now()
	programs, cases, failed := 0, 0, 0
	for _, ps := range kernels.All() {
		for _, p := range ps {
			c := p.Contract
			if kernel != "" && c.Kernel != kernel || bits != 0 && c.Bits != bits || op != "" && c.Op != op {
				continue
			}
			r, err := prove.Program(p)
			if err != nil {
				return err
			}
			programs++
			cases += r.Cases
			if len(r.Failures) > 0 {
				failed++
			}
			if asJSON {
				if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
					return err
				}
				continue
			}
			report(r, parts)
		}
	}
	if !asJSON {
		fmt.Printf("%d programs, %d refused; %d cases in %.0f s\n", programs, failed, cases, time.Since(begin).Seconds())
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d programs refused", failed, programs)
	}
	return nil
}

// known refuses names and sizes that no program has.
func known(kernel string, bits int, op string) error {
	var names, ops []string
	for _, ps := range kernels.All() {
		names = append(names, ps[0].Contract.Kernel)
		for _, p := range ps {
			if !slices.Contains(ops, p.Contract.Op) {
				ops = append(ops, p.Contract.Op)
			}
		}
	}
	switch {
	case kernel != "" && !slices.Contains(names, kernel):
		return fmt.Errorf("no kernel %q; there are %s", kernel, strings.Join(names, ", "))
	case bits != 0 && bits != 128 && bits != 192 && bits != 256:
		return fmt.Errorf("no key size of %d bits; there are 128, 192, 256", bits)
	case op != "" && !slices.Contains(ops, op):
		return fmt.Errorf("no operation %q; there are %s", op, strings.Join(ops, ", "))
	}
	return nil
}

func report(r prove.Result, parts bool) {
	verdict := "proved "
	if len(r.Failures) > 0 {
		verdict = "REFUSED"
	}
	fmt.Printf("%s %-12s %d %-10s %5d instructions, %5d cases, %s, %.1f s\n",
		verdict, r.Kernel, r.Bits, r.Op, r.Instructions, r.Cases, r.Covers(), r.Seconds)
	for _, f := range r.Failures {
		fmt.Printf("  %s\n", f)
	}
	if !parts {
		return
	}
	for _, p := range r.Parts {
		fmt.Printf("  %5d  %s: %s\n", p.Cases, p.Name, p.Covers)
	}
}
