// SPDX-License-Identifier: ISC

//go:build cgo && (amd64 || arm64)

package gcm

import (
	"testing"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestDoorsAgree sets up key blocks through both doors, which must be the same
// byte for byte, and so name kernels alike. A kernel that cannot run here is
// compared by name alone.
func TestDoorsAgree(t *testing.T) {
	for kernel, id := range map[string]int{
		dispatch.VAESAVX512: cshim.VAESAVX512, dispatch.VAESAVX2: cshim.VAESAVX2, dispatch.AESNI: cshim.AESNI,
		dispatch.EOR3: cshim.EOR3, dispatch.PMULL: cshim.PMULL,
	} {
		if got := int(direct.ID(kernel)); got != 0 && got != id {
			t.Errorf("kernel %s is %d through the direct door, %d through the other", kernel, got, id)
		}
	}
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		if kernel == dispatch.Generic {
			return
		}
		blocks := [2]direct.KeyBlock{}
		direct.Init(kernel, &blocks[0], key)
		cshim.Init(int(direct.ID(kernel)), &blocks[1], key)
		if blocks[0] != blocks[1] {
			t.Error("the doors set up different key blocks")
		}
	})
}
