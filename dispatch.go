// SPDX-License-Identifier: ISC

package gcm

import (
	"os"
	"runtime"
	"slices"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

var (
	// usable are the kernels that this program can run on this machine, best first.
	usable = dispatch.Host{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Linked: direct.Linked, Features: dispatch.Features(),
	}.Usable()

	// pinned is the kernel that GCM_KERNEL asks for, or "".
	pinned = os.Getenv("GCM_KERNEL")
)

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
