// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// A run is one call of a program on the machine.
type run struct {
	mem  *machine.Regions
	m    *machine.Machine
	args []uint64
}

func newRun() *run {
	mem := &machine.Regions{}
	return &run{mem: mem, m: machine.New(value.Concrete{}, mem)}
}

// pointer passes bytes at an address of the given misalignment.
func (r *run) pointer(name string, b []byte, write bool, offset int) *machine.Region {
	reg := r.mem.Add(name, b, write, offset)
	r.args = append(r.args, reg.Base)
	return reg
}

func (r *run) number(x int) { r.args = append(r.args, uint64(x)) }

// call runs p with the arguments so far and returns its result.
func (r *run) call(p *ir.Program) (uint64, error) {
	if p.Go {
		return r.callGo(p)
	}
	conv := p.ISA.Call
	below := p.Contract.StackBytes
	stack := make([]byte, below+int(conv.Stack))
	for i, a := range r.args {
		if i < len(conv.Args) {
			r.m.SetReg(conv.Args[i], value.FromUint64(a))
		} else {
			stack = binary.LittleEndian.AppendUint64(stack, a)
		}
	}
	sp := r.mem.Add("stack", stack, true, int(conv.Stack))
	r.m.SetReg(conv.SP, value.FromUint64(sp.Base+uint64(below)))
	r.m.Place(p, r.mem)
	err := r.m.Run(p)
	return r.m.Reg(conv.Result).(*value.Bits).Uint64(), err
}

// callGo is call for a program for Go. Its result comes back in the caller's
// frame, behind the arguments.
func (r *run) callGo(p *ir.Program) (uint64, error) {
	var frame []byte
	for _, a := range r.args {
		frame = binary.LittleEndian.AppendUint64(frame, a)
	}
	n := len(frame)
	if p.Contract.Result != "" {
		frame = append(frame, "no resul"...)
	}
	r.m.SetReg(ir.FP, value.FromUint64(r.mem.Add("arguments", frame, true, 8).Base))
	r.m.SetReg(p.ISA.Call.SP, value.FromUint64(r.mem.Add("stack", make([]byte, p.Contract.StackBytes), true, 8).Base))
	r.m.Place(p, r.mem)
	err := r.m.Run(p)
	if len(frame) == n {
		return 0, err
	}
	return binary.LittleEndian.Uint64(frame[n:]), err
}

// forGo returns the programs for Go.
func forGo(ps []*ir.Program) (qs []*ir.Program) {
	for _, p := range ps {
		qs = append(qs, p.ForGo())
	}
	return qs
}

// keyBlock runs the init program.
func keyBlock(t testing.TB, p *ir.Program, key []byte) []byte {
	block := make([]byte, 1536)
	r := newRun()
	r.pointer("key block", block, true, 8)
	r.pointer("key", key, false, 3)
	if _, err := r.call(p); err != nil {
		t.Fatal(err)
	}
	return block
}

// find returns the program of a kernel for an operation and key size.
func find(ps []*ir.Program, op string, bits int) *ir.Program {
	for _, p := range ps {
		if p.Contract.Op == op && p.Contract.Bits == bits {
			return p
		}
	}
	panic("no program for " + op)
}

// message is one call's input.
type message struct {
	nonce, aad, text []byte
	tagSize          int
	inPlace          bool
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	rng.Read(b)
	return b
}

// check seals and opens m with the programs and compares with want.
func check(ps []*ir.Program, bits int, block []byte, m message, want []byte, rng *rand.Rand) error {
	wantText, wantTag := want[:len(m.text)], want[len(m.text):][:m.tagSize]
	text := func(b []byte) (in, out []byte) {
		in = bytes.Clone(b)
		if m.inPlace {
			return in, in
		}
		return in, random(rng, len(b))
	}
	call := func(p *ir.Program, in, out, tag []byte, writeTag bool) (uint64, error) {
		r := newRun()
		r.pointer("key block", block, false, 8)
		o := r.pointer("out", out, true, rng.Intn(64))
		if m.inPlace {
			r.args = append(r.args, o.Base)
		} else {
			r.pointer("in", in, false, rng.Intn(64))
		}
		r.number(len(in))
		r.pointer("AAD", m.aad, false, rng.Intn(64))
		r.number(len(m.aad))
		r.pointer("nonce", m.nonce, false, rng.Intn(64))
		r.number(len(m.nonce))
		r.pointer("tag", tag, writeTag, rng.Intn(64))
		r.number(len(tag))
		return r.call(p)
	}
	in, out := text(m.text)
	tag := random(rng, m.tagSize)
	if _, err := call(find(ps, "seal", bits), in, out, tag, true); err != nil {
		return err
	}
	if !bytes.Equal(out, wantText) {
		return fmt.Errorf("seal: wrong ciphertext")
	}
	if !bytes.Equal(tag, wantTag) {
		return fmt.Errorf("seal: tag %x, want %x", tag, wantTag)
	}
	open := find(ps, "open", bits)
	in, out = text(wantText)
	ok, err := call(open, in, out, tag, false)
	if err != nil {
		return err
	}
	if ok != 1 || !bytes.Equal(out, m.text) {
		return fmt.Errorf("open: result %d, text right: %v", ok, bytes.Equal(out, m.text))
	}
	in, out = text(wantText)
	tag = bytes.Clone(tag)
	tag[rng.Intn(len(tag))] ^= 1 << rng.Intn(8)
	ok, err = call(open, in, out, tag, false)
	if err != nil {
		return err
	}
	if ok != 0 || !bytes.Equal(out, make([]byte, len(out))) {
		return fmt.Errorf("open of a forged tag: result %d, output cleared: %v", ok, bytes.Equal(out, make([]byte, len(out))))
	}
	return nil
}

// TestMachine runs every kernel on the machine, whatever the host, in both
// flavours, and compares it with crypto/cipher. Memory outside of the arguments faults.
func TestMachine(t *testing.T) {
	for _, ps := range All() {
		for _, bits := range []int{128, 192, 256} {
			t.Run(fmt.Sprintf("%s/%d", ps[0].Contract.Kernel, bits), func(t *testing.T) {
				testMachine(t, ps, bits)
			})
		}
	}
}

func testMachine(t *testing.T, ps []*ir.Program, bits int) {
	rng := rand.New(rand.NewSource(int64(bits)))
	key := random(rng, bits/8)
	block, inGo := keyBlock(t, find(ps, "init", bits), key), forGo(ps)
	if !bytes.Equal(keyBlock(t, find(inGo, "init", bits), key), block) {
		t.Fatal("the program for Go sets up another key block")
	}
	c, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int
	step := 13
	if testing.Short() {
		step = 97
	}
	for n := 0; n < 1200; n += 1 + rng.Intn(step) {
		lengths = append(lengths, n)
	}
	for _, base := range []int{992, 1024, 1056, 1072, 2016, 2048, 2096, 3072, 4096} {
		lengths = append(lengths, base-1, base, base+1, base+rng.Intn(64))
	}
	aads := []int{0, 0, 13, 1, 15, 16, 17, 64, 65, 100, 128, 1024, 1088, 1089, 2100}
	nonces := []int{12, 12, 12, 12, 1, 8, 16, 17, 60, 64, 65, 128, 129, 1100}
	for i, n := range lengths {
		m := message{random(rng, nonces[i%len(nonces)]), random(rng, aads[rng.Intn(len(aads))]), random(rng, n), 16, rng.Intn(2) == 0}
		if len(m.nonce) != 12 && n > 1500 {
			m.aad = m.aad[:len(m.aad)%80]
		}
		g, err := cipher.NewGCMWithNonceSize(c, len(m.nonce))
		if err != nil {
			t.Fatal(err)
		}
		want := g.Seal(nil, m.nonce, m.text, m.aad)
		if rng.Intn(3) == 0 {
			m.tagSize = 4 + rng.Intn(13)
		}
		flavour := ps
		if i%3 == 2 {
			flavour = inGo
		}
		if err := check(flavour, bits, block, m, want, rng); err != nil {
			t.Fatalf("%d bytes, AAD %d, nonce %d, tag %d, in place %v: %v", n, len(m.aad), len(m.nonce), m.tagSize, m.inPlace, err)
		}
	}
}
