// SPDX-License-Identifier: ISC

// Arm64-cost prints two estimates of the kernels for arm64: cycles of their bulk
// loops on models of cores, and instructions of whole calls from C. Package
// internal/cost says how they are made.
//
// Usage, from the root of the module:
//
//	go run ./cmd/arm64-cost
package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/stitchgcm/gcm/internal/cost"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "arm64-cost:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 {
		return fmt.Errorf("unexpected argument %q", os.Args[1])
	}
	all := [][]*ir.Program{kernels.Eor3(), kernels.Pmull()}
	fmt.Printf("Cycles for 128 bytes in the bulk loop, by the models of %s:\n\n", cost.Modeller)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "kernel\tbits\t\t")
	for _, core := range cost.Cores {
		fmt.Fprint(w, core, "\t")
	}
	fmt.Fprintln(w)
	for _, ps := range all {
		for _, p := range ps {
			c := p.Contract
			if !c.Whole() {
				continue
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t", c.Kernel, c.Bits, c.Op)
			for _, core := range cost.Cores {
				n, err := cost.Cycles(p, core)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%.1f\t", n)
			}
			fmt.Fprintln(w)
		}
	}
	w.Flush()

	fmt.Printf("\nInstructions of a whole call from C, by bytes of text, with 13 bytes of additional data:\n\n")
	fmt.Fprint(w, "kernel\tbits\t\t")
	for _, n := range cost.Sizes {
		fmt.Fprint(w, n, "\t")
	}
	fmt.Fprintln(w)
	for _, ps := range all {
		for _, bits := range []int{128, 192, 256} {
			kernel := ps[0].Contract.Kernel
			counts, err := cost.Calls(".", kernel, bits)
			if err != nil {
				return err
			}
			for _, op := range []string{"seal", "open"} {
				fmt.Fprintf(w, "%s\t%d\t%s\t", kernel, bits, op)
				for _, n := range cost.Sizes {
					fmt.Fprint(w, counts[cost.Call{Op: op, Size: n}], "\t")
				}
				fmt.Fprintln(w)
			}
		}
	}
	return w.Flush()
}
