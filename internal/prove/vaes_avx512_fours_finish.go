// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// foursSums are the registers of the sums at fours_finish: low, middle and high.
var foursSums = [3]ir.Reg{amd64.Z(24).Reg, amd64.Z(25).Reg, amd64.Z(26).Reg}

// wantFinish checks an instance of the state at fours_finish: a message has its
// sums of products in its lane, and EK0.
func (f *fours) wantFinish(ys [4]poly) error {
	if err := f.wantKept(); err != nil {
		return err
	}
	if err := f.want("packets left", amd64.RDX.Reg, f.left); err != nil {
		return err
	}
	for q, y := range ys {
		var sums [3]Vec
		for i, r := range foursSums {
			sums[i] = f.s.bytes(f.vaes.m.Reg(r))[16*q : 16*q+16]
		}
		what := fmt.Sprintf("sums of message %d", q)
		if err := f.wantElement(what, f.s.bytes(reduce128(f.s, sums[0], sums[1], sums[2])), y); err != nil {
			return err
		}
		ek0 := f.s.bytes(f.vaes.m.Reg(amd64.Z(22).Reg))[16*q : 16*q+16]
		if !ek0.equal(f.spec.cipher(f.cb(q, f.s.Const(32, 1)))) {
			return fmt.Errorf("EK0 of message %d is another", q)
		}
	}
	return nil
}

// foursHashCase: fours_finish to fours_tags.
func foursHashCase(p *ir.Program) error {
	f := newFours(p, foursLeft, 16)
	f.constants()
	var sums [3]Vec
	var ys [4]poly
	for q := range f.m {
		x := f.s.anySum(fmt.Sprintf("sums of message %d", q))
		for i, part := range []Vec{x.low, x.mid, x.high} {
			sums[i] = append(sums[i], part...)
		}
		ys[q] = poly{}
		ys[q].add(monomial{x.meaning, 0})
	}
	for i, r := range foursSums {
		f.vaes.m.SetReg(r, sums[i])
	}
	ek0 := f.s.Fresh("EK0", 64)
	f.vaes.m.SetReg(amd64.Z(22).Reg, ek0)
	if stop, err := f.run("fours_finish", "fours_tags"); err != nil || stop != "fours_tags" {
		return orStop(err, stop)
	}
	for q, y := range ys {
		xi := f.s.bytes(f.vaes.m.Reg(foursSums[2]))[16*q : 16*q+16]
		if err := f.wantElement(fmt.Sprintf("GHASH of message %d", q), xi, y); err != nil {
			return err
		}
	}
	if err := f.wantKept(); err != nil {
		return err
	}
	return f.wantAll(held{"packets left", amd64.RDX.Reg, f.left}, held{"EK0", amd64.Z(22).Reg, ek0})
}

// foursTagsCase: fours_tags to the return, or to four where there are more
// messages. Bit q of right says whether message 3-q has the right tag.
func foursTagsCase(p *ir.Program, tagLen int, right uint64, more bool) error {
	left := value.Value(number(4 * packetBytes))
	if more {
		left = Count{Of: "packets", Min: 8 * packetBytes}
	}
	f, open := newFours(p, left, tagLen), p.Contract.Opens()
	f.constants()
	before := uint64(0b1011)
	if open {
		f.vaes.m.SetReg(amd64.RAX.Reg, value.FromUint64(before))
	}
	xi, ek0 := f.s.Fresh("GHASH", 64), f.s.Fresh("EK0", 64)
	f.vaes.m.SetReg(foursSums[2], xi)
	f.vaes.m.SetReg(amd64.Z(22).Reg, ek0)
	f.packets.writable = true
	var tags [4]*region
	want := map[uint64]value.Value{} // what becomes of the packets
	for q := range f.m {
		tags[q] = f.mem.add(fmt.Sprintf("tag %d", q), f.s.Fresh("tag", tagLen), !open, !open)
		// The text has any length, and the tag is behind it: behind the output when
		// sealing.
		f.texts(q, 0, 0, true)
		f.length(q, foursDone)
		at, end := f.mem.whole[f.packets.base+uint64(packetBytes*q+packetText)], tags[q].at(0)
		appended := foursDone
		appended.Off = int64(front(q))
		if !open {
			at, end = f.mem.whole[f.packets.base+uint64(packetBytes*q+packetDst)], end-Pointer(front(q))
			appended.Off += int64(tagLen)
		}
		f.s.places[at.(Pointer)] = end
		want[f.packets.base+uint64(packetBytes*q+packetDstLen)] = appended
		if open {
			f.answers = append(f.answers, right>>(3-q)&1 == 0) // a branch around the bit
		}
	}
	for at, v := range f.mem.whole {
		if _, ok := want[at]; !ok {
			want[at] = v
		}
	}
	stop, err := f.run("fours_tags", "four")
	if err != nil || (stop == "four") != more {
		return orStop(err, stop)
	}
	for at, v := range want {
		if have := f.mem.whole[at]; !same(f.s, have, v) {
			return fmt.Errorf("bytes %d of the packets are %v, want %v", at-f.packets.base, have, v)
		}
	}
	if slices.Contains(f.packets.written, true) {
		return fmt.Errorf("more of the packets than the length of what is appended was stored to")
	}
	for q := range f.m {
		tag := f.s.bytes(f.s.Xor(f.s.reverse(xi[16*q:16*q+16]), ek0[16*q:16*q+16]))[:tagLen]
		if !open {
			if err := f.wantBytes(tags[q], 0, tag); err != nil {
				return err
			}
			continue
		}
		diff := append(f.s.bytes(f.s.Xor(tag, tags[q].bytes)), make(Vec, 16-tagLen)...)
		if len(f.asked) != 4 || !f.asked[q].negated || !f.asked[q].zero.equal(diff) {
			return fmt.Errorf("the result does not depend on the whole difference of the tags of message %d", q)
		}
	}
	if open {
		if err := f.wantNumber("result", amd64.RAX.Reg, before<<4|right); err != nil {
			return err
		}
	}
	if !more {
		for n := range amd64.Vec.Count {
			if r := amd64.Z(n).Reg; !known(f.vaes.m.Reg(r)) {
				return fmt.Errorf("register %v is left with something unknown", r)
			}
		}
		return f.session.returned()
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(4 * packetBytes)},
		held{"packets left", amd64.RDX.Reg, Count{Of: "packets", Min: 8 * packetBytes, Off: -4 * packetBytes}})...)
}
