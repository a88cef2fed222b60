// SPDX-License-Identifier: ISC

package ir

// A Cell is memory that an instruction touches.
type Cell struct {
	Mem   Mem
	Bytes int
	Write bool
}

// Uses is what one instruction reads and writes.
type Uses struct {
	Reads, Writes []Reg
	Cells         []Cell
}

// Uses returns the registers and memory that an instruction reads and
// writes, operand by operand, implicit ones included. A register written
// under a merging mask is read too.
func (i Inst) Uses() (u Uses) {
	if i.Form == nil {
		return u
	}
	for n, a := range i.Args {
		acc := i.Form.Slots[n].Access
		if a.Masked() {
			u.Reads = append(u.Reads, a.Mask)
		}
		switch a.Kind {
		case Register:
			if acc&Read != 0 || a.Masked() && !a.Zero {
				u.Reads = append(u.Reads, a.Reg)
			}
			if acc&Write != 0 {
				u.Writes = append(u.Writes, a.Reg)
			}
		case Memory:
			if a.Mem.Base.Bank != nil {
				u.Reads = append(u.Reads, a.Mem.Base)
			}
			if a.Mem.Index.Bank != nil {
				u.Reads = append(u.Reads, a.Mem.Index)
			}
			if a.Mem.Step != 0 || a.Mem.Pre {
				u.Writes = append(u.Writes, a.Mem.Base)
			}
			if a.Width != 0 { // an address without access (lea) has no width
				u.Cells = append(u.Cells, Cell{a.Mem, a.Width / 8, acc&Write != 0})
			}
		}
	}
	u.Reads = append(u.Reads, i.Form.ImplicitReads...)
	u.Writes = append(u.Writes, i.Form.ImplicitWrites...)
	return u
}
