// SPDX-License-Identifier: ISC

package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/reference"
)

// TestTurns runs the programs for turns on the machine, in both flavours, in place
// and apart, with counters that end anywhere up to where they wrap, and beyond.
func TestTurns(t *testing.T) {
	for _, ps := range All() {
		for _, bits := range []int{128, 192, 256} {
			t.Run(fmt.Sprintf("%s/%d", ps[0].Contract.Kernel, bits), func(t *testing.T) { turnsOf(t, ps, bits) })
		}
	}
}

func turnsOf(t *testing.T, ps []*ir.Program, bits int) {
	rng := rand.New(rand.NewSource(int64(bits)))
	key := random(rng, bits/8)
	block := keyBlock(t, find(ps, "init", bits), key)
	for i, flavour := range [][]*ir.Program{ps, forGo(ps)} {
		for _, op := range []string{"seal_turns", "open_turns"} {
			p := find(flavour, op, bits)
			turn := p.Contract.Turn
			for turns := 1; turns <= 5; turns++ {
				blocks := turn / 16
				inPlace := turns%2 == i
				counter := 2 + blocks*[]int{0, 1, rng.Intn(1 << 20), -turns - 1, -turns, -1}[rng.Intn(6)]
				in, state := random(rng, turns*turn), random(rng, 32)
				binary.BigEndian.PutUint32(state[28:], uint32(counter))
				want, behind := reference.Turns(key, [32]byte(state), in, p.Contract.Opens())
				out := in
				r := newRun()
				r.pointer("key block", block, false, 8)
				if inPlace {
					r.pointer("text", in, true, rng.Intn(64))
					r.args = append(r.args, r.args[1])
				} else {
					out = random(rng, len(in))
					r.pointer("out", out, true, rng.Intn(64))
					r.pointer("in", in, false, rng.Intn(64))
				}
				r.number(len(in))
				r.pointer("state", state, true, rng.Intn(64))
				if _, err := r.call(p); err != nil {
					t.Fatalf("%s, %d turns: %v", p.Name, turns, err)
				}
				if !bytes.Equal(out, want) || !bytes.Equal(state, behind[:]) {
					t.Errorf("%s, %d turns, counter %#x, in place %v: text right: %v; state %x, want %x",
						p.Name, turns, uint32(counter), inPlace, bytes.Equal(out, want), state, behind)
				}
			}
		}
	}
}
