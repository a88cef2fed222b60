// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/ir"
)

// foursBriefCase: four to fours_finish with brief messages, the first of which has
// n bytes of text.
func foursBriefCase(p *ir.Program, n int) error {
	f := newFours(p, foursLeft, foursTagLen(n))
	f.constants()
	aad := f.aads(n%(foursBriefAAD+1), foursBriefAAD)
	for q, n := range rests(n, foursBriefText) {
		f.texts(q, n, 0, false)
		f.length(q, number(n))
	}
	if stop, err := f.run("four", "fours_finish"); err != nil || stop != "fours_finish" {
		return orStop(err, stop)
	}
	var ys [4]poly
	for q := range f.m {
		text := f.m[q].text
		done := f.spec.gctr(f.cb(q, f.s.Const(32, 2)), text)
		if err := f.wantBytes(f.m[q].out, 0, done); err != nil {
			return err
		}
		y := f.spec.absorb(f.spec.absorb(poly{}, aad[q]), f.ciphertext(text, done))
		ys[q] = f.s.step(y, f.lens(number(len(text)), number(len(aad[q]))))
	}
	return f.wantFinish(ys)
}
