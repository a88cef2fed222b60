// SPDX-License-Identifier: ISC

//go:build cgo

package limit

// #include "limit.h"
import "C"

import "golang.org/x/sys/cpu"

// loopsOf returns the loops at the register width of the named kernel.
func loopsOf(kernel string) (loops, bool) {
	x := &cpu.X86
	vaes := x.HasAVX512VAES && x.HasAVX512VPCLMULQDQ
	l := loops{perTurn: C.STITCHGCM_LIMIT_PER_TURN}
	switch {
	case kernel == "vaes-avx512" && x.HasAVX512F && vaes:
		l.lanes = 4
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_512(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_512(C.uint64_t(turns)) }
	case kernel == "vaes-avx2" && x.HasAVX2 && vaes:
		l.lanes = 2
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_256(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_256(C.uint64_t(turns)) }
	case kernel == "aesni" && x.HasAES && x.HasPCLMULQDQ && x.HasAVX:
		l.lanes = 1
		l.aes = func(turns uint64) { C.stitchgcm_limit_aes_128(C.uint64_t(turns)) }
		l.clmul = func(turns uint64) { C.stitchgcm_limit_clmul_128(C.uint64_t(turns)) }
	}
	return l, l.aes != nil
}
