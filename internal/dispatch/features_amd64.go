// SPDX-License-Identifier: ISC

package dispatch

import "golang.org/x/sys/cpu"

// Features returns the features of this processor that a kernel needs, as
// GODEBUG leaves them. Package cpu reports AVX and AVX-512 only where the
// operating system keeps their registers.
func Features() []Feature {
	x := &cpu.X86
	return []Feature{
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
