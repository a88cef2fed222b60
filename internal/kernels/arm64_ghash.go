// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// An armPart is one of the three products of a block and a power of H: of
// the high halves, of the low halves, or the middle one of Karatsuba.
type armPart struct {
	name   string
	offset int64 // of its array from that of the high halves
	sum    ir.Operand
}

var (
	highPart   = armPart{"high", 0, aHigh}
	lowPart    = armPart{"low", armLow - armHigh, aLow}
	middlePart = armPart{"middle", armMiddle - armHigh, aMid}
)

// powers is where a part's powers of H lie, from the one on whose high half
// is at base+at. The high part, which comes last, adds step to base.
func (p armPart) powers(width int, base ir.Operand, at, step int64) ir.Operand {
	if p == highPart && step != 0 {
		return Post(ir.KeyBlock, width, base, step)
	}
	return Mem(ir.KeyBlock, width, base, at+p.offset)
}

// armHash4 adds the products of four blocks to the sums, or begins the sums.
// Powers are at base+at; step is added to base. c are two pairs of
// neighbouring registers; they and t end up as anything.
func armHash4(b *armBuilder, name string, c, t [4]ir.Operand, base ir.Operand, at, step int64, begin bool) {
	for i := 0; i < 4; i += 2 {
		c0, c1 := Table2(c[i], c[i+1])
		b.Origin("%s, halves of blocks %d, %d", name, i, i+1)
		b.I("tbl", t[i], c0, c1, aFirsts)
		b.I("tbl", t[i+1], c0, c1, aLasts)
	}
	multiply := func(p armPart, x, y ir.Operand) {
		b.Origin("%s, powers of H, %s", name, p.name)
		b.I("ldp", As("q", c[0]), As("q", c[1]), p.powers(256, base, at, step))
		b.Origin("%s, %s products", name, p.name)
		if begin {
			b.I("pmull", As("1q", p.sum), As("1d", x), As("1d", c[0]))
			b.I("pmull2", As("1q", c[3]), As("2d", x), As("2d", c[0]))
			b.I("eor", p.sum, p.sum, c[3])
		} else {
			b.I("pmull", As("1q", c[2]), As("1d", x), As("1d", c[0]))
			b.I("pmull2", As("1q", c[3]), As("2d", x), As("2d", c[0]))
			b.add2(p.sum, c[2], c[3])
		}
		b.I("pmull", As("1q", c[2]), As("1d", y), As("1d", c[1]))
		b.I("pmull2", As("1q", c[3]), As("2d", y), As("2d", c[1]))
		b.add2(p.sum, c[2], c[3])
	}
	multiply(lowPart, t[1], t[3])
	b.Origin("%s, middle terms", name)
	b.I("eor", t[1], t[0], t[1])
	b.I("eor", t[3], t[2], t[3])
	multiply(middlePart, t[1], t[3])
	multiply(highPart, t[0], t[2])
}

// armHash1 adds the products of the block c with the power at xPowers, which
// it moves on, to the sums. c and t end up as anything.
func armHash1(b *armBuilder, name string, c ir.Operand, t [3]ir.Operand) {
	b.Origin("%s, halves", name)
	armHalves(b, t, c, c, aLasts)
	armHashHalves(b, name, t, c)
}

// armHalves puts the high and the low half of a block in t: the first 8 bytes of
// first, and those of last for which lasts has the indices.
func armHalves(b *armBuilder, t [3]ir.Operand, first, last, lasts ir.Operand) {
	b.I("tbl", t[0], Table(first), aFirsts)
	b.I("tbl", t[1], Table(last), lasts)
}

// armHashHalves is armHash1 for a block whose halves armHalves put in t. It uses p.
func armHashHalves(b *armBuilder, name string, t [3]ir.Operand, p ir.Operand) {
	b.Origin("%s, halves", name)
	b.I("eor", t[2], t[0], t[1])
	armMultiply(b, name, t, p, xPowers, 0, 8, false)
}

// armMultiply adds the products of x, which holds the high and the low half
// of a block and their xor, each in lane 0, with the power at base+at to the
// sums, or begins the sums. It adds step to base; the powers go through p, and
// x ends up as anything.
func armMultiply(b *armBuilder, name string, x [3]ir.Operand, p, base ir.Operand, at, step int64, begin bool) {
	for _, f := range []struct {
		armPart
		x ir.Operand
	}{{lowPart, x[1]}, {middlePart, x[2]}, {highPart, x[0]}} {
		b.Origin("%s, %s product", name, f.name)
		b.I("ldr", As("d", p), f.powers(64, base, at, step))
		if begin {
			b.I("pmull", As("1q", f.sum), As("1d", f.x), As("1d", p))
			continue
		}
		b.I("pmull", As("1q", f.x), As("1d", f.x), As("1d", p))
		b.I("eor", f.sum, f.sum, f.x)
	}
}

// armMultiplyXi adds the products of Xi with the power at xPowers to the
// sums, or begins the sums. It uses v0 to v3.
func armMultiplyXi(b *armBuilder, begin bool) {
	b.Origin("GHASH Xi, halves")
	b.I("ext", V(0), aXi, aXi, ir.Imm(8))
	b.I("mov", V(1), aXi)
	b.I("eor", V(2), V(0), V(1))
	armMultiply(b, "GHASH Xi", [3]ir.Operand{V(0), V(1), V(2)}, V(3), xPowers, 0, 0, begin)
}

// armReduce reduces the sums of products modulo the field polynomial and
// leaves the result in aXi. It uses t and u.
func armReduce(b *armBuilder, t, u, poly ir.Operand) {
	b.Origin("GHASH middle terms without low and high")
	b.I("ldr", As("q", poly), keyMem(128, armPoly))
	b.eor3(aMid, aMid, aLow, aHigh)
	b.Origin("reduce the low quarter")
	b.I("pmull", As("1q", t), As("1d", aLow), As("1d", poly))
	b.I("ext", u, aLow, aLow, ir.Imm(8))
	b.eor3(aMid, aMid, t, u)
	b.Origin("reduce the second quarter")
	b.I("pmull", As("1q", t), As("1d", aMid), As("1d", poly))
	b.I("ext", u, aMid, aMid, ir.Imm(8))
	b.eor3(aXi, aHigh, t, u)
}

// armHashTurn is the GHASH stream of a turn of the bulk loop: 16 blocks of
// ciphertext at base+at, one reduction. xPowers is at H^16.
func armHashTurn(k *armKernel, base ir.Operand, at int64) []ir.Inst {
	b := k.builder()
	c := [4]ir.Operand{V(16), V(17), V(18), V(19)}
	t := [4]ir.Operand{V(20), V(21), V(22), V(31)}
	for i := 0; i < 16; i += 4 {
		b.Origin("GHASH blocks %d to %d", i, i+3)
		b.I("ldp", As("q", c[0]), As("q", c[1]), Mem(ir.Text, 256, base, at+int64(16*i)))
		b.I("ldp", As("q", c[2]), As("q", c[3]), Mem(ir.Text, 256, base, at+int64(16*i+32)))
		if i == 0 {
			b.Origin("GHASH block 0, add Xi")
			b.I("ldr", As("q", t[1]), keyMem(128, armReverse))
			b.I("tbl", t[0], Table(aXi), t[1])
			b.I("eor", c[0], c[0], t[0])
		}
		armHash4(b, "GHASH turn", c, t, xPowers, int64(8*i), 0, i == 0)
	}
	armReduce(b, c[0], c[1], c[2])
	return b.Code
}
