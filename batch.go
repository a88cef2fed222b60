// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"
	"math/bits"
	"unsafe"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// A Packet is one message of a batch: what [AEAD.Seal] and [AEAD.Open] take, and
// what they return.
type Packet struct {
	Dst   []byte // is appended to, as in Seal and Open
	Nonce []byte // NonceSize() bytes
	Text  []byte // the plaintext when sealing, the ciphertext with its tag when opening
	AAD   []byte // additional data
	Err   error  // set by OpenBatch: nil for a packet that was opened
}

// SealBatch seals every packet: afterwards Dst is what [AEAD.Seal] would have
// returned. That may take less time than as many calls of Seal, where the kernel
// has a program for four messages at once, as vaes-avx512 has, and the batch has
// packets of about the same length; docs/PERFORMANCE.md says how much. It allocates
// once for each Dst that has too little room, and otherwise not at all, but for
// what Seal says about long messages.
//
// The bytes appended to a Dst must not overlap anything of another packet, which
// is not checked. For a packet by itself the rules are those of Seal, and so are
// the panics: all packets are checked before anything is written.
func (a *AEAD) SealBatch(p []Packet) {
	a.mustBeMade()
	a.batch(p, tags{out: a.tagSize})
}

// OpenBatch opens every packet and returns how many could be opened. Afterwards
// Dst and Err are what [AEAD.Open] would have returned: when the verification of
// a packet fails, its Dst is nil and the bytes that its plaintext would have taken
// are zero, and the other packets are opened as if it were not there. OpenBatch
// is faster where SealBatch is, and allocates as that does.
//
// The bytes appended to a Dst must not overlap anything of another packet, which
// is not checked. For a packet by itself the rules are those of Open, and so are
// the panics: all packets are checked before anything is written.
func (a *AEAD) OpenBatch(p []Packet) (opened int) {
	a.mustBeMade()
	return a.batch(p, tags{in: a.tagSize})
}

// tags says where packets have tags, in bytes: with the text when they are opened,
// and behind what is appended when they are sealed. One of the two is 0.
type tags struct{ in, out int }

// batch seals or opens packets and returns how many it opened.
func (a *AEAD) batch(p []Packet, t tags) (opened int) {
	fours := a.hasFours()
	brief := fours && allBrief(p, t)
	if !brief && !a.usual(p, t) {
		for i := range p {
			a.check(&p[i], t)
		}
		reserve(p, t)
	}
	if !fours {
		for i := range p {
			opened += a.single(&p[i], t)
		}
		return opened
	}
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(func() { opened = a.fours(p, t, brief) })
		return opened
	}
	return a.fours(p, t, brief)
}

// usual reports whether check would not panic over any packet and reserve would have
// nothing to do, and texts are not empty. It may be wrong when it says no.
func (a *AEAD) usual(p []Packet, t tags) bool {
	for i := range p {
		k := &p[i]
		n := len(k.Text) - t.in
		if len(k.Nonce) != a.nonceSize || uint64(n-1) >= maxTextSize || cap(k.Dst)-len(k.Dst) < n+t.out || k.meets(n) {
			return false
		}
	}
	return true
}

// allBrief is usual for packets that are all brief, whose nonces have 12 bytes. The
// time it takes is a good part of what they take.
func allBrief(p []Packet, t tags) bool {
	const most = direct.BriefText + defaultTagSize // bytes of output
	for i := range p {
		k := &p[i]
		n := len(k.Text) - t.in
		if len(k.Nonce) != 12 || uint(n-1) >= direct.BriefText || uint(len(k.AAD)) > direct.BriefAAD || cap(k.Dst)-len(k.Dst) < n+t.out {
			return false
		}
		// Only what begins near the output can overlap it.
		out := address(k.Dst) + uintptr(len(k.Dst))
		if (address(k.Text)-out+most < 2*most || address(k.AAD)-out+direct.BriefAAD < most+direct.BriefAAD) && k.meets(n) {
			return false
		}
	}
	return true
}

// meets reports whether the output for a text of n bytes, with a tag, may overlap
// the text, elsewhere than in the same place, or the AAD.
func (p *Packet) meets(n int) bool {
	// How far behind the output the inputs begin. A distance below 0 wraps.
	size, out := uintptr(n)+defaultTagSize, address(p.Dst)+uintptr(len(p.Dst))
	text, aad := address(p.Text)-out, address(p.AAD)-out
	return text != 0 && text-size > -(2*size) || aad-size > -(size+uintptr(len(p.AAD)))
}

// check panics where Seal or Open would.
func (a *AEAD) check(p *Packet, t tags) {
	a.checkNonce(p.Nonce)
	n := len(p.Text) - t.in
	if t.in == 0 {
		checkTextSize(uint64(n))
	}
	if uint64(n) <= maxTextSize && n+t.out <= cap(p.Dst)-len(p.Dst) {
		refuseOverlap(p.Dst[len(p.Dst):][:n+t.out], p.Text, p.AAD)
	}
}

// reserve makes room in every Dst.
func reserve(p []Packet, t tags) {
	for i := range p {
		k := &p[i]
		n := len(k.Text) - t.in
		if uint64(n) <= maxTextSize && n+t.out > cap(k.Dst)-len(k.Dst) {
			dst := make([]byte, len(k.Dst), len(k.Dst)+n+t.out)
			copy(dst, k.Dst)
			k.Dst = dst
		}
	}
}

// single seals or opens one packet, and returns 1 if it opened it.
func (a *AEAD) single(p *Packet, t tags) int {
	if t.in == 0 {
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AAD)
		return 0
	}
	if p.Dst, p.Err = a.Open(p.Dst, p.Nonce, p.Text, p.AAD); p.Err != nil {
		return 0
	}
	return 1
}

// Kernels that take four messages at a time take those of one class: class 0 is of
// brief packets, and the others by the number of whole turns in the text.
const foursClasses = 1 + 3072/direct.FoursTurn // longer texts gain nothing

// hasFours reports whether the kernel takes four messages at a time, and they may
// take the direct door.
func (a *AEAD) hasFours() bool {
	return a.generic == nil && a.nonceSize == 12 && direct.Fours(&a.block) && doorFor(0, 12) == dispatch.Direct
}

// class is the class of a packet, or too large a number when it must go alone.
func (p *Packet) class(t tags) uint {
	n := uint(len(p.Text) - t.in)
	switch {
	case n == 0:
		return foursClasses
	case n <= direct.BriefText && len(p.AAD) <= direct.BriefAAD:
		return 0
	case len(p.AAD) <= direct.FoursAAD && p.sparesNonce():
		return 1 + n/direct.FoursTurn
	}
	return foursClasses
}

// sparesNonce reports whether the output, but for a tag, is apart from the nonce, of
// 12 bytes, which every turn of the text loads again. A distance below 0 wraps.
func (p *Packet) sparesNonce() bool {
	return address(p.Nonce)-address(p.Dst)-uintptr(len(p.Dst))+11 >= uintptr(len(p.Text))+11
}

// fours is batch with packets that have been checked and have room, on a kernel
// that takes four at a time. When all are brief, they need no sorting.
func (a *AEAD) fours(p []Packet, t tags, brief bool) (opened int) {
	for brief && len(p) >= 4 {
		n := min(len(p)&^3, direct.MostPackets)
		opened += a.run(p[:n], t)
		p = p[n:]
	}
	if len(p) > 0 {
		opened += a.sorted(p, t)
	}
	return opened
}

// sorted is fours for packets of any length.
func (a *AEAD) sorted(p []Packet, t tags) (opened int) {
	var w waiting
	for len(p) > 0 {
		if n := alike(p, t); n > 0 {
			opened += a.run(p[:n], t)
			p = p[n:]
			continue
		}
		k := &p[0]
		p = p[1:]
		class := k.class(t)
		if class >= foursClasses {
			opened += a.single(k, t)
		} else if four := w.add(k, class); four != nil {
			opened += a.scattered(four, t)
		}
	}
	for class := range w.count {
		for _, k := range w.packets[class][:w.count[class]] {
			opened += a.single(k, t)
		}
	}
	return opened
}

// alike returns how many packets may go in one call: as many as four divides, each
// four of one class.
func alike(p []Packet, t tags) (n int) {
	for n < direct.MostPackets && n+4 <= len(p) {
		four := (*[4]Packet)(p[n:])
		class := four[0].class(t)
		if class >= foursClasses || four[1].class(t) != class || four[2].class(t) != class || four[3].class(t) != class {
			break
		}
		n += 4
	}
	return n
}

// waiting are packets of a batch that wait for others of their class.
type waiting struct {
	packets [foursClasses][4]*Packet
	count   [foursClasses]uint8 // of those, below 4
}

// add lets a packet wait, or returns it with the three that have waited for it.
func (w *waiting) add(p *Packet, class uint) *[4]*Packet {
	n := w.count[class]
	w.packets[class][n] = p
	w.count[class] = (n + 1) % 4
	if n < 3 {
		return nil
	}
	return &w.packets[class]
}

// scattered is run for four packets that lie anywhere.
func (a *AEAD) scattered(four *[4]*Packet, t tags) (opened int) {
	var p [4]Packet
	for i, k := range four {
		p[i] = *k
	}
	opened = a.run(p[:], t)
	for i, k := range four {
		*k = p[i]
	}
	return opened
}

// run has the kernel seal or open packets, and returns how many it opened.
func (a *AEAD) run(p []Packet, t tags) (opened int) {
	if raceEnabled {
		for i := range p {
			k := &p[i]
			raceCall([][]byte{k.Text, k.AAD, k.Nonce}, [][]byte{k.Dst[len(k.Dst):][:len(k.Text)-t.in+t.out]})
			k.Dst = k.Dst[:len(k.Dst)] // the kernel stores a length there too
		}
	}
	var _ = direct.Packet(Packet{}) // which has the same fields
	q := unsafe.Slice((*direct.Packet)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
	if t.in == 0 {
		direct.SealFours(&a.block, q, t.out)
		return 0
	}
	right := direct.OpenFours(&a.block, q, t.in)
	right = bits.Reverse64(right) >> (64 - len(p)) // the lowest for the first
	for i := range p {
		if k := &p[i]; k.Err != nil { // spares a barrier where it is nil
			k.Err = nil
		}
	}
	for wrong := right ^ (1<<len(p) - 1); wrong != 0; wrong &= wrong - 1 {
		k := &p[bits.TrailingZeros64(wrong)]
		clear(k.Dst[len(k.Dst)-len(k.Text)+t.in:])
		k.Dst, k.Err = nil, errOpen
	}
	return bits.OnesCount64(right)
}
