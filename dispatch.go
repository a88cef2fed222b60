// SPDX-License-Identifier: ISC

package gcm

import (
	"os"
	"runtime"
	"slices"
)

// Names of kernels.
const (
	kernelVAES    = "vaes-avx512"
	kernelEOR3    = "eor3"
	kernelGeneric = "generic"
)

// allKernels names every kernel there is, on any machine.
var allKernels = []string{kernelVAES, kernelEOR3, kernelGeneric}

var (
	// usable are the kernels that this program can run on this machine, best first.
	usable = dispatch(detect())

	// pinned is the kernel that GCM_KERNEL asks for, or "".
	pinned = os.Getenv("GCM_KERNEL")
)

// features is all that the choice of kernels depends on. The processor features
// count only where the operating system also keeps their registers.
type features struct {
	goos, goarch string
	linked       bool // the kernels are part of this program

	aes bool // amd64 and arm64

	pclmulqdq, avx, avx2, bmi1, bmi2       bool // amd64
	avx512, avx512f, avx512bw, avx512dq    bool // amd64
	avx512vl, avx512vaes, avx512vpclmulqdq bool // amd64
	pmull, sha3                            bool // arm64
}

// detect returns the features found here, as GODEBUG=cpu.* leaves them.
func detect() features {
	f := features{goos: runtime.GOOS, goarch: runtime.GOARCH, linked: linked}
	f.detectProcessor()
	return f
}

// dispatch returns the kernels that features allow, best first.
func dispatch(f features) []string {
	var kernels []string
	if f.linked && f.goarch == "amd64" && f.hasVAES() {
		kernels = append(kernels, kernelVAES)
	}
	if f.linked && f.goarch == "arm64" && f.aes && f.pmull && f.sha3 {
		kernels = append(kernels, kernelEOR3)
	}
	return append(kernels, kernelGeneric)
}

// hasVAES reports whether vaes-avx512 can run. Darwin turns AVX-512 on late,
// thread by thread, and some of its versions lose the mask registers in a
// signal: never there.
func (f features) hasVAES() bool {
	return f.goos != "darwin" &&
		f.aes && f.pclmulqdq && f.avx && f.avx2 && f.bmi1 && f.bmi2 &&
		f.avx512 && f.avx512f && f.avx512bw && f.avx512dq && f.avx512vl &&
		f.avx512vaes && f.avx512vpclmulqdq
}

// choose returns the kernel to use: the one asked for by Options, else the one
// pinned by the environment, else the best.
func choose(asked, pinned string, usable []string) (string, error) {
	name, source := asked, "Options.Kernel"
	if name == "" {
		name, source = pinned, "the environment variable GCM_KERNEL"
	}
	if name == "" {
		return usable[0], nil
	}
	if !slices.Contains(usable, name) {
		return "", kernelError{name, source, usable}
	}
	return name, nil
}
