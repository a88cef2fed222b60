// SPDX-License-Identifier: ISC

package prove

import (
	"testing"

	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestProduct decides the lemma on which the meaning of products rests.
func TestProduct(t *testing.T) {
	if err := checkProduct(); err != nil {
		t.Fatal(err)
	}
}

// TestKernels proves the init programs, which is quick; cmd/prove proves all.
func TestKernels(t *testing.T) {
	for _, ps := range kernels.All() {
		for _, p := range ps {
			if p.Contract.Op != "init" || cases[p.Contract.Kernel] == nil {
				continue
			}
			r, err := Program(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Failures {
				t.Errorf("%s: %s", p.Name, f)
			}
		}
	}
}
