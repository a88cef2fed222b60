// SPDX-License-Identifier: ISC

//go:build amd64 || arm64

package direct_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// foursKernels are the kernels with programs for four messages that can run here.
func foursKernels() (names []string) {
	host := dispatch.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Linked: direct.Linked, Features: dispatch.Features()}
	for _, k := range host.Usable() {
		var block direct.KeyBlock
		if k == dispatch.Generic {
			continue
		}
		if direct.Init(k, &block, make([]byte, 16)); direct.Fours(&block) {
			names = append(names, k)
		}
	}
	return names
}

// four is one message of a batch.
type four struct {
	nonce, text, aad []byte
	sealed           []byte // by crypto/cipher, with a tag of 16 bytes
	dst              []byte // what is in front of the result, the result, and more
	front            int    // bytes in front of the result
}

// packet returns what the kernel is told of a text, which may be where the result
// goes.
func (m *four) packet(text []byte) direct.Packet {
	return direct.Packet{Dst: m.dst[:m.front], Nonce: m.nonce, Text: text, AAD: m.aad}
}

// place makes dst of random bytes, for a result of n bytes, and returns where text
// lies: in place, or elsewhere.
func (m *four) place(random func(int) []byte, front, n int, text []byte, inPlace bool) []byte {
	m.front, m.dst = front, random(front+max(n, len(text))+16)
	if !inPlace {
		return bytes.Clone(text)
	}
	in := m.dst[front:][:len(text)]
	copy(in, text)
	return in
}

// TestFours seals and opens messages four at a time, of every length in a turn
// and with every length of AAD, and compares them with crypto/cipher.
func TestFours(t *testing.T) {
	for _, kernel := range foursKernels() {
		for _, bits := range []int{128, 192, 256} {
			t.Run(fmt.Sprintf("%s/%d", kernel, bits), func(t *testing.T) { testFours(t, kernel, bits) })
		}
	}
}

func testFours(t *testing.T, kernel string, bits int) {
	rng := rand.New(rand.NewPCG(uint64(bits), 4))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	key := random(bits / 8)
	var block direct.KeyBlock
	direct.Init(kernel, &block, key)
	c, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	std, err := cipher.NewGCM(c)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 3000
	if testing.Short() {
		rounds = 600
	}
	for round := range rounds {
		ms := make([]four, 4*(1+rng.IntN(direct.MostPackets/4)))
		tagLen, inPlace := 4+rng.IntN(13), rng.IntN(2) == 0
		var turns, longest int
		var brief bool
		for i := range ms {
			m := &ms[i]
			if i%4 == 0 { // the four have the same number of turns; one is the longest
				turns, longest = rng.IntN(5), 1+rng.IntN(direct.FoursTurn)
				if brief = rng.IntN(3) == 0; brief {
					turns, longest = 0, 1+direct.BriefText
				}
				if turns == 4 {
					turns = 4 + rng.IntN(64)
				}
			}
			m.nonce = random(12)
			m.text = random(direct.FoursTurn*turns + rng.IntN(longest))
			if round < direct.FoursTurn {
				m.text = m.text[:direct.FoursTurn*turns+min(round, len(m.text)-direct.FoursTurn*turns)]
			}
			switch {
			case brief:
				m.aad = random(1 + rng.IntN(direct.BriefAAD))
			case i%4 == 0 && turns == 0 && len(m.text) <= direct.BriefText: // or it would be brief
				m.aad = random(direct.BriefAAD + 1 + rng.IntN(direct.FoursAAD-direct.BriefAAD))
			default:
				m.aad = random(1 + rng.IntN(direct.FoursAAD))
				m.aad = m.aad[:rng.IntN(len(m.aad)+1)]
			}
			if brief && rng.IntN(4) == 0 {
				m.aad = m.aad[:0]
			}
			if len(m.aad) == 0 && rng.IntN(2) == 0 {
				m.aad = nil
			}
			m.sealed = std.Seal(nil, m.nonce, m.text, m.aad)
		}
		packets := make([]direct.Packet, len(ms))
		want := make([][]byte, len(ms)) // of dst
		for i := range ms {
			m := &ms[i]
			n := len(m.text)
			in := m.place(random, rng.IntN(40), n+tagLen, m.text, inPlace)
			packets[i] = m.packet(in)
			want[i] = bytes.Clone(m.dst)
			copy(want[i][m.front:], m.sealed[:n+tagLen])
		}
		direct.SealFours(&block, packets, tagLen)
		var good uint64
		for i := range ms {
			m := &ms[i]
			what := fmt.Sprintf("message %d of %d, %d bytes, AAD %d, tag %d, in place %v", i, len(ms), len(m.text), len(m.aad), tagLen, inPlace)
			if !bytes.Equal(m.dst, want[i]) {
				t.Fatalf("%s: sealed, memory is\n%x, want\n%x", what, m.dst, want[i])
			}
			n := len(m.text)
			sealed := bytes.Clone(m.sealed[:n+tagLen])
			good = good<<1 | 1
			if rng.IntN(4) == 0 {
				sealed[n+rng.IntN(tagLen)] ^= 1 << rng.IntN(8)
				good &^= 1
			}
			in := m.place(random, rng.IntN(40), n, sealed, inPlace)
			packets[i] = m.packet(in)
			want[i] = bytes.Clone(m.dst)
			copy(want[i][m.front:], m.text)
		}
		if got := direct.OpenFours(&block, packets, tagLen); got != good {
			t.Fatalf("tags of %d bytes: right are %b, want %b", tagLen, got, good)
		}
		for i := range ms {
			if m := &ms[i]; !bytes.Equal(m.dst, want[i]) {
				t.Fatalf("message %d of %d, %d bytes, AAD %d, in place %v: opened, memory is\n%x, want\n%x", i, len(ms), len(m.text), len(m.aad), inPlace, m.dst, want[i])
			}
		}
		runtime.KeepAlive(ms)
	}
}
