// SPDX-License-Identifier: ISC

#include "textflag.h"

// func readDIT() uint64
TEXT ·readDIT(SB), NOSPLIT, $0-8
	MRS DIT, R0
	MOVD R0, ret+0(FP)
	RET

// func readISAR0() uint64
TEXT ·readISAR0(SB), NOSPLIT, $0-8
	MRS ID_AA64ISAR0_EL1, R0
	MOVD R0, ret+0(FP)
	RET
