// SPDX-License-Identifier: ISC

package gcm

import (
	"slices"
	"strings"
	"testing"
)

// TestEverySubset tries dispatch on every subset of the features.
func TestEverySubset(t *testing.T) {
	count := 0
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		for _, goarch := range []string{"amd64", "arm64", "riscv64", "386"} {
			for bits := range 1 << 14 {
				f := features{goos: goos, goarch: goarch}
				fields := []*bool{&f.linked, &f.aes,
					&f.pclmulqdq, &f.avx, &f.avx2, &f.bmi1, &f.bmi2, &f.avx512, &f.avx512f, &f.avx512bw,
					&f.avx512dq, &f.avx512vl, &f.avx512vaes, &f.avx512vpclmulqdq}
				if goarch == "arm64" {
					fields = []*bool{&f.linked, &f.aes, &f.pmull, &f.sha3}
				}
				all := true
				for i, b := range fields {
					*b = bits>>i&1 == 1
					all = all && *b
				}
				want := kernelGeneric
				switch {
				case all && goarch == "amd64" && goos != "darwin":
					want, count = "vaes-avx512 generic", count+1
				case all && goarch == "arm64":
					want, count = "eor3 generic", count+1
				}
				if got := strings.Join(dispatch(f), " "); got != want {
					t.Fatalf("%+v: kernels are %q, want %q", f, got, want)
				}
			}
		}
	}
	if count == 0 {
		t.Error("no subset allows a kernel")
	}
}

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
