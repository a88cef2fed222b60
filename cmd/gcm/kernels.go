// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// whyNot says why k cannot be used here, or "" when it can.
func whyNot(k dispatch.Kernel) string {
	missing := k.Missing(dispatch.Features())
	switch {
	case slices.Contains(gcm.Kernels(), k.Name):
		return ""
	case k.Arch != runtime.GOARCH:
		return "made for " + k.Arch
	case len(missing) > 0:
		return "this processor lacks or hides " + strings.Join(missing, ", ")
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
	for _, k := range dispatch.Kernels {
		if k.Name == name {
			return fmt.Errorf("kernel %q cannot run here (%s); %s", name, whyNot(k), here)
		}
	}
	return fmt.Errorf("unknown kernel %q; %s", name, here)
}
