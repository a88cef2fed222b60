// SPDX-License-Identifier: ISC

package kernels

import (
	"encoding/binary"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// rAESKey points to the key.
var rAESKey = RSI

// keySchedule expands the key to round keys (FIPS 197, 5.2). It goes through x0
// and x1; x6 holds the shuffle that puts the rotated last word into all columns,
// x7 zero, and x3 and x4 are scratch.
func keySchedule(b *ir.Builder, bits int) {
	b.Origin("constants")
	b.I("vpxor", X(7), X(7), X(7))
	b.I("vmovdqu", X(6), Const(128, "rotate", 0))
	switch bits {
	case 128:
		schedule128(b)
	case 192:
		schedule192(b)
	case 256:
		schedule256(b)
	}
}

func scheduleAt(offset int64) ir.Operand { return Mem(ir.KeyBlock, 128, RDI, offset) }

// scheduleWord leaves in x3, in each column, the last word of x (or word 1 for
// 192 bits), through the S-box. All columns are equal, so that the ShiftRows
// of vaesenclast changes nothing; its round key adds the round constant.
func scheduleWord(b *ir.Builder, x ir.Operand, rotated bool, word int, rcon ir.Operand) {
	b.I("vpshufd", X(3), x, ir.Imm(int64(word*0x55)))
	if rotated {
		b.I("vpshufb", X(3), X(3), X(6))
	}
	b.I("vaesenclast", X(3), X(3), rcon)
}

// schedulePrefix replaces each word of x by the xor of itself and all words
// before it, and adds x3.
func schedulePrefix(b *ir.Builder, x ir.Operand) {
	b.I("vpslldq", X(4), x, ir.Imm(4))
	b.I("vpxor", x, x, X(4))
	b.I("vpslldq", X(4), x, ir.Imm(8))
	b.I("vpxor", x, x, X(4))
	b.I("vpxor", x, x, X(3))
}

func rcon(i int) ir.Operand { return Const(128, "rcon", int64(16*i)) }

func schedule128(b *ir.Builder) {
	b.Origin("round key 0")
	b.I("vmovdqu", X(0), Mem(ir.KeyBlock, 128, rAESKey, 0))
	b.I("vmovdqu", scheduleAt(0), X(0))
	for i := range 10 {
		b.Origin("round key %d", i+1)
		scheduleWord(b, X(0), true, 3, rcon(i))
		schedulePrefix(b, X(0))
		b.I("vmovdqu", scheduleAt(int64(16*(i+1))), X(0))
	}
}

func schedule192(b *ir.Builder) {
	b.Origin("words 0 to 5")
	b.I("vmovdqu", X(0), Mem(ir.KeyBlock, 128, rAESKey, 0))
	b.I("vmovq", X(1), Mem(ir.KeyBlock, 64, rAESKey, 16))
	b.I("vmovdqu", scheduleAt(0), X(0))
	b.I("vmovq", Mem(ir.KeyBlock, 64, RDI, 16), X(1))
	for i := range 8 {
		b.Origin("words %d to %d", 6*i+6, 6*i+11)
		scheduleWord(b, X(1), true, 1, rcon(i))
		schedulePrefix(b, X(0))
		b.I("vmovdqu", scheduleAt(int64(24*(i+1))), X(0))
		if i == 7 { // 52 words are all that 12 rounds take
			break
		}
		b.I("vpshufd", X(3), X(0), ir.Imm(0xff))
		b.I("vpslldq", X(4), X(1), ir.Imm(4))
		b.I("vpxor", X(1), X(1), X(4))
		b.I("vpxor", X(1), X(1), X(3))
		b.I("vmovq", Mem(ir.KeyBlock, 64, RDI, int64(24*(i+1)+16)), X(1))
	}
}

func schedule256(b *ir.Builder) {
	b.Origin("round keys 0 and 1")
	for i := range 2 {
		b.I("vmovdqu", X(i), Mem(ir.KeyBlock, 128, rAESKey, int64(16*i)))
		b.I("vmovdqu", scheduleAt(int64(16*i)), X(i))
	}
	for i := 2; i < 15; i++ {
		b.Origin("round key %d", i)
		if i%2 == 0 {
			scheduleWord(b, X(1), true, 3, rcon(i/2-1))
		} else {
			scheduleWord(b, X(0), false, 3, X(7))
		}
		schedulePrefix(b, X(i%2))
		b.I("vmovdqu", scheduleAt(int64(16*i)), X(i%2))
	}
}

// roundConstants returns those of the key schedule, each in four columns.
func roundConstants() (rcon []byte) {
	for i, x := 0, 1; i < 10; i, x = i+1, x<<1^x>>7*0x11b {
		for range 4 {
			rcon = append(rcon, byte(x), 0, 0, 0)
		}
	}
	return rcon
}

// rotateIndices returns vpshufb indices that put the last word, rotated by a
// byte, into all columns.
func rotateIndices() (idx []byte) {
	for i := range 16 {
		idx = append(idx, byte(12+(i+1)%4))
	}
	return idx
}

// polynomial returns the reduction constant.
func polynomial() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), 0xc2<<56)
}
