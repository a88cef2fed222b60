// SPDX-License-Identifier: ISC

package prove

import (
	"slices"

	"github.com/stitchgcm/gcm/internal/ir"
)

// live returns, for each place in the code, the registers whose value behind
// it may still matter: those that some path reads before it writes them, and at
// the return all but flags, since what is left in any may be a secret.
func live(p *ir.Program) []map[ir.Reg]bool {
	atReturn := map[ir.Reg]bool{}
	for _, b := range p.ISA.Banks {
		for n := range b.Count {
			if b.Width > 1 {
				atReturn[ir.Reg{Bank: b, Num: n}] = true
			}
		}
	}
	labels := map[string]int{}
	for n, i := range p.Code {
		if i.Form == nil {
			labels[i.Label] = n
		}
	}
	before := make([]map[ir.Reg]bool, len(p.Code)+1)
	after := make([]map[ir.Reg]bool, len(p.Code))
	for changed := true; changed; {
		changed = false
		for n := len(p.Code) - 1; n >= 0; n-- {
			i := p.Code[n]
			out := map[ir.Reg]bool{}
			flow := ir.Next
			if i.Form != nil {
				flow = i.Form.Flow
			}
			if flow == ir.Return {
				join(out, atReturn)
			}
			if flow == ir.Next || flow == ir.Branch {
				join(out, before[n+1])
			}
			for _, a := range i.Args {
				if a.Kind == ir.Target {
					join(out, before[labels[a.Label]])
				}
			}
			after[n] = out
			in := map[ir.Reg]bool{}
			join(in, out)
			reads, writes := flowing(i)
			for _, r := range writes {
				delete(in, r)
			}
			for _, r := range reads {
				in[r] = true
			}
			if len(in) != len(before[n]) {
				before[n], changed = in, true
			}
		}
	}
	return after
}

func join(to, from map[ir.Reg]bool) {
	for r := range from {
		to[r] = true
	}
}

// flowing returns what an instruction reads and writes, as far as values go:
// clearing a register by its sum with itself reads nothing, and an instruction
// that writes exactly what it reads (vzeroupper) makes nothing live or dead.
func flowing(i ir.Inst) (reads, writes []ir.Reg) {
	if i.Form == nil {
		return nil, nil
	}
	u := i.Uses()
	if len(u.Reads) > 0 && len(i.Args) == 0 && slices.Equal(u.Reads, u.Writes) {
		return nil, nil
	}
	if n := len(i.Args); n >= 2 && slices.Contains([]string{"xor", "eor", "vpxor", "vpxorq"}, i.Form.Mnemonic) &&
		i.Args[n-1].Kind == ir.Register && i.Args[n-2].Reg == i.Args[n-1].Reg && !i.Args[0].Masked() {
		return nil, u.Writes
	}
	return u.Reads, u.Writes
}

// shared returns registers by which the order of two instructions matters. A
// pair of memory accesses of which one is a store shares none here unless the
// addresses are written alike and overlap: then it shares their base.
func shared(a, b ir.Inst) (out []ir.Reg) {
	x, y := a.Uses(), b.Uses()
	for _, w := range x.Writes {
		if slices.Contains(y.Reads, w) || slices.Contains(y.Writes, w) {
			out = append(out, w)
		}
	}
	for _, w := range y.Writes {
		if slices.Contains(x.Reads, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, c := range x.Cells {
		for _, d := range y.Cells {
			if (c.Write || d.Write) && c.Mem.Base == d.Mem.Base && c.Mem.Symbol == d.Mem.Symbol &&
				c.Mem.Disp < d.Mem.Disp+int64(d.Bytes) && d.Mem.Disp < c.Mem.Disp+int64(c.Bytes) {
				out = append(out, c.Mem.Base)
			}
		}
	}
	return out
}
