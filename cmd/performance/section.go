// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/stitchgcm/gcm/internal/record"
)

// section writes what the page says about a machine: how it was timed, the plots
// and the tables.
func (m machine) section(w io.Writer, plots []namedPlot) {
	fmt.Fprintf(w, "\n### %s\n\n", m.name)
	cgo := "without cgo"
	if m.run.Cgo {
		cgo = "with cgo"
	}
	fmt.Fprintf(w, "%s; %s/%s, %s, %s; %s.\n", orUnknown(m.run.CPU), m.run.OS, m.run.Arch, m.run.Go, cgo, m.run.Date)
	fmt.Fprintf(w, "One thread, %d bytes of additional data; %s in %d turns for each time.\n\n", m.run.AAD, m.run.Time, m.run.Turns)
	fmt.Fprintf(w, "    %s\n    %s\n", m.run.Command, m.every.Command)
	for _, p := range plots {
		fmt.Fprintf(w, "\n![%s](results/%s/%s)\n", p.chart.Title, m.name, p.name)
	}
	fmt.Fprintf(w, "\n\"Times\" is against crypto/cipher in the same run, \"limit\" the share of the kernel's port limit.\n")
	for _, kernel := range m.run.Kernels {
		for _, bits := range m.bits() {
			m.table(w, kernel, bits)
		}
	}
	fmt.Fprintln(w)
}

func orUnknown(cpu string) string {
	if cpu == "" {
		return "Processor unknown"
	}
	return cpu
}

// bits returns the key sizes that were timed, in order.
func (m machine) bits() (bits []int) {
	for _, r := range m.rows {
		if !slices.Contains(bits, r.Bits) {
			bits = append(bits, r.Bits)
		}
	}
	slices.Sort(bits)
	return bits
}

// table writes all times of a kernel with keys of a size, folded under the most
// telling ones.
func (m machine) table(w io.Writer, kernel string, bits int) {
	byOp := map[string][]record.Row{}
	for _, r := range m.rows {
		if r.Impl == record.GCM && r.Kernel == kernel && r.Bits == bits {
			byOp[r.Op] = append(byOp[r.Op], r)
		}
	}
	digest := ""
	for _, r := range byOp["seal"] {
		if r.Size == 16<<10 {
			digest = fmt.Sprintf(": %.1f GB/s sealing 16 KiB, %.2f times crypto/cipher", r.GBPS, r.Times)
			if r.Share > 0 {
				digest += fmt.Sprintf(", %.2f of the limit", r.Share)
			}
		}
	}
	fmt.Fprintf(w, "\n<details><summary>%s, AES-%d%s</summary>\n\n", kernel, bits, digest)
	fmt.Fprint(w, "| bytes | seal ns | GB/s | times | limit | open ns | GB/s | times | limit |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, seal := range byOp["seal"] {
		fmt.Fprintf(w, "| %d |%s", seal.Size, cells(seal))
		for _, open := range byOp["open"] {
			if open.Size == seal.Size {
				fmt.Fprint(w, cells(open))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\n</details>\n")
}

// cells returns the four cells of a time.
func cells(r record.Row) string {
	share := "–"
	if r.Share > 0 {
		share = fmt.Sprintf("%.2f", r.Share)
	}
	return fmt.Sprintf(" %s | %.2f | %.2f | %s |", nanoseconds(r.NS), r.GBPS, r.Times, share)
}

// nanoseconds gives long times without decimals.
func nanoseconds(ns float64) string {
	if ns >= 1000 {
		return fmt.Sprintf("%.0f", ns)
	}
	return fmt.Sprintf("%.1f", ns)
}

// size returns a number of bytes in its shortest form: 1350, 16K, 1M.
func size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n)
}
