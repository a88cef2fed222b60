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
	if !a.check(p, t) {
		reserve(p, t)
	}
	if !a.hasFours() {
		for i := range p {
			opened += a.single(&p[i], t)
		}
		return opened
	}
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(func() { opened = a.fours(p, t) })
		return opened
	}
	return a.fours(p, t)
}

// check panics where Seal or Open would, and reports whether every Dst has room.
func (a *AEAD) check(p []Packet, t tags) bool {
	nonceSize, lacking := a.nonceSize, 0
	for i := range p {
		k := &p[i]
		n := len(k.Text) - t.in
		if len(k.Nonce) != nonceSize || uint64(n) > maxTextSize || !k.apart(n+t.out) {
			a.checkClosely(k, t)
		}
		lacking |= cap(k.Dst) - len(k.Dst) - n - t.out // below 0 for those that lack room, and stays so
	}
	return lacking >= 0
}

// apart reports whether the n bytes behind Dst begin where the text does or share
// none with it, and share none with the AAD. It is quick, and may be wrong when it
// says no.
func (p *Packet) apart(n int) bool {
	out, size := address(p.Dst)+uintptr(len(p.Dst)), uintptr(n)
	text, aad := address(p.Text)-out, address(p.AAD)-out
	return (text == 0 || text-size <= -size-uintptr(len(p.Text))) && aad-size <= -size-uintptr(len(p.AAD))
}

// checkClosely panics where Seal or Open would.
func (a *AEAD) checkClosely(p *Packet, t tags) {
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
const (
	foursClasses = 1 + 3072/direct.FoursTurn // longer texts gain nothing
	foursCall    = 16                        // packets in a call, which is some microseconds then
)

// hasFours reports whether the kernel takes four messages at a time, and they may
// take the direct door.
func (a *AEAD) hasFours() bool {
	return a.generic == nil && a.nonceSize == 12 && direct.Fours(&a.block) && doorFor(0, 12) == dispatch.Direct
}

// class is the class of a packet, or too large a number when it must go alone.
func (p *Packet) class(t tags) uint {
	n := uint(len(p.Text) - t.in)
	switch {
	case n <= direct.BriefText && len(p.AAD) <= direct.BriefAAD:
		return 0
	case len(p.AAD) <= direct.FoursAAD:
		return 1 + n/direct.FoursTurn
	}
	return foursClasses
}

// waiting are packets of a batch that wait for others of their class.
type waiting struct {
	packets [foursClasses][3]*Packet
	count   [foursClasses]uint8 // of those
}

// add lets a packet wait, or puts it into four with the three that have waited for
// it, and reports whether it did.
func (w *waiting) add(p *Packet, class uint, four *[4]*Packet) bool {
	ps, n := &w.packets[class], w.count[class]
	if n < 3 {
		ps[n] = p
		w.count[class] = n + 1
		return false
	}
	w.count[class] = 0
	four[0], four[1], four[2], four[3] = ps[0], ps[1], ps[2], p
	return true
}

// fours is batch with packets that have been checked and have room, on a kernel
// that takes four at a time.
func (a *AEAD) fours(p []Packet, t tags) (opened int) {
	var (
		w waiting
		c call
		n int // packets in c
	)
	for len(p) > 0 {
		four := (*[4]*Packet)(c.whose[n:])
		if len(p) >= 4 && alike((*[4]Packet)(p), t) {
			four[0], four[1], four[2], four[3] = &p[0], &p[1], &p[2], &p[3]
			p = p[4:]
		} else {
			k := &p[0]
			p = p[1:]
			class := k.class(t)
			if class >= foursClasses {
				opened += a.single(k, t)
				continue
			}
			if !w.add(k, class, four) {
				continue
			}
		}
		fill((*[4]direct.Packet)(c.packets[n:]), four, t)
		if n += 4; n == foursCall {
			opened += c.run(a, n, t)
			n = 0
		}
	}
	if n > 0 {
		opened += c.run(a, n, t)
	}
	for class := range w.count {
		for _, k := range w.packets[class][:w.count[class]] {
			opened += a.single(k, t)
		}
	}
	return opened
}

// alike reports whether packets are of one class, and need not go alone.
func alike(p *[4]Packet, t tags) bool {
	class := p[0].class(t)
	return class < foursClasses && p[1].class(t) == class && p[2].class(t) == class && p[3].class(t) == class
}

// A call is packets for the kernel to take in one call.
type call struct {
	packets [foursCall]direct.Packet
	whose   [foursCall]*Packet
}

// fill tells the kernel of four packets of one class, and makes every Dst what it
// will be.
func fill(ready *[4]direct.Packet, four *[4]*Packet, t tags) {
	for i, k := range four {
		r := &ready[i]
		n := len(k.Text) - t.in
		size := len(k.Dst) + n + t.out
		out := k.Dst[len(k.Dst):size]
		k.Dst = k.Dst[:size]
		if raceEnabled {
			raceCall([][]byte{k.Text, k.AAD, k.Nonce}, [][]byte{out})
		}
		var tag *byte
		if t.in > 0 {
			tag = &k.Text[n]
			if k.Err != nil { // spares a barrier where it is nil
				k.Err = nil
			}
		} else {
			tag = &out[n]
		}
		aad, to := unsafe.SliceData(k.AAD), unsafe.SliceData(out)
		if aad == nil {
			aad = tag // of 0 bytes
		}
		if to == nil {
			to = tag // for 0 bytes
		}
		*(*[12]byte)(r.Nonce[:]) = [12]byte(k.Nonce)
		r.Out, r.In, r.AAD, r.Tag = to, unsafe.SliceData(k.Text), aad, tag
		r.Len, r.LenBits = uint64(n), 8*uint64(n)
		r.AADLen, r.AADBits = uint64(len(k.AAD)), 8*uint64(len(k.AAD))
	}
}

// run has the kernel seal or open n packets, and returns how many it opened.
func (c *call) run(a *AEAD, n int, t tags) (opened int) {
	if t.in == 0 {
		direct.SealFours(&a.block, c.packets[:n], t.out)
		return 0
	}
	right := direct.OpenFours(&a.block, c.packets[:n], t.in)
	if opened = bits.OnesCount64(right); opened == n {
		return opened
	}
	for i, k := range c.whose[:n] {
		if right>>(n-1-i)&1 == 0 {
			clear(k.Dst[len(k.Dst)-int(c.packets[i].Len):])
			k.Dst, k.Err = nil, errOpen
		}
	}
	return opened
}
