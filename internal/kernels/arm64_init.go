// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// armInit returns the program that sets up the key block: the key schedule
// of FIPS 197, 5.2, then H = E(K, 0) and its powers.
func armInit(k *armKernel, bits int) *ir.Program {
	b := k.builder()
	b.Origin("entry")
	b.Frame(func() { b.I("hint", ir.Imm(34)) })
	switch bits {
	case 128:
		armSchedule128(b)
	case 192:
		armSchedule192(b)
	case 256:
		armSchedule256(b)
	}
	armInitCounters(b)
	armInitColumns(b)
	armInitConsts(b)
	armInitPowers(b, bits)
	b.Origin("leave no secret in a register")
	armWipe(b, 0, 8)
	armWipe(b, 16, 29)
	b.I("ret")
	return armProgram("init", bits, b)
}

// In the key schedule v0 and v1 hold the key, v2 and v3 are scratch; x2 goes
// through the round keys.
var (
	xKeyIn  = X(1)
	xNext   = X(2)
	aZero   = V(7)
	aRotate = V(6) // tbl indices: the last word, rotated, in all columns
)

// armLoadKey loads the key and begins the schedule with it.
func armLoadKey(b *armBuilder, second string) {
	b.Origin("key")
	b.I("movi", As("2d", aZero), ir.Imm(0))
	b.I("mov", xNext, xKey)
	b.I("ldr", As("q", V(0)), Mem(ir.KeyBlock, 128, xKeyIn, 0))
	armStoreKey(b, "q", V(0))
	if second != "" {
		b.I("ldr", As(second, V(1)), Mem(ir.KeyBlock, int(8*keySizes[second]), xKeyIn, 16))
		armStoreKey(b, second, V(1))
	}
}

var keySizes = map[string]int64{"q": 16, "d": 8}

func armStoreKey(b *armBuilder, size string, v ir.Operand) {
	n := keySizes[size]
	b.I("str", As(size, v), Post(ir.KeyBlock, int(8*n), xNext, n))
}

// armRotate loads the indices that put word w of a vector, rotated by a
// byte, into all columns.
func armRotate(b *armBuilder, w int64) {
	b.I("mov", W(X(12)), ir.Imm(0x0201+w*0x0404))
	b.I("movk", W(X(12)), ir.Imm(0x0003+w*0x0404), Lsl(16))
	b.I("dup", As("4s", aRotate), W(X(12)))
}

// armSubWord passes the columns of v2, which are all equal, so that the
// ShiftRows of aese changes nothing, through the S-box, and adds the round
// constant.
func armSubWord(b *armBuilder, rcon int64) {
	b.I("aese", V(2), aZero)
	if rcon != 0 {
		b.I("movi", As("4s", V(3)), ir.Imm(rcon))
		b.I("eor", V(2), V(2), V(3))
	}
}

// armPrefix replaces each word of v by the xor of itself and all words
// before it, and adds v2.
func armPrefix(b *armBuilder, v ir.Operand) {
	b.I("ext", V(3), aZero, v, ir.Imm(12))
	b.I("eor", v, v, V(3))
	b.I("ext", V(3), aZero, v, ir.Imm(8))
	b.eor3(v, v, V(3), V(2))
}

// rcons are the round constants of FIPS 197, 5.2.
var rcons = []int64{0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36}

func armSchedule128(b *armBuilder) {
	armLoadKey(b, "")
	armRotate(b, 3)
	for i, rcon := range rcons {
		b.Origin("round key %d", i+1)
		b.I("tbl", V(2), Table(V(0)), aRotate)
		armSubWord(b, rcon)
		armPrefix(b, V(0))
		armStoreKey(b, "q", V(0))
	}
}

// armSchedule192 makes six words a step, four in v0 and two in v1.
func armSchedule192(b *armBuilder) {
	armLoadKey(b, "d")
	armRotate(b, 1)
	for i, rcon := range rcons[:8] {
		b.Origin("key words %d to %d", 6*i+6, 6*i+9)
		b.I("tbl", V(2), Table(V(1)), aRotate)
		armSubWord(b, rcon)
		armPrefix(b, V(0))
		armStoreKey(b, "q", V(0))
		if i == 7 {
			break // 52 words
		}
		b.Origin("key words %d, %d", 6*i+10, 6*i+11)
		b.I("dup", As("4s", V(2)), Lane("s", V(0), 3))
		b.I("ext", V(3), aZero, V(1), ir.Imm(12))
		b.eor3(V(1), V(1), V(2), V(3))
		armStoreKey(b, "d", V(1))
	}
}

func armSchedule256(b *armBuilder) {
	armLoadKey(b, "q")
	armRotate(b, 3)
	for i, rcon := range rcons[:7] {
		b.Origin("round key %d", 2*i+2)
		b.I("tbl", V(2), Table(V(1)), aRotate)
		armSubWord(b, rcon)
		armPrefix(b, V(0))
		armStoreKey(b, "q", V(0))
		if i == 6 {
			break // 15 round keys
		}
		b.Origin("round key %d", 2*i+3)
		b.I("dup", As("4s", V(2)), Lane("s", V(0), 3))
		armSubWord(b, 0)
		armPrefix(b, V(1))
		armStoreKey(b, "q", V(1))
	}
}

// armInitCounters stores the counter blocks 0 to 15 xor round key 0.
func armInitCounters(b *armBuilder) {
	b.Origin("counter blocks xor round key 0")
	b.I("ldr", As("q", V(0)), keyMem(128, 0))
	b.I("movi", As("2d", V(1)), ir.Imm(0))
	b.I("movi", As("2d", V(2)), ir.Imm(0))
	b.I("mov", W(X(12)), ir.Imm(1<<24))
	b.I("mov", Lane("s", V(2), 3), W(X(12)))
	b.I("add", xNext, xKey, ir.Imm(armCounters))
	b.I("mov", X(12), ir.Imm(16))
	b.Label("counters")
	b.I("eor", V(3), V(0), V(1))
	b.I("add", As("4s", V(1)), As("4s", V(1)), As("4s", V(2)))
	b.I("str", As("q", V(3)), Post(ir.KeyBlock, 128, xNext, 16))
	b.I("subs", X(12), X(12), ir.Imm(1))
	b.I("b.ne", ir.To("counters"))
}

// armInitColumns stores the columns for the counters of brief messages: column 0
// of the state behind round 0, with that of the counter 0 taken away. v0 is round
// key 0, and v2 adds 1 to a counter.
func armInitColumns(b *armBuilder) {
	b.Origin("columns for counters")
	b.I("movi", As("2d", V(1)), ir.Imm(0))
	b.I("movi", As("2d", V(4)), ir.Imm(0))
	fuse(b, V(4), V(0))
	b.I("add", xNext, xKey, ir.Imm(armColumns))
	b.I("mov", X(12), ir.Imm(armBriefest))
	b.Label("columns")
	b.I("add", As("4s", V(1)), As("4s", V(1)), As("4s", V(2)))
	b.I("mov", V(3), V(1))
	fuse(b, V(3), V(0))
	b.I("eor", V(3), V(3), V(4))
	b.I("str", As("s", V(3)), Post(ir.KeyBlock, 32, xNext, 4))
	b.I("subs", X(12), X(12), ir.Imm(1))
	b.I("b.ne", ir.To("columns"))
}

// armInitConsts stores the constants and leaves the indices that reverse a
// block in v6 and the reduction constant in v5, in both lanes.
func armInitConsts(b *armBuilder) {
	iota, reverse, poly, t := V(4), V(6), V(5), V(3)
	put := func(v ir.Operand, at int64) { b.I("str", As("q", v), keyMem(128, at)) }
	b.Origin("constants")
	for i := range int64(2) {
		b.I("mov", X(12), ir.Imm(0x0100+0x0808*i))
		for j := int64(1); j < 4; j++ {
			b.I("movk", X(12), ir.Imm(0x0100+0x0808*i+0x0202*j), Lsl(16*j))
		}
		b.I("mov", Lane("d", iota, int(i)), X(12))
	}
	put(iota, armIota)
	b.I("movi", t, ir.Imm(15))
	b.I("eor", reverse, iota, t)
	put(reverse, armReverse)
	// Bytes 7 to 0 and 23 to 16; bytes 15 to 8 and 31 to 24.
	b.I("movi", t, ir.Imm(16))
	b.I("ext", t, aZero, t, ir.Imm(8))
	b.I("ext", V(2), reverse, reverse, ir.Imm(8))
	b.I("movi", V(1), ir.Imm(8))
	b.I("ext", V(1), aZero, V(1), ir.Imm(8))
	b.eor3(V(2), V(2), V(1), t)
	put(V(2), armFirsts)
	b.I("movi", V(1), ir.Imm(8))
	b.I("eor", V(2), V(2), V(1))
	put(V(2), armLasts)
	b.I("mov", X(12), ir.Imm(0))
	b.I("movk", X(12), ir.Imm(0xc200), Lsl(48))
	b.I("dup", As("2d", poly), X(12))
	put(poly, armPoly)
	b.I("movi", As("2d", t), ir.Imm(0))
	b.I("mov", W(X(12)), ir.Imm(1))
	b.I("mov", Lane("s", t, 3), W(X(12)))
	put(t, armOne)
}

// armInitPowers computes H = E(K, 0) and stores the powers, two at a time.
func armInitPowers(b *armBuilder, bits int) {
	reverse, poly := V(6), V(5)
	h, x, y := V(0), V(1), V(2)
	rounds := roundsFor(bits)
	b.I("movi", As("2d", h), ir.Imm(0))
	for r := range rounds {
		b.Origin("H, round %d", r)
		b.I("ldr", As("q", x), keyMem(128, int64(16*r)))
		if r < rounds-1 {
			fuse(b, h, x)
		} else {
			b.I("aese", h, x)
		}
	}
	b.Origin("H, last round key")
	b.I("ldr", As("q", x), keyMem(128, int64(16*rounds)))
	b.I("eor", h, h, x)

	b.Label("h")
	b.Origin("H times x^-1: a shift by one bit, and the polynomial if a bit falls out")
	b.I("tbl", h, Table(h), reverse)
	b.I("mov", X(12), ir.Imm(1))
	b.I("mov", x, poly)
	b.I("mov", Lane("d", x, 0), X(12))
	b.I("dup", As("2d", y), Lane("d", h, 1))
	b.I("sshr", As("2d", y), As("2d", y), ir.Imm(63))
	b.I("and", x, x, y)
	b.I("ushr", As("2d", y), As("2d", h), ir.Imm(63))
	b.I("ext", y, aZero, y, ir.Imm(8))
	b.I("shl", As("2d", h), As("2d", h), ir.Imm(1))
	b.eor3(h, h, x, y)
	b.Label("h_halved")

	// Halves of two powers, the higher one in lane 0, and of H^2 in both.
	high, low, mid := V(16), V(17), V(18)
	high2, low2, mid2 := V(19), V(20), V(21)
	t, u := V(3), V(4)
	sums := [2][3]ir.Operand{{V(22), V(23), V(24)}, {V(25), V(26), V(27)}}
	product := func(i int, x ir.Operand, hi, lo, m ir.Operand) {
		mul, view := "pmull", "1d"
		if i == 1 {
			mul, view = "pmull2", "2d"
		}
		s := sums[i]
		b.I(mul, As("1q", s[0]), As(view, high), As(view, hi))
		b.I(mul, As("1q", s[1]), As(view, low), As(view, lo))
		b.I(mul, As("1q", s[2]), As(view, mid), As(view, m))
		b.eor3(s[2], s[2], s[0], s[1])
		for j := range 2 {
			from, to := s[1], s[2]
			if j == 1 {
				from, to = s[2], s[0]
			}
			b.I("pmull", As("1q", t), As("1d", from), As("1d", poly))
			b.I("ext", u, from, from, ir.Imm(8))
			if j == 1 {
				b.eor3(x, to, t, u)
				b.Element()
			} else {
				b.eor3(to, to, t, u)
			}
		}
	}
	b.Origin("H^2")
	b.I("dup", As("2d", high), Lane("d", h, 1))
	b.I("dup", As("2d", low), Lane("d", h, 0))
	b.I("eor", mid, high, low)
	product(0, x, high, low, mid)
	b.I("dup", As("2d", high2), Lane("d", x, 1))
	b.I("dup", As("2d", low2), Lane("d", x, 0))
	b.I("eor", mid2, high2, low2)
	b.I("mov", y, h)
	b.I("add", xNext, xKey, ir.Imm(armHigh+8*armTopExp))
	b.I("mov", X(12), ir.Imm(armTopExp/2))
	b.Label("powers")
	b.Origin("store two powers")
	b.I("trn2", As("2d", high), As("2d", x), As("2d", y))
	b.I("trn1", As("2d", low), As("2d", x), As("2d", y))
	b.I("eor", mid, high, low)
	b.I("str", As("q", high), Pre(ir.KeyBlock, 128, xNext, -16))
	b.I("str", As("q", low), Mem(ir.KeyBlock, 128, xNext, armLow-armHigh))
	b.I("str", As("q", mid), Mem(ir.KeyBlock, 128, xNext, armMiddle-armHigh))
	b.Origin("the next two, times H^2")
	product(0, x, high2, low2, mid2)
	product(1, y, high2, low2, mid2)
	b.I("subs", X(12), X(12), ir.Imm(1))
	b.I("b.ne", ir.To("powers"))
}
