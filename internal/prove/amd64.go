// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// What the proofs of the kernels for amd64 have in common: arguments, key
// block, init.

// amd is a session of a kernel for amd64 with the program's view of memory.
type amd struct {
	*session
	key, out, in, tag *region
	lens, ek0         Vec // length block in integer order; E(K, J0)
}

// A keyBlock tells where the fields of a key block lie, in bytes. The powers
// H^top to H^1 end at end.
type keyBlock struct {
	size, end, top int
	middle         func(n int) (at int, ok bool) // xor of the halves of H^n
}

const powersAt = 256

// symbols returns the key block that init makes, in symbols.
func (k keyBlock) symbols(s *Symbols, bits int) (b Vec, sp *spec) {
	b = s.Fresh("junk in the key block", k.size)
	sp = &spec{s: s}
	for r := range 6 + bits/32 + 1 {
		key := s.Fresh(fmt.Sprintf("round key %d", r), 16)
		sp.keys = append(sp.keys, key)
		copy(b[16*r:], key)
	}
	for n := k.top; n > 0; n-- {
		t := s.Fresh(fmt.Sprintf("H^%d", n), 16)
		s.power[first(t)] = n
		copy(b[k.end-16*n:], t)
		if at, ok := k.middle(n); ok {
			copy(b[at:], halves(s, t))
		}
	}
	return b, sp
}

// halves returns the xor of the two halves of 16 bytes.
func halves(s *Symbols, t Vec) Vec { return s.bytes(s.Xor(t[:8], t[8:])) }

// newAmd makes a session with a key block, of which only the fields can be
// read.
func newAmd(p *ir.Program, k keyBlock) *amd {
	a := &amd{session: newSession(p)}
	b, sp := k.symbols(a.s, p.Contract.Bits)
	a.spec = sp
	a.key = a.mem.add("key block", b, false, false)
	for i := 16 * len(sp.keys); i < powersAt; i++ {
		a.key.readable[i] = false
	}
	a.m.SetReg(amd64.RDI.Reg, a.key.at(0))
	a.lens, a.ek0 = a.s.Fresh("length block", 16), a.s.Fresh("EK0", 16)
	return a
}

// newSetup makes a session of init, with a key block that has not been written.
func newSetup(p *ir.Program, k keyBlock) *amd {
	a := &amd{session: newSession(p)}
	a.key = a.mem.add("key block", a.s.Fresh("junk in the key block", k.size), true, true)
	a.m.SetReg(amd64.RDI.Reg, a.key.at(0))
	stack := a.mem.add("stack", a.s.Fresh("return address", 8), false, false)
	a.sp = stack.base
	a.m.SetReg(amd64.RSP.Reg, Pointer(a.sp))
	return a
}

// text makes n bytes of input and an output for them.
func (a *amd) text(n int) Vec {
	text := a.s.Fresh("text", n)
	a.out = a.mem.add("out", text, true, true)
	a.in = a.mem.add("in", text, false, false)
	a.in.inPlace = a.out
	a.m.SetReg(amd64.RSI.Reg, a.out.at(0))
	a.m.SetReg(amd64.RDX.Reg, a.in.at(0))
	return text
}

// ciphertext returns which of a text and what it was made into is encrypted.
func (a *amd) ciphertext(text, processed Vec) Vec {
	if a.p.Contract.Opens() {
		return text
	}
	return processed
}

// counterBlock returns a counter block whose counter is the four bytes of
// word, the least significant first.
func (a *amd) counterBlock(word value.Value) block {
	return counterBlock(a.s, a.s.Fresh("nonce", 12), word)
}

// counterBlock returns the counter block with another counter.
func counterBlock(s *Symbols, cb block, word value.Value) block {
	return append(append(block{}, cb[:12]...), s.bytes(value.Reverse(s, word))...)
}

// aligned returns a number of 32 bits, a multiple of 2^zeros, that stands for
// any.
func (a *amd) aligned(zeros int) Vec {
	word := a.s.Fresh("counter", 4)
	a.s.atoms[first(word)].zeros = zeros
	return word
}

// bits returns 8 times a number of bytes, as the programs compute it.
func (a *amd) bits(n value.Value) value.Value { return value.Shl(a.s, n, 3) }

// step returns (y + x)·H, with x in integer order.
func (s *Symbols) step(y poly, x Vec) poly {
	sum := poly{}
	s.addLinear(sum, x)
	sum.plus(y, 0)
	return sum.times(1)
}

// wantCompared checks that the branch was on the whole difference of the tags.
func (a *amd) wantCompared(xi Vec, tagLen int) error {
	diff := a.s.bytes(a.s.Xor(a.s.reverse(xi), a.ek0))[:tagLen]
	diff = append(a.s.bytes(a.s.Xor(diff, a.tag.bytes)), make(Vec, 16-tagLen)...)
	if c := a.condition(); c == nil || c.negated || !c.zero.equal(diff) {
		return fmt.Errorf("the result does not depend on the whole difference of the tags")
	}
	return nil
}

// partLeft returns what is left of a nonce or AAD of which a part takes k times
// step bytes, at most most, and leaves step bytes, if full, or else fewer, but
// some; with k = 0 it is so much that more than one part is needed. The last
// results are what is left behind the part, and the number of bytes that it
// takes.
func partLeft(k int, full bool, step, most int) (left, behind value.Value, size int) {
	switch {
	case k == 0:
		c := Count{Min: uint64(most + step + 1)}
		return c, Count{Min: c.Min, Off: -int64(most)}, most
	case full:
		return number(step*k + step), number(step), step * k
	}
	c := Count{Min: uint64(step*k + 1), Max: uint64(step*k + step - 1)}
	return c, Count{Min: c.Min, Max: c.Max, Off: int64(-step * k)}, step * k
}

// endbr checks that the first instruction is endbr64, where indirect calls may
// land.
func endbr(p *ir.Program) error {
	if i := p.Code[0]; i.Form == nil || i.Form.Mnemonic != "endbr64" {
		return fmt.Errorf("the program does not begin with endbr64")
	}
	return nil
}

// aesKey makes the key that init expands.
func (a *amd) aesKey() Vec {
	key := a.s.Fresh("key", a.p.Contract.Bits/8)
	a.m.SetReg(amd64.RSI.Reg, a.mem.add("key", key, false, false).at(0))
	return key
}

// wantSchedule checks what init has done at h: the round keys are those of
// FIPS 197, and the register h holds H, the encryption of the zero block.
func (a *amd) wantSchedule(key Vec, h ir.Reg) error {
	k := &spec{s: a.s, keys: expandKey(a.s, key)}
	var want Vec
	for _, r := range k.keys {
		want = append(want, r...)
	}
	if err := a.wantBytes(a.key, 0, want); err != nil {
		return err
	}
	if err := a.key.wantWritten([2]int{0, len(want)}); err != nil {
		return err
	}
	return a.want("H", h, k.cipher(make(block, 16)))
}

// halve runs init from h to powers, which turns the block H in one register into
// H·x^-1 in another: a linear map, so that the matrix which the code is decides
// it. Constants are registers that hold something known; but for h and registers
// 0 to 9 all stay as they are.
func (a *amd) halve(h, result ir.Reg, constants ...held) error {
	a.key.writable = false
	for _, c := range constants {
		a.m.SetReg(c.r, c.v)
	}
	m := machine.New(linear{}, a.mem)
	m.Symbols = a.m.Symbols
	for r := range a.junk { // which the domain refuses, but for the constants
		m.SetReg(r, a.m.Reg(r))
	}
	m.SetReg(h, input())
	m.Stop = func(label string) bool { return label == "powers" }
	if stop, err := m.RunFrom(a.p, "h"); err != nil || stop != "powers" {
		return orStop(err, stop)
	}
	note(a.p, "h", "powers")
	for r := range a.junk {
		scratch := r == h || r.Bank == amd64.Flags || r.Bank == amd64.Vec && r.Num < 10
		if !scratch && !same(nil, m.Reg(r), a.m.Reg(r)) {
			return fmt.Errorf("%v changes", r)
		}
	}
	var d value.Concrete
	out := linear{}.of(m.Reg(result))
	for _, f := range out[128:] {
		if f != (form{}) {
			return fmt.Errorf("more than 128 bits in the register of H")
		}
	}
	for i := range 128 {
		// The register holds bytes of the block; the integer has them reversed.
		h := value.Reverse(d, basis(i))
		if !same(nil, timesX(d, out[:128].at(h)), basis(i)) {
			return fmt.Errorf("bit %d of H is not divided by x", i)
		}
	}
	return nil
}

// firstPower sets the register of H·x^-1 where init makes powers of it.
func (a *amd) firstPower(r ir.Reg) {
	h := a.s.Fresh("H", 16)
	a.s.first = element{first(h), identity}
	a.s.power[a.s.first.a] = 1
	a.m.SetReg(r, h)
}

// wantPowers checks the powers that init has written, and that it has written
// nothing else since h.
func (a *amd) wantPowers(k keyBlock) error {
	for n := 1; n <= k.top; n++ {
		t := a.key.bytes[k.end-16*n : k.end-16*n+16]
		if err := a.wantElement(fmt.Sprintf("H^%d", n), t, poly{{a.s.first, n - 1}: true}); err != nil {
			return err
		}
		if at, ok := k.middle(n); ok {
			if err := a.wantBytes(a.key, at, halves(a.s, t)); err != nil {
				return err
			}
		}
	}
	return a.key.wantWritten([2]int{powersAt, k.size})
}

// wantWritten checks that exactly the bytes of these ranges were stored to.
func (r *region) wantWritten(ranges ...[2]int) error {
	for i, w := range r.written {
		in := false
		for _, x := range ranges {
			in = in || i >= x[0] && i < x[1]
		}
		if w != in {
			return fmt.Errorf("%s, byte %d: written %v, want %v", r.name, i, w, in)
		}
	}
	return nil
}

// A held is a register with the value that it must hold.
type held struct {
	what string
	r    ir.Reg
	v    value.Value
}

func (ses *session) wantAll(hs ...held) error {
	for _, h := range hs {
		if err := ses.want(h.what, h.r, h.v); err != nil {
			return err
		}
	}
	return nil
}

func orStop(err error, stop string) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("control reaches %q", stop)
}
