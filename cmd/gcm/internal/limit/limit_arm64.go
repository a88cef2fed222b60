// SPDX-License-Identifier: ISC

//go:build cgo

package limit

// #include "limit.h"
import "C"

import "golang.org/x/sys/cpu"

// loopsOf returns the loops of the named kernel. Every arm64 kernel works in
// 128-bit registers, and one AES round is the fused pair AESE and AESMC.
func loopsOf(kernel string) (loops, bool) {
	if kernel != "eor3" && kernel != "pmull" || !cpu.ARM64.HasAES || !cpu.ARM64.HasPMULL {
		return loops{}, false
	}
	return loops{
		aes:     func(turns uint64) { C.stitchgcm_limit_aes_128(C.uint64_t(turns)) },
		clmul:   func(turns uint64) { C.stitchgcm_limit_clmul_128(C.uint64_t(turns)) },
		perTurn: C.STITCHGCM_LIMIT_PER_TURN,
		lanes:   1,
	}, true
}
