// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// vaesInit returns the program that sets up the key block: the key schedule
// of FIPS 197, 5.2, then H = E(K, 0) and its powers.
func vaesInit(bits int) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	keySchedule(b, bits)
	vaesPowersOfH(b, bits)
	b.Origin("leave no secret in a register")
	vaesWipe(b)
	return vaesProgram("init", bits, b)
}

// vaesPowersOfH computes H and stores its powers, four a register: row k, of
// rows 1 to 18, holds H^4k to H^(4k-3).
func vaesPowersOfH(b *ir.Builder, bits int) {
	vaesConstants(b)
	h := view(vXi)
	b.I("vpxorq", h, h, h)
	vaesBlock(b, bits, h, "H")

	b.Label("h")
	b.Origin("H times x^-1")
	b.I("vpshufb", h, h, view(vBswap))
	b.I("vpsrlq", X(3), h, ir.Imm(63))
	b.I("vpslldq", X(4), X(3), ir.Imm(8))
	b.I("vpsllq", X(5), h, ir.Imm(1))
	b.I("vpshufd", X(3), h, ir.Imm(0xff))
	b.I("vpsrad", X(3), X(3), ir.Imm(31))
	b.I("vpand", X(3), X(3), Const(128, "poly", 0))
	b.I("vpternlogq", X(3), X(4), X(5), ir.Imm(xor3))

	b.Label("powers")
	b.Origin("H^2 to H^4")
	h1, h2 := Z(3), Z(4)
	vaesTimes(b, view(h2), view(h1), view(h1))
	b.I("vshufi64x2", Z(5), h2, h1, ir.Imm(0)) // lanes H^2, H^2, H, H
	b.I("vshufi64x2", Z(5), Z(5), Z(5), ir.Imm(0x08))
	b.I("vshufi64x2", h2, h2, h2, ir.Imm(broadcastLane0))
	vaesTimes(b, Z(6), Z(5), h2) // lanes H^4, H^3, H^4, H^4
	b.I("vshufi64x2", Z(0), Z(6), Z(5), ir.Imm(0x44))
	vaesStoreRow(b, 1, Z(0))

	// Each step multiplies the first rows by the highest power so far, in
	// every lane, and doubles their number. Rows 1 to 8 stay in registers.
	rows := []ir.Operand{Z(0)}
	free := []ir.Operand{Z(1), Z(2), Z(3), Z(4), Z(5), Z(6), Z(7)}
	power := Z(8)
	for have := 1; have < 18; have *= 2 {
		b.Origin("H^%d in every lane", 4*have)
		if have <= 8 {
			top := rows[have-1]
			b.I("vshufi64x2", power, top, top, ir.Imm(broadcastLane0))
		} else {
			b.I("vbroadcasti32x4", power, Mem(ir.KeyBlock, 128, RDI, int64(vaesPowersEnd-64*have)))
		}
		for k := 1; k <= have && have+k <= 18; k++ {
			dst := Z(9 + k%2)
			if have+k <= 8 {
				dst, free = free[0], free[1:]
				rows = append(rows, dst)
			}
			src := Z(11)
			if k <= len(rows) && k <= 8 {
				src = rows[k-1]
			} else {
				b.I("vmovdqu64", src, Mem(ir.KeyBlock, 512, RDI, int64(vaesPowersEnd-64*k)))
			}
			b.Origin("H^%d to H^%d", 4*(have+k), 4*(have+k)-3)
			vaesTimes(b, dst, src, power)
			vaesStoreRow(b, have+k, dst)
		}
	}
	for k := 16; k > 0; k -= 2 {
		b.Origin("halves of H^%d and H^%d", 4*k, 4*k-4)
		b.I("vmovdqu64", X(1), Mem(ir.KeyBlock, 128, RDI, int64(vaesPowersEnd-64*k)))
		b.I("vmovdqu64", X(2), Mem(ir.KeyBlock, 128, RDI, int64(vaesPowersEnd-64*(k-1))))
		b.I("vpunpcklqdq", X(3), X(1), X(2))
		b.I("vpunpckhqdq", X(4), X(1), X(2))
		b.I("vpxorq", X(3), X(3), X(4))
		b.I("vmovdqu64", Mem(ir.KeyBlock, 128, RDI, int64(vaesMiddles+128-8*k)), X(3))
	}
}

func vaesStoreRow(b *ir.Builder, k int, z ir.Operand) {
	b.I("vmovdqu64", Mem(ir.KeyBlock, 512, RDI, int64(vaesPowersEnd-64*k)), z)
}

// vaesTimes sets dst to the product of x and y, lane by lane. It uses z17 to
// z21.
func vaesTimes(b *ir.Builder, dst, x, y ir.Operand) {
	as := func(n int) ir.Operand {
		if dst.Width == 128 {
			return X(n)
		}
		return Z(n)
	}
	low, mid, high, t, swapped := as(17), as(18), as(19), as(20), as(21)
	poly := as(vPoly.Reg.Num)
	b.I("vpclmulqdq", low, x, y, ir.Imm(lowLow))
	b.I("vpclmulqdq", mid, x, y, ir.Imm(highLow))
	b.I("vpclmulqdq", t, x, y, ir.Imm(lowHigh))
	b.I("vpclmulqdq", high, x, y, ir.Imm(highHigh))
	b.I("vpxorq", mid, mid, t)
	b.I("vpclmulqdq", t, low, poly, ir.Imm(lowHigh))
	b.I("vpshufd", swapped, low, ir.Imm(swapHalves))
	b.I("vpternlogq", mid, t, swapped, ir.Imm(xor3))
	b.I("vpclmulqdq", t, mid, poly, ir.Imm(lowHigh))
	b.I("vpshufd", swapped, mid, ir.Imm(swapHalves))
	b.I("vpternlogq", high, t, swapped, ir.Imm(xor3))
	b.I("vmovdqu64", dst, high)
	b.Element()
}
