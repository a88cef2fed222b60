// SPDX-License-Identifier: ISC

package dispatch

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

// needs lists, once more and apart from the table, what the kernels of each
// architecture need; pmull does without the last.
var needs = map[string][]string{
	"amd64": {"aes", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "avx512",
		"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vaes", "avx512vpclmulqdq"},
	"arm64": {"aes", "pmull", "sha3"},
}

// TestEverySubset tries every subset of the features.
func TestEverySubset(t *testing.T) {
	count := 0
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		for _, goarch := range []string{"amd64", "arm64", "riscv64", "386"} {
			names := needs[goarch]
			if names == nil {
				names = needs["amd64"]
			}
			for bits := range 1 << (1 + len(names)) {
				h := Host{OS: goos, Arch: goarch, Linked: bits&1 == 1}
				all, most := h.Linked, h.Linked // most: all but the last
				for i, name := range names {
					has := bits>>(i+1)&1 == 1
					h.Features = append(h.Features, Feature{name, has})
					all = all && has
					most = most && (has || i == len(names)-1)
				}
				want := "generic"
				switch {
				case all && goarch == "amd64" && goos != "darwin":
					want, count = "vaes-avx512 generic", count+1
				case all && goarch == "arm64":
					want, count = "eor3 pmull generic", count+1
				case most && goarch == "arm64":
					want, count = "pmull generic", count+1
				}
				if got := strings.Join(h.Usable(), " "); got != want {
					t.Fatalf("%+v: kernels are %q, want %q", h, got, want)
				}
			}
		}
	}
	if want := 3 + 2*4; count != want {
		t.Errorf("%d subsets allow a kernel, want %d", count, want)
	}
}

// TestFeatures checks that every feature which a kernel of this architecture
// needs is looked for.
func TestFeatures(t *testing.T) {
	var names []string
	for _, f := range Features() {
		names = append(names, f.Name)
	}
	if want := needs[runtime.GOARCH]; !slices.Equal(names, want) {
		t.Errorf("features are %q, want %q", names, want)
	}
}
