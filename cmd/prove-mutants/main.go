// SPDX-License-Identifier: ISC

// Prove-mutants tests the proofs: it changes single instructions of every
// kernel and wants each changed program to be refused, or to do the same for a
// reason that it prints. The choice of changes is the same at each run.
//
// Usage:
//
//	go run ./cmd/prove-mutants                # every kernel
//	go run ./cmd/prove-mutants -kernel eor3   # one kernel
//	go run ./cmd/prove-mutants -n 5000        # more mutants of each
//	go run ./cmd/prove-mutants -json          # one object a kernel
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/prove"
)

func main() {
	kernel := flag.String("kernel", "", "test only the proof of this kernel")
	n := flag.Int("n", prove.DefaultMutants, "mutants of each kernel")
	asJSON := flag.Bool("json", false, "print one JSON object a kernel")
	flag.Parse()
	if err := run(*kernel, *n, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "prove-mutants:", err)
		os.Exit(1)
	}
}

func run(kernel string, n int, asJSON bool) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case n < 1:
		return fmt.Errorf("%d mutants are too few", n)
	}
	begin := time.Now()
	var names []string
	tested, mutants, equivalent, holes, stale := 0, 0, 0, 0, 0
	for _, ps := range kernels.All() {
		name := ps[0].Contract.Kernel
		names = append(names, name)
		if kernel != "" && kernel != name {
			continue
		}
		r, err := prove.Mutants(ps, n)
		if err != nil {
			return err
		}
		tested++
		mutants += r.Mutants
		equivalent += len(r.Equivalent)
		holes += len(r.Survivors)
		stale += len(r.Stale)
		if asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
			continue
		}
		report(r)
	}
	if tested == 0 {
		return fmt.Errorf("no kernel %q; there are %s", kernel, strings.Join(names, ", "))
	}
	if !asJSON {
		fmt.Printf("%d kernels, %d mutants: %d refused, %d equivalent, %d survivors; %d stale entries; %.0f s\n",
			tested, mutants, mutants-equivalent-holes, equivalent, holes, stale, time.Since(begin).Seconds())
	}
	if holes > 0 || stale > 0 {
		return fmt.Errorf("%d survivors without a reason, %d stale entries in the table of equivalents", holes, stale)
	}
	return nil
}

// report prints a line for the kernel, and one for each mutant that passes.
func report(r prove.MutantReport) {
	var kinds []string
	refused := 0
	for _, k := range prove.Kinds {
		if r.Made[k] > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d/%d", k, r.Refused[k], r.Made[k]))
			refused += r.Refused[k]
		}
	}
	fmt.Printf("%-12s %d of %d mutants refused (%s), %d equivalent, %d survivors, %d cases, %.0f s\n", r.Kernel,
		refused, r.Mutants, strings.Join(kinds, ", "), len(r.Equivalent), len(r.Survivors), r.Cases, r.Seconds)
	for _, e := range r.Equivalent {
		fmt.Printf("  equivalent: %s: %s\n", e.Mutant, e.Reason)
	}
	for _, s := range r.Survivors {
		fmt.Printf("  SURVIVOR: %s\n", s)
	}
	for _, s := range r.Stale {
		fmt.Printf("  STALE: %s\n", s)
	}
}
