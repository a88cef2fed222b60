// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// avxInit returns the program that sets up the key block: the key schedule, then
// H = E(K, 0) and its powers.
func avxInit(k *avxKernel, bits int) *ir.Program {
	b := k.builder()
	b.Origin("entry")
	b.Frame(func() { b.I("endbr64") })
	keySchedule(&b.Builder, bits)
	b.I("vpxor", X(0), X(0), X(0))
	avxBlock(&b.Builder, bits, "H")
	b.Label("h")
	avxDivide(b)
	b.Label("powers")
	avxPowersOfH(b)
	b.Origin("leave no secret in a register")
	b.wipe(0)
	b.I("ret")
	return avxProgram("init", bits, b)
}

// avxDivide makes H·x^-1 in x1 of the block H in x0.
func avxDivide(b *avxBuilder) {
	h := X(1)
	b.Origin("H times x^-1")
	b.I("vpshufb", h, X(0), Const(128, "bswap", 0))
	b.I("vpsrlq", X(3), h, ir.Imm(63))
	b.I("vpslldq", X(3), X(3), ir.Imm(8))
	b.I("vpshufd", X(4), h, ir.Imm(0xff))
	b.I("vpsllq", h, h, ir.Imm(1))
	b.I("vpsrad", X(4), X(4), ir.Imm(31))
	b.I("vpand", X(4), X(4), Const(128, "poly", 0))
	b.I("vpxor", h, h, X(3))
	b.I("vpxor", h, h, X(4))
}

// powerAt is where H^n lies in the key block, n being the highest of as many
// powers as the operand is wide.
func powerAt(width, n int) ir.Operand {
	return Mem(ir.KeyBlock, width, rKey, int64(avxPowersEnd-16*n))
}

// avxPowersOfH stores the powers of H, of which x1 holds the first, a register
// at a time. Each step multiplies the first powers by the highest so far, in
// every lane, and doubles their number.
func avxPowersOfH(b *avxBuilder) {
	b.Origin("H^1")
	b.I("vmovdqu", powerAt(128, 1), X(1))
	if b.lanes == 2 {
		b.Origin("H^2")
		avxTimes(b, X(2), X(1), X(1))
		b.I("vmovdqu", powerAt(128, 2), X(2))
	}
	power, x, product := b.v(1), b.v(2), b.v(3)
	for have := b.lanes; have < avxTopExp; have *= 2 {
		b.Origin("H^%d in every lane", have)
		if b.lanes == 2 {
			b.I("vbroadcasti128", power, powerAt(128, have))
		} else {
			b.I("vmovdqu", power, powerAt(128, have))
		}
		for n := b.lanes; n <= have && have+n <= avxTopExp; n += b.lanes {
			b.Origin("H^%d", have+n)
			b.I("vmovdqu", x, powerAt(b.width(), n))
			avxTimes(b, product, x, power)
			b.I("vmovdqu", powerAt(b.width(), have+n), product)
		}
	}
	// The middles stand as the bulk loop packs those of two registers.
	for n := 32; n > 0; n -= 2 * b.lanes {
		b.Origin("middles of H^%d to H^%d", n, n-2*b.lanes+1)
		b.I("vmovdqu", x, powerAt(b.width(), n))
		b.I("vmovdqu", product, powerAt(b.width(), n-b.lanes))
		b.I("vpunpcklqdq", b.v(4), x, product)
		b.I("vpunpckhqdq", b.v(5), x, product)
		b.I("vpxor", b.v(4), b.v(4), b.v(5))
		b.I("vmovdqu", Mem(ir.KeyBlock, b.width(), rKey, int64(avxMiddles+8*(32-n))), b.v(4))
	}
}

// avxTimes sets dst to the product of x and y, lane by lane. It uses registers 9
// to 13.
func avxTimes(b *avxBuilder, dst, x, y ir.Operand) {
	view := X
	if dst.Width == 256 {
		view = Y
	}
	b.multiply(x, y, true)
	b.reduce(view)
	b.I("vmovdqu", dst, view(nXi))
}
