// SPDX-License-Identifier: ISC

package dispatch

import (
	"runtime"
	"slices"
	"testing"
)

// needs lists, once more and apart from the table, what the kernels of each
// architecture need, best last: each takes the features of those before it too.
var needs = map[string][]struct {
	kernel   string
	features []string
}{
	"amd64": {
		{"aesni", []string{"aes", "pclmulqdq", "avx"}},
		{"vaes-avx2", []string{"avx2", "vaes", "vpclmulqdq"}},
		{"vaes-avx512", []string{"bmi1", "bmi2", "avx512", "avx512f", "avx512bw", "avx512dq", "avx512vl"}},
	},
	"arm64": {
		{"pmull", []string{"aes", "pmull"}},
		{"eor3", []string{"sha3"}},
	},
}

// featuresOf returns the features that the kernels of an architecture need.
func featuresOf(goarch string) (names []string) {
	for _, k := range needs[goarch] {
		names = append(names, k.features...)
	}
	return names
}

// TestEverySubset tries every subset of the features.
func TestEverySubset(t *testing.T) {
	count := 0 // subsets that allow a kernel
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		for _, goarch := range []string{"amd64", "arm64", "riscv64", "386"} {
			names := featuresOf(goarch)
			if names == nil {
				names = featuresOf("amd64")
			}
			for bits := range 1 << (1 + len(names)) {
				h := Host{OS: goos, Arch: goarch, Linked: bits&1 == 1}
				has := map[string]bool{}
				for i, name := range names {
					has[name] = bits>>(i+1)&1 == 1
					h.Features = append(h.Features, Feature{name, has[name]})
				}
				want := []string{"generic"}
				if h.Linked {
					for _, k := range needs[goarch] {
						if slices.ContainsFunc(k.features, func(name string) bool { return !has[name] }) {
							break
						}
						if k.kernel != "vaes-avx512" || goos != "darwin" {
							want = append([]string{k.kernel}, want...)
						}
					}
				}
				if got := h.Usable(); !slices.Equal(got, want) {
					t.Fatalf("%+v: kernels are %q, want %q", h, got, want)
				}
				if len(want) > 1 {
					count++
				}
			}
		}
	}
	// On amd64 ten features may be there or not beside those of aesni, on arm64
	// one beside those of pmull.
	if want := 4*1<<10 + 4*1<<1; count != want {
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
	want := featuresOf(runtime.GOARCH)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("features are %q, want %q", names, want)
	}
}
