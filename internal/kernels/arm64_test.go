// SPDX-License-Identifier: ISC

package kernels

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/reference"
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
