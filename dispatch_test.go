// SPDX-License-Identifier: ISC

package gcm

import (
	"slices"
	"testing"
)

func TestKernels(t *testing.T) {
	k := Kernels()
	if len(k) == 0 || k[len(k)-1] != "generic" {
		t.Fatalf("Kernels() is %q, want generic at its end", k)
	}
	k[0] = "spoilt"
	if slices.Contains(Kernels(), "spoilt") {
		t.Error("Kernels() hands out its own memory")
	}
}

func TestChoose(t *testing.T) {
	usable := []string{"best", "generic"}
	for _, c := range []struct{ asked, pinned, want, err string }{
		{"", "", "best", ""},
		{"", "generic", "generic", ""},
		{"best", "generic", "best", ""},
		{"best", "nonsense", "best", ""},
		{"nonsense", "best", "", `gcm: kernel "nonsense", asked for by Options.Kernel, is unusable: no such kernel; usable are best, generic`},
		{"", "nonsense", "", `gcm: kernel "nonsense", asked for by the environment variable GCM_KERNEL, is unusable: no such kernel; usable are best, generic`},
		{"eor3", "", "", `gcm: kernel "eor3", asked for by Options.Kernel, is unusable: it cannot run in this program on this machine; usable are best, generic`},
	} {
		got, err := choose(c.asked, c.pinned, usable)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("choose(%q, %q) is %q, %q; want %q, %q", c.asked, c.pinned, got, text, c.want, c.err)
		}
	}
}
