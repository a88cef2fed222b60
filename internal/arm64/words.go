// SPDX-License-Identifier: ISC

package arm64

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
)

// word returns the encoding of an instruction that Go's assembler lacks, as the
// Arm Architecture Reference Manual gives it in section C4.1; false for all
// others.
func word(i ir.Inst) (uint32, bool) {
	a := i.Args
	if len(a) == 0 {
		return 0, false
	}
	reg := func(n int) uint32 { return uint32(a[n].Reg.Num) }
	switch i.Form.Mnemonic + " " + a[0].Class {
	case "mov x", "mov w": // MOVZ takes no zero
		if a[1].Kind == ir.Immediate && a[1].Imm == 0 {
			return map[string]uint32{"x": 0xd2800000, "w": 0x52800000}[a[0].Class] | reg(0), true
		}
	case "movi 4s":
		return 0x4f000400 | spreadImmediate(uint64(a[1].Imm)) | reg(0), true
	case "movi 2d":
		return 0x6f00e400 | spreadImmediate(bytesSet(uint64(a[1].Imm))) | reg(0), true
	case "cmhi 16b":
		return 0x6e203400 | reg(2)<<16 | reg(1)<<5 | reg(0), true
	case "sshr 2d":
		return 0x4f000400 | uint32(128-a[2].Imm)<<16 | reg(1)<<5 | reg(0), true
	case "ldr b":
		return 0x3c400000 | address(a[1].Mem, 1) | reg(0), true
	case "ldr h":
		return 0x7c400000 | address(a[1].Mem, 2) | reg(0), true
	case "str b":
		return 0x3c000000 | address(a[1].Mem, 1) | reg(0), true
	case "str h":
		return 0x7c000000 | address(a[1].Mem, 2) | reg(0), true
	}
	return 0, false
}

// spreadImmediate puts the 8 bits of an immediate where vector moves have them.
func spreadImmediate(x uint64) uint32 {
	if x > 0xff {
		panic(fmt.Sprintf("arm64: no vector immediate %#x", x))
	}
	return uint32(x>>5<<16 | x&31<<5)
}

// bytesSet returns a bit for each byte of x, all of whose bits must be alike.
func bytesSet(x uint64) (bits uint64) {
	for n := range 8 {
		switch x >> (8 * n) & 0xff {
		case 0:
		case 0xff:
			bits |= 1 << n
		default:
			panic(fmt.Sprintf("arm64: no vector immediate %#x", x))
		}
	}
	return bits
}

// address returns the bits of an address in a load or store of size bytes.
func address(m ir.Mem, size int64) uint32 {
	base := uint32(m.Base.Num)
	if m.Base.Bank == Stack {
		base = 31
	}
	signed := func(x int64, mode uint32) uint32 {
		if x < -256 || x > 255 {
			panic(fmt.Sprintf("arm64: %d bytes are too far for one load or store", x))
		}
		return uint32(x)&0x1ff<<12 | mode<<10 | base<<5
	}
	switch {
	case m.Step != 0:
		return signed(m.Step, 1)
	case m.Pre:
		return signed(m.Disp, 3)
	case m.Disp >= 0 && m.Disp%size == 0 && m.Disp/size < 1<<12:
		return 1<<24 | uint32(m.Disp/size)<<10 | base<<5
	}
	return signed(m.Disp, 0)
}
