// SPDX-License-Identifier: ISC

package kernels

import (
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
)

// TestBulkLoop looks at the loop of every program that has one: it must store
// what it takes, and every port that it uses must be one of the model's.
func TestBulkLoop(t *testing.T) {
	for n, ps := range All() {
		if name := ps[0].Contract.Kernel; name != Names()[n] {
			t.Errorf("kernel %s is called %s", name, Names()[n])
		} else if len(Programs(name)) != len(ps) {
			t.Errorf("kernel %s has %d programs, and %d when asked for by name", name, len(ps), len(Programs(name)))
		}
		for _, p := range ps {
			if !p.Contract.Whole() && !strings.HasSuffix(p.Contract.Op, "_turns") {
				continue
			}
			l := BulkLoop(p)
			if l.Bytes != p.Contract.Turn {
				t.Errorf("%s: a turn takes %d bytes, want %d", p.Name, l.Bytes, p.Contract.Turn)
			}
			if back := l.Code[len(l.Code)-1]; back.Form == nil || back.Form.Flow != ir.Branch {
				t.Errorf("%s: the loop does not end with a branch", p.Name)
			}
			for _, i := range l.Code {
				if i.Form != nil && l.Model.Cost(i).Ports>>l.Model.Ports != 0 {
					t.Errorf("%s: %s may issue on a port that the model %s lacks", p.Name, i.Form, l.Model.Name)
				}
			}
		}
	}
}

// TestNoBulkLoop asks for the loop of a program without one.
func TestNoBulkLoop(t *testing.T) {
	ps := VaesAVX512()
	p := ps[slices.IndexFunc(ps, func(p *ir.Program) bool { return p.Contract.Op == "init" })]
	defer func() {
		if recover() == nil {
			t.Errorf("%s has a bulk loop", p.Name)
		}
	}()
	BulkLoop(p)
}
