// SPDX-License-Identifier: ISC

package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// TestFind looks for forms that the tables have, and for some that they have
// not: the error names the mnemonic and the classes of the operands.
func TestFind(t *testing.T) {
	z, k := amd64.Z(1), amd64.K(1)
	for _, c := range []struct {
		isa      *ir.ISA
		mnemonic string
		args     []ir.Operand
		want     string // the error, or ""
	}{
		{amd64.ISA, "vpxorq", []ir.Operand{z, z, z}, ""},
		{amd64.ISA, "vmovdqu8", []ir.Operand{amd64.Zeroed(z, k), amd64.Mem(ir.Text, 512, amd64.RDI, 0)}, ""},
		{amd64.ISA, "vpxorq", []ir.Operand{z, z}, "amd64: no form vpxorq [z z] in the table"},
		{amd64.ISA, "vpxorq", nil, "amd64: no form vpxorq [] in the table"},
		{amd64.ISA, "vaesenc", []ir.Operand{z, z, amd64.X(1)}, "amd64: no form vaesenc [z z x] in the table"},
		{amd64.ISA, "vaesenc", []ir.Operand{amd64.Masked(z, k), z, z}, "amd64: no form vaesenc [z z z] in the table"},
		{amd64.ISA, "nonsense", []ir.Operand{amd64.RAX, ir.Imm(1)}, "amd64: no form nonsense [r64 imm] in the table"},
		{arm64.ISA, "ldr", []ir.Operand{arm64.As("q", arm64.V(1)), arm64.Post(ir.Text, 128, arm64.X(1), 16)}, ""},
		{arm64.ISA, "ldr", []ir.Operand{arm64.As("q", arm64.V(1)), arm64.Mem(ir.Text, 64, arm64.X(1), 0)}, "arm64: no form ldr [q m64] in the table"},
	} {
		f, err := c.isa.Find(c.mnemonic, c.args)
		if c.want == "" {
			if err != nil || f.Mnemonic != c.mnemonic {
				t.Errorf("%s: %v, %v", c.mnemonic, f, err)
			}
			continue
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// TestBuilder panics with that error.
func TestBuilder(t *testing.T) {
	b := &ir.Builder{ISA: amd64.ISA}
	b.Origin("round %d", 3).I("vpxorq", amd64.Z(1), amd64.Z(2), amd64.Z(3))
	b.Frame(func() { b.I("endbr64") })
	b.Label("end")
	b.I("ret")
	if got := b.Code[0].Origin; got != "round 3" {
		t.Errorf("origin is %q", got)
	}
	if b.Code[0].Frame || !b.Code[1].Frame || b.Code[3].Frame || b.Code[2].Label != "end" || b.Code[2].Form != nil {
		t.Errorf("code is %+v", b.Code)
	}
	p := &ir.Program{Code: b.Code, Data: []ir.Datum{{Name: "one"}}}
	if _, ok := p.Find("one"); p.Count() != 3 || !ok {
		t.Errorf("%d instructions, want 3; a datum is found: %v", p.Count(), ok)
	}
	if _, ok := p.Find("two"); ok {
		t.Error("an absent datum is found")
	}
	defer func() {
		if e, ok := recover().(error); !ok || !strings.Contains(e.Error(), "no form lea [z]") {
			t.Errorf("panics with %v", e)
		}
	}()
	b.I("lea", amd64.Z(1))
}

// TestUses checks what instructions read and write: masks, merging, addresses,
// flags, and bases that move.
func TestUses(t *testing.T) {
	z, k := amd64.Z, amd64.K(7)
	mem := amd64.Mem(ir.Text, 512, amd64.RDX, 64)
	indexed := amd64.AddrIndex(amd64.RCX, amd64.RDX, 8, 1)
	x, v := arm64.X, arm64.V
	for name, c := range map[string]struct {
		isa           *ir.ISA
		mnemonic      string
		args          []ir.Operand
		reads, writes string // names of registers
		cells         int
		store         bool
	}{
		"plain":       {amd64.ISA, "vpxorq", []ir.Operand{z(1), z(2), z(3)}, "zmm2 zmm3", "zmm1", 0, false},
		"update":      {amd64.ISA, "vpternlogq", []ir.Operand{z(1), z(2), z(3), ir.Imm(150)}, "zmm1 zmm2 zmm3", "zmm1", 0, false},
		"zeroing":     {amd64.ISA, "vmovdqu8", []ir.Operand{amd64.Zeroed(z(1), k), mem}, "k7 r2", "zmm1", 1, false},
		"merging":     {amd64.ISA, "vmovdqu8", []ir.Operand{amd64.Masked(z(1), k), mem}, "k7 r2 zmm1", "zmm1", 1, false},
		"store":       {amd64.ISA, "vmovdqu8", []ir.Operand{amd64.Masked(mem, k), z(1)}, "k7 r2 zmm1", "", 1, true},
		"address":     {amd64.ISA, "lea", []ir.Operand{amd64.RAX, indexed}, "r1 r2", "r0", 0, false},
		"sets flags":  {amd64.ISA, "cmp", []ir.Operand{amd64.RAX, ir.Imm(1)}, "r0", "flag0 flag1", 0, false},
		"reads flags": {amd64.ISA, "jb", []ir.Operand{ir.To("x")}, "flag0 flag1", "", 0, false},
		"constant":    {amd64.ISA, "vpaddd", []ir.Operand{amd64.X(1), amd64.X(1), amd64.Const(128, "one", 0)}, "zmm1", "zmm1", 1, false},
		"post-index":  {arm64.ISA, "ldr", []ir.Operand{arm64.As("q", v(1)), arm64.Post(ir.Text, 128, x(3), 16)}, "x3", "v1 x3", 1, false},
		"pre-index":   {arm64.ISA, "str", []ir.Operand{arm64.As("q", v(1)), arm64.Pre(ir.Text, 128, x(3), 16)}, "v1 x3", "x3", 1, true},
		"pair":        {arm64.ISA, "ldp", []ir.Operand{arm64.As("q", v(1)), arm64.As("q", v(2)), arm64.Mem(ir.Text, 256, x(3), 0)}, "x3", "v1 v2", 1, false},
	} {
		f, err := c.isa.Find(c.mnemonic, c.args)
		if err != nil {
			t.Fatal(err)
		}
		u := ir.Inst{Form: f, Args: c.args}.Uses()
		if got := names(u.Reads); got != c.reads {
			t.Errorf("%s: reads %s, want %s", name, got, c.reads)
		}
		if got := names(u.Writes); got != c.writes {
			t.Errorf("%s: writes %s, want %s", name, got, c.writes)
		}
		if len(u.Cells) != c.cells || c.cells == 1 && (u.Cells[0].Write != c.store || u.Cells[0].Bytes != c.args[slices.IndexFunc(c.args, isMemory)].Width/8) {
			t.Errorf("%s: touches %+v", name, u.Cells)
		}
	}
	if u := (ir.Inst{Label: "here"}).Uses(); u.Reads != nil || u.Writes != nil || u.Cells != nil {
		t.Errorf("a label uses %+v", u)
	}
}

func isMemory(o ir.Operand) bool { return o.Kind == ir.Memory }

func names(regs []ir.Reg) string {
	var s []string
	for _, r := range regs {
		s = append(s, r.String())
	}
	slices.Sort(s)
	return strings.Join(slices.Compact(s), " ")
}

// TestCamel turns names into Go's style.
func TestCamel(t *testing.T) {
	for name, want := range map[string]string{"aad_len": "aadLen", "in": "in", "vaes_avx512_seal_128": "vaesAvx512Seal128"} {
		if got := ir.Camel(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestLoop cuts loops out of a program: up to the first branch back, whatever
// stands between, and nothing where no branch leads back.
func TestLoop(t *testing.T) {
	b := &ir.Builder{ISA: amd64.ISA}
	b.I("add", amd64.RAX, ir.Imm(1))
	b.Label("outer")
	b.I("add", amd64.RAX, ir.Imm(2))
	b.I("je", ir.To("end"))
	b.Label("inner")
	b.I("add", amd64.RAX, ir.Imm(3))
	b.I("jne", ir.To("inner"))
	b.I("jne", ir.To("outer"))
	b.I("jne", ir.To("outer"))
	b.Label("end")
	b.I("jmp", ir.To("end"))
	p := &ir.Program{Code: b.Code}
	for label, want := range map[string]int{"outer": 6, "inner": 2, "end": 0, "nowhere": 0} {
		loop := p.Loop(label)
		if len(loop) != want {
			t.Errorf("the loop at %s has %d instructions and labels, want %d", label, len(loop), want)
		}
		if want > 0 && loop[want-1].Args[0].Label != label {
			t.Errorf("the loop at %s ends with %+v", label, loop[want-1])
		}
	}
}
