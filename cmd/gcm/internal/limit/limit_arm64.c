// SPDX-License-Identifier: ISC

//go:build cgo

#include "limit.h"

// Twelve chains, each the register named, its own only input but for number 12.
// Twelve exceed the latency (2 to 4 cycles) times the ports (1 to 4) of most.
#define TWELVE(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)

#define LOOP(name, op)                                                         \
	void name(uint64_t turns)                                              \
	{                                                                      \
		__asm__ volatile(                                              \
			".arch_extension crypto\n"                             \
			".p2align 5\n"                                         \
			"1:\n"                                                 \
			TWELVE(op) TWELVE(op)                                  \
			"subs %0, %0, #1\n"                                    \
			"b.ne 1b\n"                                            \
			: "+r"(turns)                                          \
			:                                                      \
			: "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6",      \
			  "v7", "v8", "v9", "v10", "v11", "v12");              \
	}

// One AES round is the pair that the processor fuses.
#define AES(n)                                                                 \
	"aese v" #n ".16b, v12.16b\n"                                          \
	"aesmc v" #n ".16b, v" #n ".16b\n"
#define CLMUL(n) "pmull v" #n ".1q, v" #n ".1d, v12.1d\n"

LOOP(stitchgcm_limit_aes_128, AES)
LOOP(stitchgcm_limit_clmul_128, CLMUL)
