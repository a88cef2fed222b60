// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof of the programs of vaes-avx512 for four messages at a time; a file of
// cases for each of entry, brief, turns, rest and finish:
//
//	entry ─> four ─> fours_finish                  four brief messages
//	         four ─> turns: one from any other ─> fours_last
//	         four ─> fours_tail ─> fours_finish    every rest
//	                 fours_last ─> fours_finish    every rest behind turns
//	         fours_finish ─> four, or the return
//
// Opening, fours_last is fours_tail.
//
// Lengths of the four go through all values together, each message beginning
// elsewhere: no instruction but the choice of a path, which all four share, sees
// more than one of them.

// A packet, in bytes from where it begins.
const (
	packetBytes   = 112
	packetDst     = 0
	packetDstLen  = 8
	packetNonce   = 24
	packetText    = 48
	packetTextLen = 56
	packetAAD     = 72
	packetAADLen  = 80
)

// The bytes of text that a turn takes of a message, and the most of text and AAD.
const (
	foursTurnBytes = 256
	foursBriefText = 64
	foursBriefAAD  = 16
	foursAAD       = 64 // of others
)

// fours is a session of a program for four messages.
type fours struct {
	*vaes
	packets *region
	left    value.Value // bytes of packets that are left
	result  value.Value // so far, when opening
	tagLen  int
	m       [4]foursMessage
}

// foursMessage is one of the four.
type foursMessage struct {
	nonce, text Vec
	in, out     *region
}

// newFours makes a session with four messages, of which a case adds what it
// needs.
func newFours(p *ir.Program, left value.Value, tagLen int) *fours {
	f := &fours{vaes: newVaes(p), left: left, tagLen: tagLen}
	stack := f.mem.add("stack", f.s.Fresh("return address", 8), false, false)
	f.sp = stack.base
	f.vaes.m.SetReg(amd64.RSP.Reg, Pointer(f.sp))
	f.packets = f.mem.add("packets", f.s.Fresh("address or number", 4*packetBytes), false, false)
	f.mem.whole = map[uint64]value.Value{}
	for q := range f.m {
		m := &f.m[q]
		m.nonce = f.s.Fresh(fmt.Sprintf("nonce %d", q), 12)
		f.field(q, packetNonce, f.mem.add(fmt.Sprintf("nonce %d", q), m.nonce, false, false).at(0))
	}
	f.vaes.m.SetReg(amd64.RSI.Reg, f.packets.at(0))
	f.vaes.m.SetReg(amd64.RDX.Reg, left)
	f.result = f.junk[amd64.RAX.Reg]
	return f
}

// constants sets the registers that keep their role.
func (f *fours) constants() {
	f.vaes.constants()
	for _, h := range f.kept() {
		f.vaes.m.SetReg(h.r, h.v)
	}
}

// kept are the mask registers that keep their role.
func (f *fours) kept() []held {
	tag, mask := uint64(f.tagLen), uint64(1)<<f.tagLen-1
	if f.p.Contract.Opens() {
		tag = -tag
	}
	return []held{
		{"bytes of a tag", amd64.K(0).Reg, value.FromUint64(tag)},
		{"mask of a tag", amd64.K(2).Reg, value.FromUint64(mask | mask<<16 | mask<<32 | mask<<48)},
		{"mask of a nonce", amd64.K(7).Reg, value.FromUint64(0x7777)}}
}

// field sets 8 bytes of what the caller says of a message.
func (f *fours) field(q, at int, v value.Value) {
	at += packetBytes * q
	f.mem.whole[f.packets.base+uint64(at)] = v
	copy(f.packets.bytes[at:], f.s.bytes(v))
}

// length sets the length of the text of message q, where a tag follows it when it
// is opened.
func (f *fours) length(q int, n value.Value) {
	if f.p.Contract.Opens() {
		n = f.s.Add(n, number(f.tagLen))
	}
	f.field(q, packetTextLen, n)
}

// lens is the length block of a message, in integer order.
func (f *fours) lens(text, aad value.Value) Vec {
	bits := func(n value.Value) Vec { return f.s.bytes(value.Shl(f.s, n, 3)) }
	return append(append(Vec{}, bits(text)...), bits(aad)...)
}

// front is how many bytes Dst holds before message q, one number for all of them.
func front(q int) int { return 5 + 3*q }

// texts gives message q a text of so many bytes, of which some are done. In the
// middle of messages those that are done may be more than are here; else none are.
func (f *fours) texts(q, n, done int, middle bool) {
	m := &f.m[q]
	m.text = f.s.Fresh(fmt.Sprintf("text %d", q), n)
	m.out = f.mem.add(fmt.Sprintf("out %d", q), m.text, true, true)
	m.in = f.mem.add(fmt.Sprintf("in %d", q), m.text, false, false)
	m.in.inPlace = m.out
	begin := [2]Pointer{m.out.at(0), m.in.at(0)}
	if middle {
		for i, r := range []*region{m.out, m.in} {
			begin[i] = 1<<36 + Pointer(2*q+i)<<20 // where nothing is
			f.s.places[begin[i]] = r.at(done)
		}
	}
	f.field(q, packetDst, begin[0]-Pointer(front(q)))
	f.field(q, packetDstLen, number(front(q)))
	f.field(q, packetText, begin[1])
}

// aads gives each message AAD, of n bytes the first and, round and round up to
// most, of others the rest, and returns what it means as a GHASH state.
func (f *fours) aads(n, most int) (aad [4]Vec) {
	for q := range aad {
		aad[q] = f.s.Fresh(fmt.Sprintf("AAD %d", q), (n+q*most/4)%(most+1))
		f.field(q, packetAAD, f.mem.add(fmt.Sprintf("AAD %d", q), aad[q], false, false).at(0))
		f.field(q, packetAADLen, number(len(aad[q])))
	}
	return aad
}

// rests returns how many bytes each text has: n and, round and round up to most,
// others.
func rests(n, most int) (ns [4]int) {
	for q := range ns {
		ns[q] = (n + q*most/4) % (most + 1)
	}
	return ns
}

// foursTagLen is a size of tags for a case about n bytes, round and round.
func foursTagLen(n int) int { return 4 + n%13 }

// foursLeft is how many bytes of packets are left, those of the four among them.
var foursLeft = Count{Of: "packets", Min: 4 * packetBytes}

// foursDone is how many bytes of the texts are done, at a cut in the middle.
var foursDone = Count{Of: done}

// run is session.run with a look at the registers: those that C preserves are as
// before, and no other general or mask register holds more than is public, but
// for the result.
func (f *fours) run(from string, stops ...string) (string, error) {
	f.upper = f.upper || from != ""
	start := map[ir.Reg]value.Value{}
	for r := range f.junk {
		start[r] = f.vaes.m.Reg(r)
	}
	stop, err := f.session.run(from, stops...)
	if err != nil {
		return stop, err
	}
	call := f.p.ISA.Call
	for r, before := range start {
		have := f.vaes.m.Reg(r)
		switch {
		case same(f.s, have, before) || r.Bank == amd64.Flags:
		case r == call.SP || call.Preserved(r):
			return "", fmt.Errorf("%v is not the same at %q", r, stop)
		case r.Bank == amd64.Vec || public(have):
		case r == amd64.RAX.Reg && f.p.Contract.Opens(): // it is checked
		default:
			return "", fmt.Errorf("%v may hold a secret at %q", r, stop)
		}
	}
	return stop, nil
}

// wantKept checks what no part changes, but for where the number of bytes that
// are left of the packets is.
func (f *fours) wantKept() error {
	if f.p.Contract.Opens() {
		if err := f.want("result", amd64.RAX.Reg, f.result); err != nil {
			return err
		}
	}
	if err := f.wantConstants(); err != nil {
		return err
	}
	return f.wantAll(append(f.kept(),
		held{"key block", amd64.RDI.Reg, f.key.at(0)},
		held{"packets", amd64.RSI.Reg, f.packets.at(0)})...)
}

// states sets the GHASH states of the messages to anything, and returns what they
// mean: lane j counts as H^(4-j).
func (f *fours) states() (ys [4]poly) {
	for q := range ys {
		var z Vec
		z, ys[q] = f.leading(4, 4)
		f.vaes.m.SetReg(amd64.Z(27+q).Reg, z)
	}
	return ys
}

// wantStates checks the GHASH states.
func (f *fours) wantStates(ys [4]poly) error {
	for q, y := range ys {
		have, z := poly{}, f.s.bytes(f.vaes.m.Reg(amd64.Z(27+q).Reg))
		for j := range 4 {
			p, err := f.s.polynomial(z[16*j : 16*j+16])
			if err != nil {
				return fmt.Errorf("state of message %d: %w", q, err)
			}
			have.plus(p, 4-j)
		}
		if !have.equal(y) {
			return fmt.Errorf("state of message %d: %s", q, f.s.firstDifference(have, y))
		}
	}
	return nil
}

// counters returns the register of the next counters, the first of which is word.
func (f *fours) counters(word value.Value) (z Vec) {
	for j := range 4 {
		z = append(z, f.s.bytes(f.s.Add(word, f.s.Const(32, uint64(j))))...)
		z = append(z, make(Vec, 12)...)
	}
	return z
}

// cb returns the counter block of message q with a counter.
func (f *fours) cb(q int, word value.Value) block { return counterBlock(f.s, f.m[q].nonce, word) }

// foursCases lists the cases of a program for four messages.
func foursCases(p *ir.Program) (list []proofCase) {
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	_, last, _ := foursCut(p)
	for n := 4; n <= 16; n++ {
		add("entry to the messages", fmt.Sprintf("tags of %d bytes", n), func() error { return foursEntryCase(p, n) })
	}
	for n := 0; n <= foursBriefText; n++ {
		add("brief messages", fmt.Sprintf("%d bytes", n), func() error { return foursBriefCase(p, n) })
	}
	for n := 0; n <= foursBriefText; n++ {
		add("AAD to the rest", fmt.Sprintf("%d bytes of text", n), func() error {
			return foursStartCase(p, foursBriefAAD+1+n%(foursAAD-foursBriefAAD), number(n), false)
		})
	}
	for n := 0; n <= foursAAD; n++ {
		add("AAD to the rest, no brief text", fmt.Sprintf("AAD of %d bytes", n), func() error {
			return foursStartCase(p, n, Count{Of: "text", Min: foursBriefText + 1, Max: foursTurnBytes - 1}, false)
		})
		add("AAD to the turns", fmt.Sprintf("AAD of %d bytes", n), func() error {
			return foursStartCase(p, n, Count{Of: "text", Min: foursTurnBytes}, true)
		})
	}
	add("from turn to turn", "any turn", func() error { return foursTurnCase(p, true) })
	add("last turn", "any turn", func() error { return foursTurnCase(p, false) })
	for _, from := range slices.Compact([]string{"fours_tail", last}) {
		for _, most := range []int{64, 128, foursTurnBytes - 1} {
			for n := 0; n <= most; n++ {
				add("rest from "+from, fmt.Sprintf("%d bytes, others of at most %d", n, most),
					func() error { return foursTailCase(p, from, rests(n, most)) })
			}
		}
		for q := range 4 {
			for _, n := range []int{65, 128, 129, foursTurnBytes - 1} {
				for _, other := range []int{0, 64} {
					ns := [4]int{other, other, other, other}
					ns[q] = n
					add("rest from "+from+", of one message the most", fmt.Sprintf("%d bytes of message %d, others of %d", n, q, other),
						func() error { return foursTailCase(p, from, ns) })
				}
			}
		}
	}
	add("sums to GHASH", "every message", func() error { return foursHashCase(p) })
	for n := 4; n <= 16; n++ {
		for _, more := range []bool{false, true} {
			rights := []uint64{0}
			if p.Contract.Opens() {
				rights = []uint64{0, 15}
			}
			if p.Contract.Opens() && n == 16 {
				rights = nil
				for r := range uint64(16) {
					rights = append(rights, r)
				}
			}
			for _, right := range rights {
				add("tags", fmt.Sprintf("%d bytes, right ones %04b, more messages: %v", n, right, more),
					func() error { return foursTagsCase(p, n, right, more) })
			}
		}
	}
	return list
}
