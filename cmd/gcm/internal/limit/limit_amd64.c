// SPDX-License-Identifier: ISC

//go:build cgo

#include "limit.h"

// Twelve chains, each the register named, its own only input but for number 12.
// Twelve exceed the latency (4 or 5 cycles) times the ports (1 or 2).
#define TWELVE(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)

#define LOOP(name, op)                                                         \
	void name(uint64_t turns)                                              \
	{                                                                      \
		__asm__ volatile(                                              \
			".p2align 5\n"                                         \
			"1:\n"                                                 \
			TWELVE(op) TWELVE(op)                                  \
			"decq %0\n"                                            \
			"jnz 1b\n"                                             \
			"vzeroupper\n"                                         \
			: "+r"(turns)                                          \
			:                                                      \
			: "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",        \
			  "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
			  "xmm11", "xmm12");                                   \
	}

#define AES(w, n) "vaesenc %%" w "12, %%" w #n ", %%" w #n "\n"
#define CLMUL(w, n) "vpclmulqdq $0, %%" w "12, %%" w #n ", %%" w #n "\n"

#define AES_128(n) AES("xmm", n)
#define AES_256(n) AES("ymm", n)
#define AES_512(n) AES("zmm", n)
#define CLMUL_128(n) CLMUL("xmm", n)
#define CLMUL_256(n) CLMUL("ymm", n)
#define CLMUL_512(n) CLMUL("zmm", n)

LOOP(stitchgcm_limit_aes_128, AES_128)
LOOP(stitchgcm_limit_clmul_128, CLMUL_128)
LOOP(stitchgcm_limit_aes_256, AES_256)
LOOP(stitchgcm_limit_clmul_256, CLMUL_256)
LOOP(stitchgcm_limit_aes_512, AES_512)
LOOP(stitchgcm_limit_clmul_512, CLMUL_512)
