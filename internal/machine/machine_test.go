// SPDX-License-Identifier: ISC

package machine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// program builds a program of amd64 instructions.
func program(build func(b *ir.Builder)) *ir.Program {
	b := &ir.Builder{ISA: ISA}
	b.Origin("test")
	build(b)
	return &ir.Program{Name: "p", ISA: ISA, Code: b.Code}
}

// memory is one region of n bytes 0, 1, 2, …; rdi points to it.
func memory(n int, write bool) (*machine.Machine, *machine.Region) {
	mem := &machine.Regions{}
	m := machine.New(value.Concrete{}, mem)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	r := mem.Add("text", b, write, 3)
	m.SetReg(RDI.Reg, value.FromUint64(r.Base))
	return m, r
}

// TestFaults runs what a program must not do, and wants the fault to name
// program, instruction, origin and cause.
func TestFaults(t *testing.T) {
	at := func(disp int64) ir.Operand { return Mem(ir.Text, 512, RDI, disp) }
	for name, c := range map[string]struct {
		write bool
		build func(b *ir.Builder)
		want  string
	}{
		"load beyond":   {true, func(b *ir.Builder) { b.I("vmovdqu64", Z(0), at(37)) }, "load of 64 bytes at offset 37 of text, which holds 100"},
		"load before":   {true, func(b *ir.Builder) { b.I("vmovdqu64", Z(0), at(-1)) }, "load of 64 bytes at offset -1 of text"},
		"store beyond":  {true, func(b *ir.Builder) { b.I("vmovdqu64", at(37), Z(0)) }, "store of 64 bytes at offset 37 of text"},
		"store before":  {true, func(b *ir.Builder) { b.I("vmovdqu64", at(-64), Z(0)) }, "store of 64 bytes at offset -64 of text"},
		"read-only":     {false, func(b *ir.Builder) { b.I("vmovdqu64", at(0), Z(0)) }, "store to text, which is only to be read"},
		"nowhere":       {true, func(b *ir.Builder) { b.I("vmovdqu64", Z(0), Mem(ir.Text, 512, RSI, 0)) }, "load of 64 bytes at 0x0, where nothing is"},
		"unknown datum": {true, func(b *ir.Builder) { b.I("vmovdqu64", Z(0), Const(512, "absent", 0)) }, "no datum absent"},
		"unknown label": {true, func(b *ir.Builder) { b.I("jmp", ir.To("absent")) }, "no label absent"},
		"endless":       {true, func(b *ir.Builder) { b.Label("a"); b.I("jmp", ir.To("a")) }, "more than 1000 instructions"},
	} {
		m, _ := memory(100, c.write)
		m.MaxSteps = 1000
		err := m.Run(program(func(b *ir.Builder) { c.build(b); b.I("ret") }))
		var fault *machine.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "p, instruction ") || !strings.Contains(err.Error(), "(test)") {
			t.Errorf("%s: error is %v, want %s", name, err, c.want)
		}
	}
	m, _ := memory(1, true)
	if err := m.Run(program(func(b *ir.Builder) { b.I("xor", Low32(RAX), Low32(RAX)) })); err == nil || err.Error() != "p: control runs off the end" {
		t.Errorf("error is %v", err)
	}
	if _, err := m.RunFrom(program(func(b *ir.Builder) { b.I("ret") }), "absent"); err == nil || err.Error() != "p: no label absent" {
		t.Errorf("error is %v", err)
	}
}

// TestMask checks for every length and element that a masked access touches the
// bytes whose bit is set, and no other.
func TestMask(t *testing.T) {
	for n := range 65 {
		for shift := range 3 {
			bits := (1<<n - 1) << shift
			if n == 64 {
				bits = -1 << shift
			}
			set := func(i int) bool { return uint64(bits)>>i&1 == 1 }
			end := min(64, n+shift)
			m, r := memory(end, true) // the region ends with the last byte that may be touched
			m.SetReg(K(1).Reg, value.FromUint64(uint64(bits)))
			old := bytes.Repeat([]byte{0xee}, 64)
			m.SetReg(Z(1).Reg, value.FromBytes(old))
			at := Mem(ir.Text, 512, RDI, 0)
			err := m.Run(program(func(b *ir.Builder) {
				b.I("vmovdqu8", Zeroed(Z(0), K(1)), at)
				b.I("vmovdqu8", Masked(Z(1), K(1)), at)
				b.I("vmovdqu8", Masked(at, K(1)), Z(2))
				b.I("ret")
			}))
			if err != nil {
				t.Fatalf("mask %#x: %v", uint64(bits), err)
			}
			zeroed, merged := m.Reg(Z(0).Reg).(*value.Bits).Bytes(), m.Reg(Z(1).Reg).(*value.Bits).Bytes()
			for i := range 64 {
				want := [2]byte{0, 0xee}
				touched, now := 0, byte(i)
				if set(i) {
					want, touched, now = [2]byte{byte(i), byte(i)}, 1, 0
				}
				if zeroed[i] != want[0] || merged[i] != want[1] {
					t.Fatalf("mask %#x: byte %d loads as %#x and %#x, want %#x", uint64(bits), i, zeroed[i], merged[i], want)
				}
				if i < end && (r.Read[i] != 2*touched || r.Written[i] != touched || r.Bytes[i] != now) {
					t.Fatalf("mask %#x: byte %d is read %d and written %d times", uint64(bits), i, r.Read[i], r.Written[i])
				}
			}
		}
	}
}

// TestMovingBase checks addresses that change with the access.
func TestMovingBase(t *testing.T) {
	x, q := arm64.X(1), arm64.As("q", arm64.V(0))
	for name, c := range map[string]struct {
		mem         ir.Operand
		first, left int64 // offsets: of the access, and of the base behind it
	}{
		"plain":      {arm64.Mem(ir.Text, 128, x, 16), 16, 0},
		"post-index": {arm64.Post(ir.Text, 128, x, 16), 0, 16},
		"backwards":  {arm64.Post(ir.Text, 128, x, -8), 0, -8},
		"pre-index":  {arm64.Pre(ir.Text, 128, x, 32), 32, 32},
	} {
		m, r := memory(64, true)
		m.SetReg(x.Reg, value.FromUint64(r.Base))
		b := &ir.Builder{ISA: arm64.ISA}
		b.I("ldr", q, c.mem)
		b.I("ret")
		if err := m.Run(&ir.Program{Name: "p", ISA: arm64.ISA, Code: b.Code}); err != nil {
			t.Fatal(err)
		}
		if got := m.Reg(q.Reg).(*value.Bits).Bytes()[0]; int64(got) != c.first {
			t.Errorf("%s: accesses offset %d, want %d", name, got, c.first)
		}
		if got := int64(m.Reg(x.Reg).(*value.Bits).Uint64() - r.Base); got != c.left {
			t.Errorf("%s: leaves the base at %d, want %d", name, got, c.left)
		}
	}
}

// TestNarrowWrites clears what lies above: in general registers written by
// their low half, and in vector registers.
func TestNarrowWrites(t *testing.T) {
	m, _ := memory(1, true)
	m.SetReg(RAX.Reg, value.FromUint64(^uint64(0)))
	m.SetReg(Z(1).Reg, value.Ones(value.Concrete{}, 512))
	err := m.Run(program(func(b *ir.Builder) {
		b.I("mov", Low32(RAX), ir.Imm(5))
		b.I("vpxor", X(1), X(1), X(2))
		b.I("ret")
	}))
	if err != nil || m.Reg(RAX.Reg).(*value.Bits).Uint64() != 5 {
		t.Errorf("rax is %v, %v", m.Reg(RAX.Reg), err)
	}
	want := append(bytes.Repeat([]byte{255}, 16), make([]byte, 48)...)
	if got := m.Reg(Z(1).Reg).(*value.Bits).Bytes(); !bytes.Equal(got, want) {
		t.Errorf("zmm1 is %x", got)
	}
}

// TestHooks stops at labels and traces.
func TestHooks(t *testing.T) {
	m, _ := memory(1, true)
	var trace []int
	m.Trace = func(pc int) { trace = append(trace, pc) }
	m.Stop = func(label string) bool { return label == "b" }
	p := program(func(b *ir.Builder) {
		b.I("jmp", ir.To("a"))
		b.I("ret")
		b.Label("a")
		b.I("xor", Low32(RAX), Low32(RAX))
		b.Label("b")
		b.I("ret")
	})
	if label, err := m.RunFrom(p, ""); label != "b" || err != nil || fmt.Sprint(trace) != "[0 3]" || m.Steps != 2 {
		t.Errorf("stops at %q after %v, %d steps: %v", label, trace, m.Steps, err)
	}
	m.Stop = nil
	if _, err := m.RunFrom(p, "b"); err != nil || fmt.Sprint(trace) != "[0 3 5]" {
		t.Errorf("goes on by %v: %v", trace, err)
	}
}
