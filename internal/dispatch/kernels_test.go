// SPDX-License-Identifier: ISC

package dispatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestKernelsNeed checks that no kernel is dispatched to a processor without a
// feature that one of its instructions takes, and that its contract says so.
func TestKernelsNeed(t *testing.T) {
	var names []string
	for _, ps := range kernels.All() {
		c := ps[0].Contract
		names = append(names, c.Kernel)
		row := slices.IndexFunc(dispatch.Kernels, func(k dispatch.Kernel) bool { return k.Name == c.Kernel })
		if row < 0 {
			t.Errorf("kernel %s is never dispatched to", c.Kernel)
			continue
		}
		k := dispatch.Kernels[row]
		if k.Arch != ps[0].ISA.Name {
			t.Errorf("kernel %s is for %s, but dispatched to on %s", k.Name, ps[0].ISA.Name, k.Arch)
		}
		for _, p := range ps {
			for _, i := range p.Code {
				if i.Form == nil {
					continue
				}
				for _, f := range i.Needs() {
					if !slices.Contains(p.Contract.Features, f) {
						t.Errorf("%s: %v needs %s, which the contract does not name", p.Name, i.Form, f)
					}
				}
			}
			for _, f := range p.Contract.Features {
				if !slices.Contains(k.Needs, strings.ToLower(f)) {
					t.Errorf("%s needs %s, which dispatch does not ask for", p.Name, f)
				}
			}
		}
	}
	for _, k := range dispatch.Kernels {
		if k.Name != dispatch.Generic && !slices.Contains(names, k.Name) {
			t.Errorf("kernel %s does not exist", k.Name)
		}
	}
}
