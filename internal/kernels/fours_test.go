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
	"unsafe"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/machine"
)

// TestFours runs the programs for four messages on the machine, in both flavours,
// and compares them with crypto/cipher. Memory outside of the messages faults.
func TestFours(t *testing.T) {
	for _, bits := range []int{128, 192, 256} {
		for _, ps := range [][]*ir.Program{VaesAVX512(), forGo(VaesAVX512())} {
			t.Run(fmt.Sprint(bits), func(t *testing.T) { testFours(t, ps, bits) })
		}
	}
}

// packets is a call for messages, each with the memory that it is in.
type packets struct {
	*run
	block, table []byte
	out          []*machine.Region // with the tag when sealing
	front        []int             // bytes of Dst before
}

func newPackets(block []byte) *packets { return &packets{run: newRun(), block: block} }

// add adds a message whose text is in, with the tag when it is opened.
func (c *packets) add(nonce, aad, in []byte, tagLen int, seal bool, rng *rand.Rand) {
	result := len(in) - tagLen
	if seal {
		result = len(in) + tagLen
	}
	offset, front := rng.Intn(64), rng.Intn(30)
	o := c.mem.Add("out", random(rng, max(result, len(in))), true, offset)
	at := o.Base
	if rng.Intn(2) == 0 {
		at = c.mem.Add("in", in, false, rng.Intn(64)).Base
	} else {
		copy(o.Bytes, in)
	}
	c.out, c.front = append(c.out, o), append(c.front, front)
	var p [packetSize]byte
	for field, x := range map[int]uint64{packetDst: o.Base - uint64(front), packetDstLen: uint64(front),
		packetNonce: c.mem.Add("nonce", nonce, false, rng.Intn(64)).Base,
		packetText:  at, packetTextLen: uint64(len(in)),
		packetAAD: c.mem.Add("AAD", aad, false, rng.Intn(64)).Base, packetAADLen: uint64(len(aad))} {
		binary.LittleEndian.PutUint64(p[field:], x)
	}
	c.table = append(c.table, p[:]...)
}

// call runs p on the messages, of which each must then have grown by its result.
func (c *packets) call(p *ir.Program, tagLen int) (uint64, error) {
	c.pointer("key block", c.block, false, 8)
	want := bytes.Clone(c.table)
	table := c.pointer("packets", c.table, true, 8)
	c.number(len(c.table))
	c.number(tagLen)
	right, err := c.run.call(p)
	for i, front := range c.front {
		grown := front + int(binary.LittleEndian.Uint64(want[i*packetSize+packetTextLen:]))
		if p.Contract.Opens() {
			grown -= tagLen
		} else {
			grown += tagLen
		}
		binary.LittleEndian.PutUint64(want[i*packetSize+packetDstLen:], uint64(grown))
	}
	if err == nil && !bytes.Equal(table.Bytes, want) {
		err = fmt.Errorf("packets are\n%x, want\n%x", table.Bytes, want)
	}
	return right, err
}

func testFours(t *testing.T, ps []*ir.Program, bits int) {
	rng := rand.New(rand.NewSource(int64(bits)))
	key := random(rng, bits/8)
	block := keyBlock(t, find(ps, "init", bits), key)
	c, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cipher.NewGCM(c)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	for round := range rounds {
		tagLen := 4 + rng.Intn(13)
		var texts, sealed [][]byte
		seal, open := newPackets(block), newPackets(block)
		good := uint64(0)
		for i := range 4 * (1 + round%3) {
			// Brief ones, then those with rests of up to 1, 2 and 4 registers.
			text, aad := random(rng, rng.Intn(briefText+1)), random(rng, rng.Intn(briefAAD+1))
			if kind := (round + i/4) % 4; kind > 0 {
				text = random(rng, i/4%3*foursTurn+rng.Intn(64<<(kind-1)))
				aad = random(rng, briefAAD+1+rng.Intn(48))
			}
			nonce := random(rng, 12)
			whole := g.Seal(nil, nonce, text, aad)[:len(text)+tagLen]
			texts, sealed = append(texts, text), append(sealed, bytes.Clone(whole))
			seal.add(nonce, aad, text, tagLen, true, rng)
			good = good<<1 | 1
			if rng.Intn(3) == 0 {
				whole[len(text)+rng.Intn(tagLen)] ^= 1 << rng.Intn(8)
				good &^= 1
			}
			open.add(nonce, aad, whole, tagLen, false, rng)
		}
		if _, err := seal.call(find(ps, "seal_fours", bits), tagLen); err != nil {
			t.Fatal(err)
		}
		got, err := open.call(find(ps, "open_fours", bits), tagLen)
		if err != nil {
			t.Fatal(err)
		}
		if got != good {
			t.Errorf("tags of %d bytes: right are %b, want %b", tagLen, got, good)
		}
		for i, text := range texts {
			if !bytes.Equal(seal.out[i].Bytes, sealed[i]) {
				t.Fatalf("message %d of %d, %d bytes: sealed wrongly", i, len(texts), len(text))
			}
			if !bytes.Equal(open.out[i].Bytes[:len(text)], text) {
				t.Fatalf("message %d of %d, %d bytes: opened wrongly", i, len(texts), len(text))
			}
		}
	}
}

// TestPacketsAgree compares what the programs know of packets with package
// direct.
func TestPacketsAgree(t *testing.T) {
	var p direct.Packet
	for _, c := range []struct {
		what        string
		here, there uintptr
	}{
		{"output", packetDst, unsafe.Offsetof(p.Dst)}, {"length before", packetDstLen, unsafe.Offsetof(p.Dst) + 8},
		{"nonce", packetNonce, unsafe.Offsetof(p.Nonce)},
		{"text", packetText, unsafe.Offsetof(p.Text)}, {"length", packetTextLen, unsafe.Offsetof(p.Text) + 8},
		{"AAD", packetAAD, unsafe.Offsetof(p.AAD)}, {"length of AAD", packetAADLen, unsafe.Offsetof(p.AAD) + 8},
		{"size", packetSize, unsafe.Sizeof(p)},
		{"most text of brief ones", briefText, direct.BriefText}, {"most AAD of brief ones", briefAAD, direct.BriefAAD},
		{"most AAD", 64, direct.FoursAAD}, {"turn", foursTurn, direct.FoursTurn},
	} {
		if c.here != c.there {
			t.Errorf("%s: %d here, %d in package direct", c.what, c.here, c.there)
		}
	}
}
