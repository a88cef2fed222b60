// SPDX-License-Identifier: ISC

package hardware

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

var arm64Features = map[string]bool{"AES": cpu.ARM64.HasAES, "PMULL": cpu.ARM64.HasPMULL, "SHA3": cpu.ARM64.HasSHA3}

// arm64Target is this processor, or qemu's model of one with everything.
func arm64Target() *target {
	t := &target{
		isa:     arm64.ISA,
		banks:   []*ir.Bank{arm64.Vec, arm64.GPR, arm64.Stack, arm64.Flags},
		flagBit: map[ir.Reg]int{arm64.FlagN: 31, arm64.FlagZ: 30, arm64.FlagC: 29, arm64.FlagV: 28},
		pointer: arm64.X(28).Reg, aligned: arm64.SP.Reg,
		operands: arm64Operands, immediates: arm64Immediates,
		frame: arm64Frame(),
		body: func(name, text string, branches bool) string {
			s := fmt.Sprintf("%s:\n\tbl load\n\tldr x30, [x28, #%d]\n\t%s\n", name, 32*16+30*8, text)
			if branches {
				s += fmt.Sprintf("\tstr xzr, [x28, #%d]\n\tb leave\n.L%s_taken:\n\tstr x28, [x28, #%d]\n", taken, name, taken)
			}
			return s + "\tb leave\n"
		},
		has:     func(string) bool { return true },
		compile: []string{"aarch64-linux-gnu-gcc", "-O1", "-static"},
		run:     []string{"qemu-aarch64", "-cpu", "max"},
	}
	switch {
	case runtime.GOOS != "linux":
		t.elsewhere = "the arm64 table is checked on Linux"
	case emulated():
		t.elsewhere = "under emulation: the host checks the arm64 table"
	case runtime.GOARCH == "arm64":
		t.has = func(feature string) bool { return arm64Features[feature] }
		t.compile, t.run = []string{"gcc", "-O1", "-static"}, nil
	}
	return t
}

// emulated reports whether this program runs on qemu-user: other programs
// then see another processor.
func emulated() bool {
	if runtime.GOARCH != "arm64" {
		return false
	}
	out, err := exec.Command("uname", "-m").Output()
	return err == nil && strings.TrimSpace(string(out)) != "aarch64"
}

// arm64Frame keeps the address of the state in x28. A test calls load and
// then loads x30 itself.
func arm64Frame() string {
	const gpr, sp, flags = 32 * 16, 32*16 + 31*8, 32*16 + 32*8
	var load, save strings.Builder
	move := func(reg string, at int) {
		fmt.Fprintf(&load, "\tldr %s, [x28, #%d]\n", reg, at)
		fmt.Fprintf(&save, "\tstr %s, [x28, #%d]\n", reg, at)
	}
	for n := range 32 {
		move(fmt.Sprintf("q%d", n), 16*n)
	}
	for n := range 31 {
		if n != 28 && n != 30 {
			move(fmt.Sprintf("x%d", n), gpr+8*n)
		}
	}
	push, pop := "", ""
	for _, pair := range []string{"x19, x20", "x21, x22", "x23, x24", "x25, x26", "x27, x28", "x29, x30",
		"d8, d9", "d10, d11", "d12, d13", "d14, d15"} {
		push += "\tstp " + pair + ", [sp, #-16]!\n"
		pop = "\tldp " + pair + ", [sp], #16\n" + pop
	}
	at := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	return "enter:\n" + push + "\tbr x0\n" +
		"load:\n\tadrp x28, state\n" +
		at("\tmov x0, sp\n\tstr x0, [x28, #%d]\n", hostSlot) +
		at("\tldr x0, [x28, #%d]\n\tmov sp, x0\n", sp) +
		at("\tldr x0, [x28, #%d]\n\tmsr nzcv, x0\n", flags) + load.String() + "\tret\n" +
		at("leave:\n\tstr x30, [x28, #%d]\n", gpr+8*30) + save.String() +
		at("\tmrs x0, nzcv\n\tstr x0, [x28, #%d]\n", flags) +
		at("\tmov x0, sp\n\tstr x0, [x28, #%d]\n", sp) +
		at("\tldr x0, [x28, #%d]\n\tmov sp, x0\n", hostSlot) + pop + "\tret\n"
}

func arm64Operands(f *ir.Form, _ int, class string, n int, before []ir.Operand) []ir.Operand {
	one := func(o ir.Operand) []ir.Operand { return []ir.Operand{o} }
	x, v := arm64.X(n), arm64.V(n)
	if n >= 28 { // x28 is the pointer, and x31 does not exist
		x = arm64.X(29 + n%2)
	}
	switch class {
	case "x":
		return one(x)
	case "w":
		return one(arm64.W(x))
	case "16b", "4s", "2d", "1q", "1d", "q", "d", "s", "h", "b":
		return one(arm64.As(class, v))
	case "b[]", "h[]", "s[]", "d[]":
		return lanes(class[:1], v, arm64.Lane)
	case "{b}[]", "{h}[]", "{s}[]", "{d}[]":
		return lanes(class[1:2], v, arm64.LoadLane)
	case "{16b}":
		return one(arm64.Table(v))
	case "{16b":
		first, _ := arm64.Table2(v, arm64.V((n+1)%32))
		return one(first)
	case "16b}":
		first := before[len(before)-1].Reg.Num
		_, second := arm64.Table2(arm64.V(first), arm64.V((first+1)%32))
		return one(second)
	case "lsl":
		return shifts(before[0].Width)
	case "eq", "ne", "hs", "lo", "hi", "ls":
		return one(arm64.Cond(class))
	}
	var width int
	if _, err := fmt.Sscanf(class, "m%d", &width); err != nil {
		return nil
	}
	step := int64(width / 8)
	plain := []ir.Operand{arm64.Mem(ir.Text, width, x, 0), arm64.Mem(ir.Stack, width, arm64.SP, 0),
		arm64.Post(ir.Text, width, x, step), arm64.Post(ir.Stack, width, arm64.SP, step)}
	if f.Mnemonic == "ld1" { // takes no displacement
		return plain
	}
	return append(plain, arm64.Mem(ir.Text, width, x, 4*step), arm64.Mem(ir.Text, width, x, -2*step),
		arm64.Mem(ir.Stack, width, arm64.SP, step), arm64.Pre(ir.Text, width, x, step), arm64.Pre(ir.Stack, width, arm64.SP, -2*step))
}

func lanes(size string, v ir.Operand, lane func(string, ir.Operand, int) ir.Operand) (out []ir.Operand) {
	for i := range map[string]int{"b": 16, "h": 8, "s": 4, "d": 2}[size] {
		out = append(out, lane(size, v, i))
	}
	return out
}

// shifts are those of movk in a register of that many bits.
func shifts(width int) (out []ir.Operand) {
	for n := 0; n < width; n += 16 {
		out = append(out, arm64.Lsl(int64(n)))
	}
	return out
}

// arm64Immediates are those that have a code and a meaning.
var arm64Immediates = func() map[string][]int64 {
	arithmetic := []int64{0, 1, 16, 2048, 4095, 0x1000, 0xfff000}
	shift64, shift32 := []int64{1, 2, 7, 8, 31, 32, 33, 63}, []int64{1, 2, 7, 8, 16, 31}
	m := map[string][]int64{
		"mov x": {0, 1, 0xffff, 0xff0000, -1 << 48, -1}, "mov w": {0, 1, 0xffff, 0xff0000, 0xfffffffe},
		"movk":  {0, 1, 0xc200, 0xffff},
		"and x": {1, 15, 0x7f, ^int64(15), 0x5555555555555555}, "and w": {1, 15, 0x7f, 0xfffffff0},
		"lsl x": shift64, "lsr x": shift64, "lsl w": shift32, "lsr w": shift32,
		"tbz": {0, 1, 3, 31, 32, 63}, "tbnz": {0, 1, 3, 31, 32, 63},
		"hint":     {34},
		"movi 16b": {0, 1, 0x87, 0xff}, "movi 4s": {0, 1, 0x87, 0xff}, "movi 2d": {0, -1, 0xff, ^int64(0xff)},
		"shl": shift64, "ushr": shift64, "sshr": shift64,
		"ext": {0, 1, 4, 8, 12, 15},
	}
	for _, name := range []string{"add", "sub", "adds", "subs", "cmp"} {
		m[name] = arithmetic
	}
	return m
}()
