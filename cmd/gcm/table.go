// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/record"
)

// heading explains the table for people to read.
func heading(w io.Writer, p pace) {
	fmt.Fprintf(w, "Time per call with %d bytes of additional data: the fastest of %d turns, spread over the whole\n"+
		"run, %v a row, at the clock that the processor had most of the time. GB/s are 10^9 bytes a second;\n"+
		"\"times\" is against crypto/cipher; \"limit\" is the share of the kernel's port limit, where it can be measured.\n\n", aadSize, p.turns, p.time)
}

// doorOf names the door that the messages of a row took, or "-" for generic, which
// has none.
func doorOf(r record.Row) string {
	switch {
	case r.Kernel == dispatch.Generic:
		return "-"
	case r.Door != "":
		return r.Door
	}
	return dispatch.Doors[dispatch.DoorFor(r.Size+aadSize+nonceSize, nonceSize, cshim.Linked, cshim.Foreign != "")]
}

// table prints one line for each kernel's row of a race.
func table(out io.Writer, rows []record.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "bits\tbytes\top\tkernel\tdoor\tns\tGB/s\tcrypto/cipher ns\tGB/s\ttimes\tlimit\t\n")
	var std record.Row
	for _, r := range rows {
		switch r.Impl {
		case record.Stdlib:
			std = r
		case record.GCM:
			name, share := r.Kernel, "-"
			if r.Batch > 0 {
				name = fmt.Sprintf("%s, %d at once", r.Kernel, r.Batch)
			}
			if r.Share > 0 {
				share = fmt.Sprintf("%.2f", r.Share)
			}
			fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%.1f\t%.2f\t%.1f\t%.2f\t%.2f\t%s\t\n",
				r.Bits, r.Size, r.Op, name, doorOf(r), r.NS, r.GBPS, std.NS, std.GBPS, r.Times, share)
		}
	}
	return w.Flush()
}
