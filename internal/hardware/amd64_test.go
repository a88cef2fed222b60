// SPDX-License-Identifier: ISC

package hardware

import (
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

var amd64Features = map[string]bool{
	"AES": cpu.X86.HasAES, "PCLMULQDQ": cpu.X86.HasPCLMULQDQ,
	"AVX": cpu.X86.HasAVX, "AVX2": cpu.X86.HasAVX2, "BMI2": cpu.X86.HasBMI2,
	"AVX512F": cpu.X86.HasAVX512F, "AVX512BW": cpu.X86.HasAVX512BW,
	"AVX512DQ": cpu.X86.HasAVX512DQ, "AVX512VL": cpu.X86.HasAVX512VL,
	"VAES": cpu.X86.HasAVX512VAES, "VPCLMULQDQ": cpu.X86.HasAVX512VPCLMULQDQ,
}

// amd64Target is this processor. Its state includes zmm and mask registers,
// so that without AVX-512 nothing can be checked.
func amd64Target() *target {
	t := &target{
		isa:      amd64.ISA,
		banks:    []*ir.Bank{amd64.Vec, amd64.GPR, amd64.Mask, amd64.Flags},
		flagBit:  map[ir.Reg]int{amd64.CF: 0, amd64.ZF: 6},
		mask:     amd64.Mask,
		operands: amd64Operands, immediates: amd64Immediates,
		frame: amd64Frame(),
		body: func(name, text string, branches bool) string {
			s := fmt.Sprintf("%s:\n\t%s\n", name, text)
			if branches {
				s += fmt.Sprintf("\tmov qword ptr [rip + state + %d], 0\n\tjmp leave\n", taken)
				s += fmt.Sprintf(".L%s_taken:\n\tmov qword ptr [rip + state + %d], 1\n", name, taken)
			}
			return s + "\tjmp leave\n"
		},
		has:     func(feature string) bool { return amd64Features[feature] },
		compile: []string{"gcc", "-O1", "-no-pie"},
	}
	switch {
	case runtime.GOARCH != "amd64" || runtime.GOOS != "linux":
		t.elsewhere = "the amd64 table is checked on linux/amd64"
	case !t.has("AVX512F") || !t.has("AVX512BW"):
		t.absent = "nothing of the amd64 table is checked: the state needs AVX512F and AVX512BW, which the processor lacks"
	}
	return t
}

// amd64Frame loads flags, then general registers, and stores them the other
// way round, by moves, which change no flags. The stack pointer is one of
// the registers, so nothing between may use the stack.
func amd64Frame() string {
	var load, save strings.Builder
	slot := func(at int) string { return fmt.Sprintf("[rip + state + %d]", at) }
	move := func(op, reg string, at int) {
		fmt.Fprintf(&load, "\t%s %s, %s\n", op, reg, slot(at))
		fmt.Fprintf(&save, "\t%s %s, %s\n", op, slot(at), reg)
	}
	const gpr, mask, flags = 32 * 64, 32*64 + 16*8, 32*64 + 16*8 + 8*8
	for n := range 32 {
		move("vmovdqu64", amd64.RegName(amd64.Z(n).Reg, "z"), 64*n)
	}
	for n := range 8 {
		move("kmovq", amd64.RegName(amd64.K(n).Reg, "k"), mask+8*n)
	}
	vectors, saveVectors := load.String(), save.String()
	load.Reset()
	save.Reset()
	for n := range 16 {
		move("mov", amd64.RegName(amd64.R64(n).Reg, "r64"), gpr+8*n)
	}
	push, pop := "", ""
	for _, r := range []string{"rbx", "rbp", "r12", "r13", "r14", "r15"} {
		push += "\tpush " + r + "\n"
		pop = "\tpop " + r + "\n" + pop
	}
	return "enter:\n" + push +
		"\tmov " + slot(testSlot) + ", rdi\n\tmov " + slot(hostSlot) + ", rsp\n" + vectors +
		"\tpush qword ptr " + slot(flags) + "\n\tpopfq\n" + load.String() +
		"\tjmp qword ptr " + slot(testSlot) + "\n" +
		"leave:\n" + save.String() + "\tmov rsp, " + slot(hostSlot) + "\n" +
		"\tpushfq\n\tpop qword ptr " + slot(flags) + "\n" + saveVectors +
		"\tvzeroupper\n" + pop + "\tret\n"
}

func amd64Operands(f *ir.Form, i int, class string, n int, _ []ir.Operand) []ir.Operand {
	one := func(o ir.Operand) []ir.Operand { return []ir.Operand{o} }
	vec := n
	if f.Upper == "" && !strings.Contains(f.Feature, "AVX512") { // VEX codes 16 registers
		vec %= 16
	}
	switch class {
	case "r64":
		return one(amd64.R64(n % 16))
	case "r32":
		return one(amd64.Low32(amd64.R64(n % 16)))
	case "x":
		return one(amd64.X(vec))
	case "y":
		return one(amd64.Y(vec))
	case "z":
		return one(amd64.Z(vec))
	case "k":
		return one(amd64.K(n % 8))
	}
	var o ir.Operand
	if class == "addr" {
		o = amd64.Addr(amd64.R64(n%16), 0)
	} else {
		var width int
		if _, err := fmt.Sscanf(class, "m%d", &width); err != nil {
			return nil
		}
		o = amd64.Mem(ir.Text, width, amd64.R64(n%16), 0)
	}
	near, far, indexed, named := o, o, o, o
	near.Mem.Disp, far.Mem.Disp = 64, -1000
	indexed.Mem.Index, indexed.Mem.Scale, indexed.Mem.Disp = amd64.R64((n+1)%16).Reg, 1<<(n%4), 24
	if indexed.Mem.Index == amd64.RSP.Reg { // never an index
		indexed.Mem.Index = amd64.R9.Reg
	}
	named.Mem = ir.Mem{Space: ir.Rodata, Symbol: "datum", Disp: int64(16 * (n % 8))}
	all := []ir.Operand{o, near, far, indexed}
	if f.Slots[i].Access&ir.Write == 0 {
		all = append(all, named)
	}
	return all
}

// amd64Immediates are in the ranges for which the meanings are written.
var amd64Immediates = func() map[string][]int64 {
	arithmetic := []int64{0, 1, 8, -1, 127, -128, 128, 0x7fffffff, -0x80000000}
	shift64, shift32 := []int64{1, 2, 7, 8, 31, 32, 33, 63}, []int64{1, 2, 7, 8, 16, 31}
	bytes := []int64{0, 1, 4, 8, 15}
	m := map[string][]int64{
		"mov": {0, 1, 0x7fffffff, 0x80000000, 0xffffffff}, "shl r64": shift64, "shr r64": shift64, "shl": shift32, "shr": shift32,
		"vpsllq": shift64, "vpsrlq": shift64, "vpsrad": shift32, "vpslldq": bytes, "vpsrldq": bytes,
		"vpternlogq": {0x00, 0x96, 0x6a, 0xca, 0xf8, 0xff}, "vpclmulqdq": {0x00, 0x01, 0x10, 0x11},
		"vpshufd": {0x00, 0x1b, 0x4e, 0xe4, 0xff}, "vshufi64x2": {0x00, 0x1b, 0x4e, 0xe4, 0xff},
		"vextracti32x4": {0, 1, 2, 3}, "vinserti32x4": {0, 1, 2, 3}, "vextracti64x4": {0, 1},
		"vinserti128": {0, 1}, "vextracti128": {0, 1},
		"vpinsrq": {0, 1}, "vpinsrd": {0, 1, 2, 3}, "vpinsrw": {0, 1, 6, 7}, "vpinsrb": {0, 1, 14, 15},
		"vpextrq": {0, 1}, "vpextrd": {0, 1, 2, 3}, "vpextrw": {0, 1, 6, 7}, "vpextrb": {0, 1, 14, 15},
	}
	for _, name := range []string{"add", "sub", "cmp", "and", "or", "xor", "test"} {
		m[name] = arithmetic
	}
	return m
}()
