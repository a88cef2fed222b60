// SPDX-License-Identifier: ISC

package main

import "golang.org/x/sys/cpu"

func features() []feature {
	x := &cpu.X86
	return []feature{
		{"aes", x.HasAES},
		{"pclmulqdq", x.HasPCLMULQDQ},
		{"avx", x.HasAVX},
		{"avx2", x.HasAVX2},
		{"bmi1", x.HasBMI1},
		{"bmi2", x.HasBMI2},
		{"avx512", x.HasAVX512},
		{"avx512f", x.HasAVX512F},
		{"avx512bw", x.HasAVX512BW},
		{"avx512dq", x.HasAVX512DQ},
		{"avx512vl", x.HasAVX512VL},
		{"avx512vaes", x.HasAVX512VAES},
		{"avx512vpclmulqdq", x.HasAVX512VPCLMULQDQ},
	}
}
