// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// TestLeaves checks what stays behind on every path of every kernel, in both
// flavours: preserved registers hold what they held, and vector registers that
// changed hold zero or what is public.
func TestLeaves(t *testing.T) {
	for _, ps := range All() {
		t.Run(ps[0].Contract.Kernel, func(t *testing.T) {
			leavesOfKernel(t, ps)
			leavesOfKernel(t, forGo(ps))
		})
	}
}

func leavesOfKernel(t *testing.T, ps []*ir.Program) {
	rng := rand.New(rand.NewSource(2))
	for _, bits := range []int{128, 192, 256} {
		block := make([]byte, 1536)
		leaves(t, find(ps, "init", bits), "", block, func(r *run) {
			r.pointer("key block", block, true, 8)
			r.pointer("key", random(rng, bits/8), false, 0)
		})
		for _, op := range []string{"seal", "open"} { // with a random tag, which is wrong
			for _, n := range []int{0, 1, 16, 70, 200, 511, 512, 1000, 1072, 1073, 3000} {
				for _, nonce := range []int{12, 16, 50} {
					what := fmt.Sprintf("%d bytes, nonce of %d", n, nonce)
					leaves(t, find(ps, op, bits), what, block, func(r *run) {
						r.pointer("key block", block, false, 8)
						r.pointer("out", make([]byte, n), true, 0)
						r.pointer("in", random(rng, n), false, 0)
						r.number(n)
						r.pointer("AAD", random(rng, 20), false, 0)
						r.number(20)
						r.pointer("nonce", random(rng, nonce), false, 0)
						r.number(nonce)
						r.pointer("tag", random(rng, 16), op == "seal", 0)
						r.number(16)
					})
				}
			}
		}
		for _, op := range []string{"seal_turns", "open_turns"} {
			p := find(ps, op, bits)
			for turns := 1; turns <= 3; turns++ {
				n := turns * p.Contract.Turn
				state := random(rng, 32)
				clear(state[28:])
				leaves(t, p, fmt.Sprintf("%d turns", turns), block, func(r *run) {
					r.pointer("key block", block, false, 8)
					r.pointer("out", make([]byte, n), true, 0)
					r.pointer("in", random(rng, n), false, 0)
					r.number(n)
					r.pointer("state", state, true, 0)
				})
			}
		}
	}
}

// leaves runs p with the arguments that pass gives and all other registers at
// random, and checks what the registers hold afterwards.
func leaves(t *testing.T, p *ir.Program, what string, block []byte, pass func(r *run)) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	r := newRun()
	before := map[ir.Reg][]byte{}
	general := p.ISA.Call.SP.Bank
	for _, bank := range p.ISA.Banks {
		if bank.Width < 64 {
			continue
		}
		for n := range bank.Count {
			reg := ir.Reg{Bank: bank, Num: n}
			before[reg] = random(rng, bank.Width/8)
			r.m.SetReg(reg, value.FromBytes(before[reg]))
		}
	}
	pass(r)
	if _, err := r.call(p); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for reg, old := range before {
		now := r.m.Reg(reg).(*value.Bits).Bytes()
		if reg == p.ISA.Call.SP || bytes.Equal(now, old) { // call set the stack pointer
			continue
		}
		preserved := p.ISA.Call.PreservedBits(reg) / 8
		if p.Go { // ABI0 has none
			preserved = 0
		}
		if !bytes.Equal(now[:preserved], old[:preserved]) {
			t.Errorf("%s: %s: %v is not preserved", p.Name, what, reg)
		}
		if reg.Bank.Width > general.Width && !public(now[preserved:], block) {
			t.Errorf("%s: %s: %v holds %x", p.Name, what, reg, now)
		}
	}
}

// public reports whether a register's bytes are zeros or one of the constants
// in the key block of the kernels for arm64.
func public(b, block []byte) bool {
	constants := [][]byte{make([]byte, len(b))}
	for _, at := range []int{armFirsts, armLasts, armOne} {
		constants = append(constants, block[at:at+16])
	}
	return slices.ContainsFunc(constants, func(c []byte) bool { return bytes.Equal(b, c) })
}
