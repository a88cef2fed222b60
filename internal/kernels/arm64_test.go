// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/reference"
	"github.com/stitchgcm/gcm/internal/value"
)

// TestArm64Counter starts the counter at each residue of the bulk loop, just
// before it wraps and elsewhere.
func TestArm64Counter(t *testing.T) {
	for _, k := range armKernels {
		t.Run(k.name, func(t *testing.T) { armCounter(t, k.programs()) })
	}
}

func armCounter(t *testing.T, ps []*ir.Program) {
	rng := rand.New(rand.NewSource(1))
	key := random(rng, 16)
	block := keyBlock(t, find(ps, "init", 128), key)
	for start := range uint32(20) {
		for _, base := range []uint32{0xfffffff0 - 20, 0xfff0, 0xefffe0, 0x12345600} {
			var j0 [16]byte
			rng.Read(j0[:])
			binary.BigEndian.PutUint32(j0[12:], base+start)
			nonce := reference.NonceFor(key, j0)
			m := message{nonce[:], random(rng, rng.Intn(40)), random(rng, 500+rng.Intn(700)), 16, false}
			want := reference.Seal(key, m.nonce, m.aad, m.text, 16)
			if err := check(ps, 128, block, m, want, rng); err != nil {
				t.Fatalf("counter %#x, %d bytes: %v", base+start, len(m.text), err)
			}
		}
	}
}

// TestArm64Leaves checks what stays behind on every path: preserved registers
// hold what they held, and vector registers that changed hold zero or what is
// public.
func TestArm64Leaves(t *testing.T) {
	for _, k := range armKernels {
		t.Run(k.name, func(t *testing.T) { armLeavesAll(t, k.programs()) })
	}
}

func armLeavesAll(t *testing.T, ps []*ir.Program) {
	rng := rand.New(rand.NewSource(2))
	for _, bits := range []int{128, 192, 256} {
		block := make([]byte, 1536)
		armLeaves(t, find(ps, "init", bits), "", block, func(r *run) {
			r.pointer("key block", block, true, 8)
			r.pointer("key", random(rng, bits/8), false, 0)
		})
		for _, op := range []string{"seal", "open"} {
			for _, n := range []int{0, 1, 16, 70, 200, 511, 512, 1000} {
				for _, nonce := range []int{12, 16, 50} {
					what := fmt.Sprintf("%d bytes, nonce of %d", n, nonce)
					armLeaves(t, find(ps, op, bits), what, block, func(r *run) {
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
	}
}

// armLeaves runs p with the arguments that pass gives and all other
// registers at random, and checks what the registers hold afterwards.
func armLeaves(t *testing.T, p *ir.Program, what string, block []byte, pass func(r *run)) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	r := newRun()
	before := map[ir.Reg][]byte{}
	for _, bank := range []*ir.Bank{arm64.GPR, arm64.Vec} {
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
	public := [][]byte{make([]byte, 16)}
	for _, at := range []int{armFirsts, armLasts, armOne} {
		public = append(public, block[at:at+16])
	}
	for reg, old := range before {
		now := r.m.Reg(reg).(*value.Bits).Bytes()
		switch {
		case bytes.Equal(now, old):
		case reg.Bank == arm64.GPR && reg.Num < 18:
		case reg.Bank == arm64.Vec && slices.ContainsFunc(public, func(b []byte) bool { return bytes.Equal(now, b) }) &&
			(reg.Num < 8 || reg.Num > 15):
		case reg.Bank == arm64.Vec && bytes.Equal(now[:8], old[:8]) && binary.LittleEndian.Uint64(now[8:]) == 0:
		default:
			t.Errorf("%s: %s: %v holds %x", p.Name, what, reg, now)
		}
	}
}
