// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm"
)

// kernel says what a kernel of the package needs. Features have the names
// under which GODEBUG=cpu.NAME=off hides them.
type kernel struct {
	name   string
	goarch string // "" when every architecture has it
	needs  []string
}

// knownKernels are all kernels of the project, best first.
var knownKernels = []kernel{
	{"vaes-avx512", "amd64", []string{"aes", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "avx512",
		"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vaes", "avx512vpclmulqdq"}},
	{"eor3", "arm64", []string{"aes", "pmull", "sha3"}},
	{"generic", "", nil},
}

// feature is one processor feature that some kernel asks about.
type feature struct {
	name string
	has  bool
}

// missing lists the features that k needs and this processor lacks or hides.
func (k kernel) missing() []string {
	var m []string
	for _, name := range k.needs {
		if !slices.Contains(features(), feature{name, true}) {
			m = append(m, name)
		}
	}
	return m
}

// unusable says why k cannot be used here, or "" when it can.
func (k kernel) unusable() string {
	switch {
	case slices.Contains(gcm.Kernels(), k.name):
		return ""
	case k.goarch != runtime.GOARCH:
		return "made for " + k.goarch
	case len(k.missing()) > 0:
		return "this processor lacks or hides " + strings.Join(k.missing(), ", ")
	case !cgoEnabled():
		return "this program was built without cgo"
	}
	return "not used on " + runtime.GOOS
}

// cgoEnabled reports whether this program was built with cgo.
func cgoEnabled() bool {
	b, _ := debug.ReadBuildInfo()
	return b != nil && slices.Contains(b.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "1"})
}

// chosen returns the kernel that New takes here, with GCM_KERNEL heeded.
func chosen() (string, error) {
	a, err := gcm.New(make([]byte, 16))
	if err != nil {
		return "", err
	}
	return a.Kernel(), nil
}

// usable refuses a name that is no kernel, or one that cannot run here.
func usable(name string) error {
	if slices.Contains(gcm.Kernels(), name) {
		return nil
	}
	here := "usable here: " + strings.Join(gcm.Kernels(), ", ")
	for _, k := range knownKernels {
		if k.name == name {
			return fmt.Errorf("kernel %q cannot run here (%s); %s", name, k.unusable(), here)
		}
	}
	return fmt.Errorf("unknown kernel %q; %s", name, here)
}
