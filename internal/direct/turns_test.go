// SPDX-License-Identifier: ISC

//go:build amd64 || arm64

package direct_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"runtime"
	"testing"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/guard"
	"github.com/stitchgcm/gcm/internal/reference"
	"github.com/stitchgcm/gcm/internal/require"
)

// TestTurns seals and opens turns with every kernel that can run here, in place and
// apart, with counters that end anywhere up to where they wrap, and beyond.
func TestTurns(t *testing.T) {
	host := dispatch.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Linked: direct.Linked, Features: dispatch.Features()}
	usable := map[string]bool{}
	for _, kernel := range host.Usable() {
		usable[kernel] = true
		if kernel == dispatch.Generic {
			continue
		}
		for _, bits := range []int{128, 192, 256} {
			t.Run(fmt.Sprintf("%s/%d", kernel, bits), func(t *testing.T) { turnsOf(t, kernel, bits) })
		}
	}
	for _, kernel := range require.Kernels() {
		if !usable[kernel] {
			t.Errorf("GCM_REQUIRE wants kernel %s, which cannot run here", kernel)
		}
	}
}

func turnsOf(t *testing.T, kernel string, bits int) {
	rng := rand.New(rand.NewSource(int64(bits)))
	key := make([]byte, bits/8)
	rng.Read(key)
	var block direct.KeyBlock
	direct.Init(kernel, &block, key)
	turn := direct.Turn(&block)
	take := func(n int, end bool) []byte {
		m, free, err := guard.New(n)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { free() })
		return m.Take(n, end)
	}
	for turns := 1; turns <= 5; turns++ {
		n := turns * turn
		for i, before := range []int{0, 1, rng.Intn(1 << 20), -turns - 1, -turns, -1} {
			counter := uint32(2 + before*turn/16)
			for _, open := range []bool{false, true} {
				for _, inPlace := range []bool{false, true} {
					out, state := take(n, i%2 == 0), take(32, i%2 == 0)
					in := out
					if !inPlace {
						in = take(n, i%2 == 0)
						rng.Read(out)
					}
					rng.Read(in)
					rng.Read(state)
					binary.BigEndian.PutUint32(state[28:], counter)
					want, behind := reference.Turns(key, [32]byte(state), in, open)
					run, text := direct.SealTurns, bytes.Clone(in)
					if open {
						run = direct.OpenTurns
					}
					run(&block, out, in, state)
					what := fmt.Sprintf("%d turns, counter %#x, opening %v, in place %v", turns, counter, open, inPlace)
					if !bytes.Equal(out, want) {
						t.Fatalf("%s: wrong text", what)
					}
					if !bytes.Equal(state, behind[:]) {
						t.Fatalf("%s: the state is %x, want %x", what, state, behind)
					}
					if !inPlace && !bytes.Equal(in, text) {
						t.Fatalf("%s: the input changes", what)
					}
				}
			}
		}
	}
}
