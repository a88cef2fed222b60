// SPDX-License-Identifier: ISC

package machine

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// A Region is a stretch of concrete memory that a program may use.
type Region struct {
	Name  string
	Base  uint64
	Bytes []byte
	Write bool // whether stores are allowed
	// Read and Written count the accesses to each byte.
	Read, Written []int
}

// Regions is concrete memory: whatever lies outside of its regions faults.
type Regions struct{ list []*Region }

// gap keeps regions apart, so that no access beyond one hits another.
const gap = 1 << 20

// Add places bytes at an address of its own, offset bytes past a multiple
// of 4096, and returns the region. A nil slice is a region of no bytes.
func (r *Regions) Add(name string, bytes []byte, write bool, offset int) *Region {
	base := uint64(gap)
	if n := len(r.list); n > 0 {
		last := r.list[n-1]
		base = (last.Base+uint64(len(last.Bytes)))&^(gap-1) + 2*gap
	}
	reg := &Region{Name: name, Base: base + uint64(offset), Bytes: bytes, Write: write,
		Read: make([]int, len(bytes)), Written: make([]int, len(bytes))}
	r.list = append(r.list, reg)
	return reg
}

func (r *Regions) find(addr uint64, n int) (*Region, int, error) {
	for _, reg := range r.list {
		if addr >= reg.Base && addr-reg.Base+uint64(n) <= uint64(len(reg.Bytes)) {
			return reg, int(addr - reg.Base), nil
		}
	}
	for _, reg := range r.list {
		if addr+gap/2 >= reg.Base && addr < reg.Base+uint64(len(reg.Bytes))+gap/2 {
			return nil, 0, fmt.Errorf("%d bytes at offset %d of %s, which holds %d",
				n, int64(addr-reg.Base), reg.Name, len(reg.Bytes))
		}
	}
	return nil, 0, fmt.Errorf("%d bytes at %#x, where nothing is", n, addr)
}

// Load implements Memory.
func (r *Regions) Load(addr uint64, n int) (value.Value, error) {
	reg, at, err := r.find(addr, n)
	if err != nil {
		return nil, fmt.Errorf("load of %w", err)
	}
	for i := range n {
		reg.Read[at+i]++
	}
	return value.FromBytes(reg.Bytes[at : at+n]), nil
}

// Store implements Memory.
func (r *Regions) Store(addr uint64, v value.Value) error {
	n := v.Width() / 8
	reg, at, err := r.find(addr, n)
	if err != nil {
		return fmt.Errorf("store of %w", err)
	}
	if !reg.Write {
		return fmt.Errorf("store to %s, which is only to be read", reg.Name)
	}
	copy(reg.Bytes[at:], v.(*value.Bits).Bytes())
	for i := range n {
		reg.Written[at+i]++
	}
	return nil
}

// Place puts the program's constants into memory and tells the machine where.
func (m *Machine) Place(p *ir.Program, r *Regions) {
	for _, d := range p.Data {
		m.Symbols[d.Name] = r.Add(d.Name, d.Bytes, false, 0).Base
	}
}
