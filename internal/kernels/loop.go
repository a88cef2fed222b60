// SPDX-License-Identifier: ISC

package kernels

import (
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// A Loop is the stitched loop of a program through which long texts go.
type Loop struct {
	Code  []ir.Inst     // one turn, with labels; the branch back to its start is the last
	Bytes int           // of text that a turn takes
	Model *stitch.Model // that it is stitched for
}

// BulkLoop returns the loop of a program that seals or opens. It panics for any
// other program.
func BulkLoop(p *ir.Program) Loop {
	l := Loop{Code: p.Loop("bulk_turn")}
	for _, k := range table {
		if k.name == p.Contract.Kernel {
			l.Model = k.model
		}
	}
	if l.Code == nil || l.Model == nil {
		panic("kernels: no bulk loop in " + p.Name)
	}
	for _, i := range l.Code {
		for _, c := range i.Uses().Cells {
			if c.Write && c.Mem.Space == ir.Text {
				l.Bytes += c.Bytes
			}
		}
	}
	return l
}
