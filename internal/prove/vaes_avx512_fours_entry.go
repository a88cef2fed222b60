// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// foursEntryCase: entry to four.
func foursEntryCase(p *ir.Program, tagLen int) error {
	if err := endbr(p); err != nil {
		return err
	}
	f := newFours(p, foursLeft, tagLen)
	f.vaes.m.SetReg(amd64.RCX.Reg, number(tagLen))
	if stop, err := f.run("", "four"); err != nil || stop != "four" {
		return orStop(err, stop)
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	if p.Contract.Opens() {
		if err := f.wantNumber("result", amd64.RAX.Reg, 0); err != nil {
			return err
		}
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)},
		held{"packets left", amd64.RDX.Reg, f.left})...)
}

// foursStartCase: four to the turns or, where the first text has no whole turn,
// to fours_tail, with AAD of n bytes in the first message.
func foursStartCase(p *ir.Program, n int, text value.Value, turns bool) error {
	f := newFours(p, foursLeft, foursTagLen(n))
	f.constants()
	aad := f.aads(n, foursAAD)
	f.length(0, text)
	label, _, ahead := foursCut(p)
	if !turns {
		label = "fours_tail"
	}
	for q := range f.m {
		f.texts(q, foursTurnBytes, 0, false)
	}
	if stop, err := f.run("four", label); err != nil || stop != label {
		return orStop(err, stop)
	}
	var ys [4]poly
	for q := range ys {
		ys[q] = f.spec.absorb(poly{}, aad[q])
	}
	first := f.s.Const(32, 2)
	if !turns {
		return f.wantTail(number(0), first, ys)
	}
	if ahead {
		for q := range 2 {
			if err := f.wantBytes(f.m[q].out, 0, f.spec.gctr(f.cb(q, first), f.m[q].text)); err != nil {
				return err
			}
		}
	}
	return f.wantTurn(number(0), first, ys)
}
