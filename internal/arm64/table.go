// SPDX-License-Identifier: ISC

package arm64

import (
	"fmt"
	"io"
	"slices"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// ISA is the instruction table.
var ISA = &ir.ISA{Name: "arm64", Text: text, Prologue: prologue, Notes: notes, Forms: forms(),
	GoText: goText, Call: aapcs64,
	Banks: []*ir.Bank{GPR, Stack, Vec, Flags}}

// aapcs64 is the calling convention of the Procedure Call Standard.
var aapcs64 = ir.Call{
	PreservedBits: func(r ir.Reg) int {
		switch {
		case r.Bank == GPR && r.Num >= 18, r.Bank == Stack,
			r.Bank == Vec && r.Num >= 8 && r.Num < 16: // d8 to d15
			return 64
		}
		return 0
	},
	Args:   []ir.Reg{X(0).Reg, X(1).Reg, X(2).Reg, X(3).Reg, X(4).Reg, X(5).Reg, X(6).Reg, X(7).Reg},
	Result: X(0).Reg, SP: SP.Reg,
	// The platform's, the assembler's, the goroutine, the frame, the way back.
	GoKeeps: []ir.Reg{X(18).Reg, X(27).Reg, X(28).Reg, X(29).Reg, X(30).Reg, SP.Reg},
	Load:    func(b *ir.Builder, to ir.Reg, from ir.Operand) { b.I("ldr", X(to.Num), from) },
	Store:   func(b *ir.Builder, to ir.Operand, from ir.Reg) { b.I("str", X(from.Num), to) },
}

// prologue tells the assembler which extensions to accept.
func prologue(w io.Writer, features []string) {
	arch := "armv8-a+aes" // which stands for PMULL too
	if slices.Contains(features, sha3) {
		arch = "armv8.2-a+aes+sha3"
	}
	fmt.Fprintf(w, "\n\t.arch %s\n", arch)
}

// notes is the GNU property that marks code as fit for branch target
// identification.
const notes = `	.section .note.gnu.property, "a", %note
	.balign 8
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 1, 0
`

// Features that forms need beyond the Armv8.0 baseline.
const (
	aes   = "AES"
	pmull = "PMULL"
	sha3  = "SHA3"
)

// forms returns the whole table.
func forms() (t []*ir.Form) {
	t = append(t, generalForms()...)
	t = append(t, branchForms()...)
	t = append(t, memoryForms()...)
	t = append(t, moveForms()...)
	return append(t, vectorForms()...)
}

var flags = []ir.Reg{FlagN, FlagZ, FlagC, FlagV}

func generalForms() (t []*ir.Form) {
	put := func(f *ir.Form) { t = append(t, f) }
	setsFlags := func(f *ir.Form) { f.ImplicitWrites = flags; put(f) }
	for _, w := range []struct {
		class string
		width int
	}{{"x", 64}, {"w", 32}} {
		two := "w:" + w.class + " r:" + w.class
		three := two + " r:" + w.class
		put(ir.Row("mov", "w:"+w.class+" r:"+w.class+"/imm", "", copyOf(w.width, 1)))
		put(ir.Row("add", three+"/imm", "", arithmetic(w.width, 1, false, false)))
		put(ir.Row("sub", three+"/imm", "", arithmetic(w.width, 1, true, false)))
		setsFlags(ir.Row("subs", three+"/imm", "", arithmetic(w.width, 1, true, true)))
		setsFlags(ir.Row("cmp", "r:"+w.class+" r:"+w.class+"/imm", "", arithmetic(w.width, 0, true, true)))
		put(ir.Row("and", three+"/imm", "", each(w.width, and)))
		put(ir.Row("orr", three, "", each(w.width, or)))
		put(ir.Row("eor", three, "", each(w.width, eor)))
		put(ir.Row("lsl", two+" r:imm", "", shift(w.width, value.Shl)))
		put(ir.Row("lsr", two+" r:imm", "", shift(w.width, value.Shr)))
		put(ir.Row("movk", "rw:"+w.class+" r:imm r:lsl", "", keep(w.width)))
		put(ir.Row("rev", two, "", each(w.width, reverse)))
	}
	for _, c := range conditions {
		f := ir.Row("csel", "w:x r:x r:x r:"+c.name, "", func(in ir.In) []value.Value {
			return one(in.D.Select(c.holds(in.D, in.Impl[0], in.Impl[1]), in.Op[1], in.Op[2]))
		})
		g := ir.Row("cset", "w:x r:"+c.name, "", func(in ir.In) []value.Value {
			return one(value.Extend(in.D, c.holds(in.D, in.Impl[0], in.Impl[1]), 64))
		})
		f.ImplicitReads = []ir.Reg{FlagZ, FlagC}
		g.ImplicitReads = f.ImplicitReads
		put(f)
		put(g)
	}
	return t
}

// conditions are those that Z and C decide.
var conditions = []struct {
	name  string
	holds func(d value.Domain, z, c value.Value) value.Value
}{
	{"eq", func(_ value.Domain, z, _ value.Value) value.Value { return z }},
	{"ne", func(d value.Domain, z, _ value.Value) value.Value { return value.Not(d, z) }},
	{"hs", func(_ value.Domain, _, c value.Value) value.Value { return c }},
	{"lo", func(d value.Domain, _, c value.Value) value.Value { return value.Not(d, c) }},
	{"hi", func(d value.Domain, z, c value.Value) value.Value { return d.And(c, value.Not(d, z)) }},
}

func branchForms() (t []*ir.Form) {
	flow := func(f *ir.Form, fl ir.Flow, reads ...ir.Reg) {
		f.Flow, f.ImplicitReads = fl, reads
		t = append(t, f)
	}
	nothing := func(ir.In) []value.Value { return nil }
	flow(ir.Row("ret", "", "", nothing), ir.Return)
	flow(ir.Row("b", "r:label", "", nothing), ir.Jump)
	for _, c := range conditions {
		flow(ir.Row("b."+c.name, "r:label", "", func(in ir.In) []value.Value {
			return one(c.holds(in.D, in.Impl[0], in.Impl[1]))
		}), ir.Branch, FlagZ, FlagC)
	}
	zero := func(in ir.In) value.Value { return in.D.IsZero(in.Op[0]) }
	flow(ir.Row("cbz", "r:x r:label", "", func(in ir.In) []value.Value { return one(zero(in)) }), ir.Branch)
	flow(ir.Row("cbnz", "r:x r:label", "", func(in ir.In) []value.Value { return one(value.Not(in.D, zero(in))) }), ir.Branch)
	bit := func(in ir.In) value.Value { return in.D.Slice(in.Op[0], int(in.Imm[1]), 1) }
	flow(ir.Row("tbz", "r:x r:imm r:label", "", func(in ir.In) []value.Value { return one(value.Not(in.D, bit(in))) }), ir.Branch)
	flow(ir.Row("tbnz", "r:x r:imm r:label", "", func(in ir.In) []value.Value { return one(bit(in)) }), ir.Branch)
	// hint 34 is bti c, which processors without BTI ignore.
	flow(ir.Row("hint", "r:imm", "", nothing), ir.Next)
	return t
}

func memoryForms() (t []*ir.Form) {
	put := func(f *ir.Form) { t = append(t, f) }
	for _, c := range []struct{ reg, mem string }{
		{"x", "m64"}, {"w", "m32"}, {"q", "m128"}, {"d", "m64"}, {"s", "m32"}, {"h", "m16"}, {"b", "m8"},
	} {
		put(ir.Row("ldr", "w:"+c.reg+" r:"+c.mem, "", copyOf(0, 1)))
		put(ir.Row("str", "r:"+c.reg+" w:"+c.mem, "", copyOf(0, 0)))
	}
	for _, c := range []struct {
		reg, mem string
		width    int
	}{{"x", "m128", 64}, {"q", "m256", 128}, {"d", "m128", 64}, {"s", "m64", 32}} {
		put(ir.Row("ldp", "w:"+c.reg+" w:"+c.reg+" r:"+c.mem, "", func(in ir.In) []value.Value {
			return []value.Value{in.D.Slice(in.Op[2], 0, c.width), in.D.Slice(in.Op[2], c.width, c.width)}
		}))
		put(ir.Row("stp", "r:"+c.reg+" r:"+c.reg+" w:"+c.mem, "", func(in ir.In) []value.Value {
			return one(in.D.Concat(in.Op[0], in.Op[1]))
		}))
	}
	for _, c := range []struct {
		size, mem string
		width     int
	}{{"h", "m16", 16}, {"s", "m32", 32}, {"d", "m64", 64}} {
		put(ir.Row("ld1", "rw:{"+c.size+"}[] r:"+c.mem, "", place(c.width)))
	}
	return t
}

// moveForms move between vector registers, their lanes and general registers.
func moveForms() []*ir.Form {
	return []*ir.Form{
		ir.Row("fmov", "w:d r:x", "", copyOf(0, 1)),
		ir.Row("fmov", "w:x r:d", "", copyOf(0, 1)),
		ir.Row("mov", "w:16b r:16b", "", copyOf(0, 1)),
		ir.Row("mov", "rw:s[] r:w", "", place(32)),
		ir.Row("mov", "rw:d[] r:x", "", place(64)),
		ir.Row("mov", "w:x r:d[]", "", pick(64)),
		ir.Row("mov", "w:w r:s[]", "", pick(32)),
		ir.Row("dup", "w:16b r:w", "", spread(8)),
		ir.Row("dup", "w:4s r:w/s[]", "", spread(32)),
		ir.Row("dup", "w:2d r:x/d[]", "", spread(64)),
		ir.Row("movi", "w:16b r:imm", "", spread(8)),
		ir.Row("movi", "w:4s r:imm", "", spread(32)),
		ir.Row("movi", "w:2d r:imm", "", spread(64)), // each byte of it 0 or 255
	}
}

func vectorForms() []*ir.Form {
	return []*ir.Form{
		ir.Row("aese", "rw:16b r:16b", aes, func(in ir.In) []value.Value {
			return one(value.SubShift(in.D, in.D.Xor(in.Op[0], in.Op[1])))
		}),
		ir.Row("aesmc", "w:16b r:16b", aes, func(in ir.In) []value.Value { return one(in.D.MixColumns(in.Op[1])) }),
		ir.Row("pmull", "w:1q r:1d r:1d", pmull, clmul(0)),
		ir.Row("pmull2", "w:1q r:2d r:2d", pmull, clmul(1)),
		ir.Row("eor3", "w:16b r:16b r:16b r:16b", sha3, each(128, eor3)),
		ir.Row("eor", "w:16b r:16b r:16b", "", each(128, eor)),
		ir.Row("and", "w:16b r:16b r:16b", "", each(128, and)),
		ir.Row("cmhi", "w:16b r:16b r:16b", "", each(8, higher)),
		ir.Row("add", "w:4s r:4s r:4s", "", each(32, add)),
		ir.Row("shl", "w:2d r:2d r:imm", "", shift(64, value.Shl)),
		ir.Row("ushr", "w:2d r:2d r:imm", "", shift(64, value.Shr)),
		ir.Row("sshr", "w:2d r:2d r:imm", "", shift(64, value.Sar)),
		ir.Row("rev32", "w:16b r:16b", "", each(32, reverse)),
		ir.Row("ext", "w:16b r:16b r:16b r:imm", "", extract),
		ir.Row("trn1", "w:2d r:2d r:2d", "", transpose(0)),
		ir.Row("trn2", "w:2d r:2d r:2d", "", transpose(1)),
		ir.Row("tbl", "w:16b r:{16b} r:16b", "", lookUp),
		ir.Row("tbl", "w:16b r:{16b r:16b} r:16b", "", lookUp),
	}
}
