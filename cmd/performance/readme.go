// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/stitchgcm/gcm/internal/record"
)

// readmeSizes are the sizes in the table of the README, in bytes.
var readmeSizes = []int{16, 64, 256, 1350, 4096, 16 << 10, 64 << 10, 1 << 20}

// digest writes what the README says about a machine: how long the best kernel
// and crypto/cipher seal messages of some sizes, and a plot.
func (m machine) digest(w io.Writer, plots []namedPlot) {
	best, bits := m.run.Kernels[0], m.bits()
	fmt.Fprintf(w, "\n%s, kernel `%s`, one thread; nanoseconds for a message sealed, beside crypto/cipher's:\n\n| bytes |", orUnknown(m.run.CPU), best)
	for _, b := range bits {
		fmt.Fprintf(w, " AES-%d | crypto/cipher | times |", b)
	}
	fmt.Fprint(w, "\n|--:|")
	for range bits {
		fmt.Fprint(w, "--:|--:|--:|")
	}
	fmt.Fprintln(w)
	for _, size := range readmeSizes {
		cells := ""
		for _, b := range bits {
			ours, theirs := m.seal(record.GCM, best, b, size), m.seal(record.Stdlib, "", b, size)
			if ours == nil || theirs == nil {
				continue
			}
			cells += fmt.Sprintf(" %s | %s | %.2f |", nanoseconds(ours.NS), nanoseconds(theirs.NS), ours.Times)
		}
		if cells != "" {
			fmt.Fprintf(w, "| %d |%s\n", size, cells)
		}
	}
	if len(plots) > 0 {
		fmt.Fprintf(w, "\n![%s](%s/%s/%s)\n", plots[0].chart.Title, resultsDir, m.name, plots[0].name)
	}
	fmt.Fprintln(w)
}

// seal returns the time of sealing a message, or nil.
func (m machine) seal(impl, kernel string, bits, size int) *record.Row {
	i := slices.IndexFunc(m.rows, func(r record.Row) bool {
		return r.Impl == impl && r.Kernel == kernel && r.Bits == bits && r.Size == size && r.Op == "seal" && r.Door == ""
	})
	if i < 0 {
		return nil
	}
	return &m.rows[i]
}
