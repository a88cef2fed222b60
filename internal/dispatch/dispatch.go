// SPDX-License-Identifier: ISC

// Package dispatch knows which kernels there are, what each of them needs, and
// which can run on a host.
package dispatch

import "slices"

// Names of kernels.
const (
	VAESAVX512 = "vaes-avx512"
	VAESAVX2   = "vaes-avx2"
	AESNI      = "aesni"
	EOR3       = "eor3"
	PMULL      = "pmull"
	Generic    = "generic"
)

// A Kernel is one row of the table of kernels.
type Kernel struct {
	Name  string
	Arch  string   // GOARCH; "" for every one
	NotOn string   // GOOS where it never runs; "" for none
	Needs []string // names of features
}

// Kernels are all kernels there are, best first.
//
// Darwin turns AVX-512 on late, thread by thread, and some of its versions lose
// the mask registers in a signal: never there.
var Kernels = []Kernel{
	{VAESAVX512, "amd64", "darwin", []string{"aes", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "avx512",
		"avx512f", "avx512bw", "avx512dq", "avx512vl", "vaes", "vpclmulqdq"}},
	{VAESAVX2, "amd64", "", []string{"aes", "pclmulqdq", "avx", "avx2", "vaes", "vpclmulqdq"}},
	{AESNI, "amd64", "", []string{"aes", "pclmulqdq", "avx"}},
	{EOR3, "arm64", "", []string{"aes", "pmull", "sha3"}},
	{PMULL, "arm64", "", []string{"aes", "pmull"}},
	{Generic, "", "", nil},
}

// A Feature is what a processor may have. Its name is that under which
// GODEBUG=cpu.NAME=off hides it.
type Feature struct {
	Name string
	Has  bool
}

// A Host is all that the choice of kernels depends on.
type Host struct {
	OS, Arch string // GOOS and GOARCH
	Linked   bool   // the kernels of Arch are part of the program
	Features []Feature
}

// Usable returns the names of the kernels that can run on h, best first.
func (h Host) Usable() []string {
	var names []string
	for _, k := range Kernels {
		if k.Name == Generic || h.Linked && h.Arch == k.Arch && h.OS != k.NotOn && len(k.Missing(h.Features)) == 0 {
			names = append(names, k.Name)
		}
	}
	return names
}

// Missing returns the names of the features that k needs and has lacks.
func (k Kernel) Missing(has []Feature) []string {
	var names []string
	for _, name := range k.Needs {
		if !slices.Contains(has, Feature{name, true}) {
			names = append(names, name)
		}
	}
	return names
}
