// SPDX-License-Identifier: ISC

package gcm

import "golang.org/x/sys/cpu"

// detectProcessor fills in the features of amd64. Package cpu reports AVX and
// AVX-512 only where the operating system keeps their registers.
func (f *features) detectProcessor() {
	f.aes = cpu.X86.HasAES
	f.pclmulqdq = cpu.X86.HasPCLMULQDQ
	f.avx = cpu.X86.HasAVX
	f.avx2 = cpu.X86.HasAVX2
	f.bmi1 = cpu.X86.HasBMI1
	f.bmi2 = cpu.X86.HasBMI2
	f.avx512 = cpu.X86.HasAVX512
	f.avx512f = cpu.X86.HasAVX512F
	f.avx512bw = cpu.X86.HasAVX512BW
	f.avx512dq = cpu.X86.HasAVX512DQ
	f.avx512vl = cpu.X86.HasAVX512VL
	f.avx512vaes = cpu.X86.HasAVX512VAES
	f.avx512vpclmulqdq = cpu.X86.HasAVX512VPCLMULQDQ
}
