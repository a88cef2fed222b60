// SPDX-License-Identifier: ISC

package dispatch

import (
	"os"

	"golang.org/x/sys/cpu"
)

// Features returns the features of this processor that a kernel needs, as
// GODEBUG leaves them. Package cpu reports AVX, AVX2 and AVX-512 only where the
// operating system keeps their registers.
func Features() []Feature {
	x := &cpu.X86
	vaes, vpclmulqdq := wideCrypto(os.Getenv("GODEBUG"))
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
		{"vaes", vaes},
		{"vpclmulqdq", vpclmulqdq},
	}
}

// cpuid runs the instruction of that name.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// wideCrypto reports whether the processor has VAES and VPCLMULQDQ, as GODEBUG
// leaves them. Package cpu knows them beside AVX-512 only, and some processors
// have them without: so the two bits are read here. Both work on ymm registers
// at least, which the operating system must keep; package cpu says by AVX
// whether it does.
func wideCrypto(godebug string) (vaes, vpclmulqdq bool) {
	highest, _, _, _ := cpuid(0, 0)
	if highest < 7 || !cpu.X86.HasAVX {
		return false, false
	}
	_, _, ecx, _ := cpuid(7, 0)
	return ecx>>9&1 == 1 && !hidden(godebug, "vaes", "avx512vaes"), // as package cpu calls it
		ecx>>10&1 == 1 && !hidden(godebug, "vpclmulqdq", "avx512vpclmulqdq")
}
