// SPDX-License-Identifier: ISC

package kernels

import (
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
)

// TestAhead: a turn of vaes-avx512 for turns fetches every cache line of the turn
// after the next, and the other programs fetch nothing, since what is behind a
// message that is not long belongs to somebody else.
func TestAhead(t *testing.T) {
	for _, ps := range All() {
		for _, p := range ps {
			var want, have []int64
			op := p.Contract.Op
			if p.Contract.Kernel == "vaes-avx512" && (op == "seal_turns" || op == "open_turns") {
				for at := int64(2 * vaesTurn); at < 3*vaesTurn; at += 64 {
					want = append(want, at)
				}
			}
			looped := false
			for _, i := range p.Code {
				switch {
				case i.Form == nil:
					looped = looped || i.Label == "bulk_turn"
				case i.Form.Hint:
					if a := i.Args[0]; !looped || a.Mem.Base != rIn.Reg {
						t.Errorf("%s: %s is no fetch of the text by the loop", p.Name, p.ISA.Text(a, p))
					}
					have = append(have, i.Args[0].Mem.Disp)
				case i.Form.Flow == ir.Branch:
					looped = false
				}
			}
			if slices.Sort(have); !slices.Equal(have, want) {
				t.Errorf("%s: fetches %d, want %d", p.Name, have, want)
			}
		}
	}
}
