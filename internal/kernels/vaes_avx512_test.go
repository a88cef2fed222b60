// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// TestVaesEveryReturn checks that each way out ends with vzeroupper, without
// which all narrower vector code is slow from then on.
func TestVaesEveryReturn(t *testing.T) {
	for _, p := range VaesAVX512() {
		returns := 0
		for n, i := range p.Code {
			if i.Form == nil || i.Form.Flow != ir.Return {
				continue
			}
			returns++
			if before := p.Code[n-1]; before.Form == nil || before.Form.Mnemonic != "vzeroupper" {
				t.Errorf("%s: no vzeroupper before instruction %d, %s", p.Name, n, i.Form.Mnemonic)
			}
		}
		if returns == 0 {
			t.Errorf("%s never returns", p.Name)
		}
	}
}

// TestVaesLeaves checks what stays behind on every path: preserved registers
// hold what they held, and vector registers zero. The stack is not used.
func TestVaesLeaves(t *testing.T) {
	for _, bits := range []int{128, 192, 256} {
		rng := rand.New(rand.NewSource(2))
		ps := VaesAVX512()
		block := make([]byte, 1536)
		vaesLeaves(t, find(ps, "init", bits), "", func(r *run) {
			r.pointer("key block", block, true, 8)
			r.pointer("key", random(rng, bits/8), false, 0)
		})
		for _, op := range []string{"seal", "open"} { // with a random tag, which is wrong
			for _, n := range []int{0, 1, 16, 70, 200, 511, 1072, 1073, 3000} {
				for _, nonce := range []int{12, 16, 50} {
					vaesLeaves(t, find(ps, op, bits), fmt.Sprintf("%d bytes, nonce of %d", n, nonce), func(r *run) {
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

// vaesLeaves runs p with the arguments that pass gives and all other registers
// at random, and checks what the registers hold afterwards.
func vaesLeaves(t *testing.T, p *ir.Program, what string, pass func(r *run)) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	r := newRun()
	before := map[ir.Reg][]byte{}
	for _, bank := range []*ir.Bank{amd64.GPR, amd64.Vec} {
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
	if p.Contract.StackBytes != 0 {
		t.Errorf("%s uses the stack", p.Name)
	}
	for reg, old := range before {
		now := r.m.Reg(reg).(*value.Bits).Bytes()
		switch {
		case reg == p.ISA.Call.SP: // call set it
		case p.ISA.Call.Preserved(reg) && !bytes.Equal(now, old):
			t.Errorf("%s: %s: %v is not preserved", p.Name, what, reg)
		case reg.Bank == amd64.Vec && !bytes.Equal(now, make([]byte, 64)):
			t.Errorf("%s: %s: %v holds %x", p.Name, what, reg, now)
		}
	}
}
