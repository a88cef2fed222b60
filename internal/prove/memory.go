// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/value"
)

// A region is memory that a program may touch, byte by byte.
type region struct {
	name     string
	base     uint64
	bytes    Vec
	readable []bool // a byte of the output is so only once it is written
	writable bool
	written  []bool
	by       []int // the instruction that stored a byte last
	// inPlace is the output that the bytes of an input share when a message is
	// sealed or opened in place: none may be loaded once it was stored to.
	inPlace *region
}

// memory is a list of regions far from each other; anything else faults.
type memory struct {
	s    *Symbols
	list []*region
	pc   int // the instruction that runs
	// whole holds numbers in memory that are not vectors, by address.
	whole map[uint64]value.Value
}

// add places a region. Reading is allowed everywhere in it unless output says
// that its bytes have no value yet.
func (m *memory) add(name string, bytes Vec, writable, output bool) *region {
	r := &region{name: name, base: uint64(len(m.list)+1) << 40, bytes: append(Vec{}, bytes...),
		readable: make([]bool, len(bytes)), writable: writable, written: make([]bool, len(bytes)), by: make([]int, len(bytes))}
	for i := range r.readable {
		r.readable[i] = !output
	}
	m.list = append(m.list, r)
	return r
}

// at returns the address of a byte of the region.
func (r *region) at(n int) Pointer { return Pointer(r.base + uint64(n)) }

func (m *memory) find(addr uint64, n int) (*region, int, error) {
	i := int(addr>>40) - 1
	if addr&(1<<39) != 0 { // just below a region
		i++
	}
	if i < 0 || i >= len(m.list) {
		return nil, 0, fmt.Errorf("%d bytes at %#x, where nothing is", n, addr)
	}
	r := m.list[i]
	at := int64(addr - r.base)
	if at < 0 || at+int64(n) > int64(len(r.bytes)) {
		return nil, 0, fmt.Errorf("%d bytes at offset %d of %s, which has %d", n, at, r.name, len(r.bytes))
	}
	return r, int(at), nil
}

// Load implements machine.Memory.
func (m *memory) Load(addr uint64, n int) (value.Value, error) {
	if v, ok := m.whole[addr]; ok && v.Width() == 8*n {
		return v, nil
	}
	r, at, err := m.find(addr, n)
	if err != nil {
		return nil, fmt.Errorf("load of %w", err)
	}
	for i := at; i < at+n; i++ {
		if !r.readable[i] {
			return nil, fmt.Errorf("load of offset %d of %s before anything was stored there", i, r.name)
		}
		if r.inPlace != nil && r.inPlace.written[i] {
			return nil, fmt.Errorf("load of offset %d of %s after the store to it, which in place would have changed it", i, r.name)
		}
	}
	return simplify(r.bytes[at : at+n : at+n]), nil
}

// Store implements machine.Memory.
func (m *memory) Store(addr uint64, v value.Value) error {
	if old, ok := m.whole[addr]; ok && v.Width() == old.Width() {
		if r, _, err := m.find(addr, v.Width()/8); err != nil || !r.writable {
			return fmt.Errorf("store to a number at %#x, which is only to be read", addr)
		}
		m.whole[addr] = v
		return nil
	}
	b := m.s.bytes(v)
	r, at, err := m.find(addr, len(b))
	if err != nil {
		return fmt.Errorf("store of %w", err)
	}
	if !r.writable {
		return fmt.Errorf("store to %s, which is only to be read", r.name)
	}
	copy(r.bytes[at:], b)
	for i := range b {
		r.readable[at+i], r.written[at+i], r.by[at+i] = true, true, m.pc
	}
	return nil
}
