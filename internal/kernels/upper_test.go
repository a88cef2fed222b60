// SPDX-License-Identifier: ISC

package kernels

import (
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
)

// TestUpperHalves checks that each way out ends with vzeroupper, without
// which all narrower vector code is slow from then on.
func TestUpperHalves(t *testing.T) {
	for _, p := range slices.Concat(VaesAVX512(), VaesAVX2()) {
		returns := 0
		for n, i := range p.Code {
			if i.Form == nil || i.Form.Flow != ir.Return {
				continue
			}
			returns++
			at := n - 1
			for p.Code[at].Frame {
				at--
			}
			if before := p.Code[at]; before.Form == nil || before.Form.Mnemonic != "vzeroupper" {
				t.Errorf("%s: no vzeroupper before instruction %d, %s", p.Name, n, i.Form.Mnemonic)
			}
		}
		if returns == 0 {
			t.Errorf("%s never returns", p.Name)
		}
	}
}
