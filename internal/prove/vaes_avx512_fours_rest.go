// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// foursTailCase: fours_tail, or where the turns lead, to fours_finish.
func foursTailCase(p *ir.Program, from string, ns [4]int) error {
	f := newFours(p, foursLeft, foursTagLen(ns[0]))
	f.constants()
	ys := f.states()
	word := f.s.Fresh("counter", 4)
	f.vaes.m.SetReg(amd64.Z(21).Reg, f.counters(word))
	f.vaes.m.SetReg(amd64.RCX.Reg, foursDone)
	var lens [4]Vec
	for q, n := range ns {
		before := 0 // bytes of ciphertext that are not yet hashed
		if from == "fours_last" && q >= 2 {
			before = foursTurnBytes
		}
		f.texts(q, before+n, before, true)
		length, aadLen := f.s.Fresh("turns", 8), f.s.Fresh("length of AAD", 8) // which are any number
		length[0] = Byte{c: byte(n)}
		f.length(q, length)
		f.field(q, packetAADLen, aadLen)
		lens[q] = f.lens(length, aadLen)
		if before > 0 {
			ys[q] = f.spec.absorb(ys[q], f.written(q))
			f.vaes.m.SetReg(foursBehind[q-2], f.m[q].out.at(before))
		}
	}
	if from == "fours_last" {
		f.vaes.m.SetReg(foursStash, value.Extend(f.s, f.left, 512))
	}
	if stop, err := f.run(from, "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	for q, n := range ns {
		m := f.m[q]
		before := len(m.text) - n
		done := f.spec.gctr(f.cb(q, word), m.text[before:])
		if err := f.wantBytes(m.out, before, done); err != nil {
			return err
		}
		ys[q] = f.s.step(f.spec.absorb(ys[q], f.ciphertext(m.text[before:], done)), lens[q])
	}
	return f.wantFinish(ys)
}
