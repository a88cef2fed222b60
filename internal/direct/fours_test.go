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
	"unsafe"

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
	nonce          [12]byte
	text, aad      []byte
	sealed         []byte // by crypto/cipher, with a tag of 16 bytes
	out, tag, want []byte
}

// packet returns what the kernel is told; in may be the output.
func (m *four) packet(in []byte) (p direct.Packet) {
	copy(p.Nonce[:], m.nonce[:])
	p.Out, p.In, p.Len, p.LenBits = unsafe.SliceData(m.out), unsafe.SliceData(in), uint64(len(in)), uint64(8*len(in))
	p.AAD, p.AADLen, p.AADBits = unsafe.SliceData(m.aad), uint64(len(m.aad)), uint64(8*len(m.aad))
	p.Tag = unsafe.SliceData(m.tag)
	return p
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
		ms := make([]four, 4*(1+rng.IntN(4)))
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
			copy(m.nonce[:], random(12))
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
			m.sealed = std.Seal(nil, m.nonce[:], m.text, m.aad)
		}
		packets := make([]direct.Packet, len(ms))
		for i := range ms {
			m := &ms[i]
			in := bytes.Clone(m.text)
			if m.out = in; !inPlace {
				m.out = random(len(in))
			}
			m.tag = random(16)
			m.want = append(bytes.Clone(m.sealed[len(m.text):][:tagLen]), m.tag[tagLen:]...)
			packets[i] = m.packet(in)
		}
		direct.SealFours(&block, packets, tagLen)
		var good uint64
		for i := range ms {
			m := &ms[i]
			what := fmt.Sprintf("message %d of %d, %d bytes, AAD %d, tag %d, in place %v", i, len(ms), len(m.text), len(m.aad), tagLen, inPlace)
			if n := len(m.text); !bytes.Equal(m.out, m.sealed[:n]) {
				t.Fatalf("%s: wrong ciphertext", what)
			}
			if !bytes.Equal(m.tag, m.want) {
				t.Fatalf("%s: tag %x, want %x", what, m.tag, m.want)
			}
			in := bytes.Clone(m.sealed[:len(m.text)])
			if m.out = in; !inPlace {
				m.out = random(len(in))
			}
			good = good<<1 | 1
			if rng.IntN(4) == 0 {
				m.tag[rng.IntN(tagLen)] ^= 1 << rng.IntN(8)
				good &^= 1
			}
			packets[i] = m.packet(in)
		}
		if got := direct.OpenFours(&block, packets, tagLen); got != good {
			t.Fatalf("tags of %d bytes: right are %b, want %b", tagLen, got, good)
		}
		for i := range ms {
			if m := &ms[i]; !bytes.Equal(m.out, m.text) {
				t.Fatalf("message %d of %d, %d bytes, AAD %d, in place %v: wrong plaintext", i, len(ms), len(m.text), len(m.aad), inPlace)
			}
		}
		runtime.KeepAlive(ms)
	}
}
