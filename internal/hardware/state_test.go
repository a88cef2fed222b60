// SPDX-License-Identifier: ISC

package hardware

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand"
	"slices"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// A state is one page: the registers from its start, and at its end the
// memory that instructions work on. The page behind it is not accessible;
// the datum that symbols name follows. All offsets are in bytes.
const (
	page     = 4096
	address  = 0x10000000 // of the state
	testSlot = 3048       // for the frame: address of the test
	hostSlot = 3056       // for the frame: stack pointer of the caller
	taken    = 3064       // 8 bytes; not zero where a branch was taken
	scratch  = 3072       // start of the memory, which reaches to the end
	datumAt  = 2 * page
)

// datum is the constant that instructions may address by name.
var datum = func() (b [256]byte) {
	for i := range b {
		b[i] = byte(167*i + 13)
	}
	return b
}()

// places calls f with each register and where it lies in a state; bit is -1
// for all but flags.
func (t *target) places(f func(r ir.Reg, at, bit int)) {
	at := 0
	for _, b := range t.banks {
		for n := range b.Count {
			r := ir.Reg{Bank: b, Num: n}
			if b.Width == 1 {
				f(r, at, t.flagBit[r])
				continue
			}
			f(r, at, -1)
			at += b.Width / 8
		}
	}
}

// edges are 64-bit words on which carries, comparisons and shuffles turn.
var edges = []uint64{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 1,
	0xffffffff00000000, 0x8000000080000000, 0xffffffff00000001, 0x808182838f8e8d8c, 0x0f0e0d0c0b0a0908, 0x7f80ff0001101112}

// masks are the values of a mask register besides random ones.
var masks = []uint64{0, ^uint64(0), 1, 0x5555555555555555, 0xff, 1<<63 - 1, 1 << 63}

// newState returns state number n: all zeros, all ones, then mixtures of
// random values, edges and values that another register holds too.
func (t *target) newState(n int, rng *rand.Rand) []byte {
	s := make([]byte, page)
	rng.Read(s[scratch:])
	t.places(func(r ir.Reg, at, bit int) {
		switch {
		case bit >= 0:
			if n == 1 || n > 1 && rng.Intn(2) == 0 {
				s[at+bit/8] |= 1 << (bit % 8)
			}
			return
		case n == 0:
			return
		case n == 1:
			copy(s[at:at+r.Bank.Width/8], bytes.Repeat([]byte{0xff}, r.Bank.Width/8))
			return
		}
		v := s[at : at+r.Bank.Width/8]
		kind := rng.Intn(5)
		for i := 0; i < len(v); i += 8 {
			word := rng.Uint64()
			switch {
			case r.Bank == t.mask && kind < 2:
				word = masks[rng.Intn(len(masks))]
			case r.Bank == t.mask && kind < 4:
				word = 1<<rng.Intn(64) - 1
			case kind == 0:
				word = edges[rng.Intn(len(edges))]
			case kind == 1: // equal in many registers
				word = edges[n%len(edges)]
			}
			binary.LittleEndian.PutUint64(v[i:], word)
		}
	})
	return s
}

// prepare points the base registers of i's memory operands into the memory.
// Where a mask allows it, elements that are off reach beyond the page.
func (t *target) prepare(i ir.Inst, s []byte, rng *rand.Rand) {
	at := map[ir.Reg]int{}
	t.places(func(r ir.Reg, off, _ int) { at[r] = off })
	word := func(r ir.Reg) uint64 { return binary.LittleEndian.Uint64(s[at[r]:]) }
	for _, a := range i.Args {
		if a.Kind != ir.Memory || a.Mem.Base.Bank == nil || a.Width == 0 {
			continue
		}
		to := uint64(address + scratch + 128 + rng.Intn(512))
		for _, m := range i.Args {
			if m.Masked() && rng.Intn(2) == 0 {
				elements, n := uint64(0), a.Width/i.Form.Element
				for e := range m.Width / i.Form.Element { // several may be copies of one
					elements |= word(m.Mask) >> e & 1 << (e % n)
				}
				to = uint64(address + page - bits.Len64(elements)*i.Form.Element/8)
			}
		}
		to -= uint64(a.Mem.Disp)
		if a.Mem.Index.Bank != nil {
			to -= word(a.Mem.Index) * uint64(a.Mem.Scale)
		}
		if a.Mem.Base == t.aligned {
			to &^= 15
		}
		binary.LittleEndian.PutUint64(s[at[a.Mem.Base]:], to)
	}
}

// memory is the machine's view of a state's memory and of the datum.
type memory []byte

func (m memory) at(addr uint64, n int, write bool) ([]byte, error) {
	switch off := addr - address - scratch; {
	case off <= uint64(len(m)-n):
		return m[off:][:n], nil
	case !write && addr-address-datumAt <= uint64(len(datum)-n):
		return datum[addr-address-datumAt:][:n], nil
	}
	return nil, fmt.Errorf("access to %d bytes at %#x, outside of the memory", n, addr)
}

// Load implements machine.Memory.
func (m memory) Load(addr uint64, n int) (value.Value, error) {
	b, err := m.at(addr, n, false)
	if err != nil {
		return nil, err
	}
	return value.FromBytes(b), nil
}

// Store implements machine.Memory.
func (m memory) Store(addr uint64, v value.Value) error {
	b, err := m.at(addr, v.Width()/8, true)
	if err == nil {
		copy(b, v.(*value.Bits).Bytes())
	}
	return err
}

// compare runs i on the machine from the state before, and tells where the
// state after, which the processor left, differs from the machine's.
func (t *target) compare(i ir.Inst, before, after []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the meaning panics: %v", r)
		}
	}()
	mem := memory(bytes.Clone(before[scratch:]))
	m := machine.New(value.Concrete{}, mem)
	m.Symbols["datum"] = address + datumAt
	get := func(s []byte, r ir.Reg, at, bit int) *value.Bits {
		if bit >= 0 {
			return value.Concrete{}.Const(1, uint64(s[at+bit/8]>>(bit%8)&1)).(*value.Bits)
		}
		return value.FromBytes(s[at : at+r.Bank.Width/8])
	}
	t.places(func(r ir.Reg, at, bit int) { m.SetReg(r, get(before, r, at, bit)) })
	jump, err := m.Step(i)
	if err != nil {
		return err
	}
	var diffs []error
	t.places(func(r ir.Reg, at, bit int) {
		got, want := get(after, r, at, bit), m.Reg(r).(*value.Bits)
		if *got != *want && r != t.pointer && !slices.Contains(i.Form.Undefined, r) {
			diffs = append(diffs, fmt.Errorf("%v: was %x, is %x on the processor, %x by the table (low byte first)",
				r, get(before, r, at, bit).Bytes(), got.Bytes(), want.Bytes()))
		}
	})
	if !bytes.Equal(mem, after[scratch:]) {
		diffs = append(diffs, fmt.Errorf("memory: is\n%x on the processor,\n%x by the table", after[scratch:], []byte(mem)))
	}
	if branches(i) && jump != (binary.LittleEndian.Uint64(after[taken:]) != 0) {
		diffs = append(diffs, fmt.Errorf("taken by the table: %v, by the processor: %v", jump, !jump))
	}
	return errors.Join(diffs...)
}

func branches(i ir.Inst) bool {
	return slices.ContainsFunc(i.Args, func(a ir.Operand) bool { return a.Kind == ir.Target })
}
