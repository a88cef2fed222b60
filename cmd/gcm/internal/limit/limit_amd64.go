// SPDX-License-Identifier: ISC

//go:build cgo

package limit

// #include "limit.h"
import "C"

import (
	"runtime"
	"slices"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// loopsOf returns the loops at the register width of the named kernel.
func loopsOf(kernel string) (loops, bool) {
	host := dispatch.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Linked: true, Features: dispatch.Features()}
	if !slices.Contains(host.Usable(), kernel) {
		return loops{}, false
	}
	l := loops{perTurn: C.STITCHGCM_LIMIT_PER_TURN}
	switch kernel {
	case dispatch.VAESAVX512:
		l.lanes = 4
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_512(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_512(C.uint64_t(turns)) }
	case dispatch.VAESAVX2:
		l.lanes = 2
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_256(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_256(C.uint64_t(turns)) }
	case dispatch.AESNI:
		l.lanes = 1
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_128(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_128(C.uint64_t(turns)) }
	}
	return l, l.aes != nil
}
