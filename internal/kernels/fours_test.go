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
	out, tag     []*machine.Region
}

func newPackets(block []byte) *packets { return &packets{run: newRun(), block: block} }

// add adds a message whose text is in; tag is compared unless seal is set.
func (c *packets) add(nonce, aad, in, tag []byte, seal bool, rng *rand.Rand) {
	o := c.mem.Add("out", bytes.Clone(in), true, rng.Intn(64))
	at := o.Base
	if rng.Intn(2) == 0 {
		at = c.mem.Add("in", in, false, rng.Intn(64)).Base
	}
	c.out = append(c.out, o)
	c.tag = append(c.tag, c.mem.Add("tag", tag, seal, rng.Intn(64)))
	c.table = append(append(c.table, nonce...), 0, 0, 0, 0)
	for _, x := range []uint64{o.Base, at, uint64(len(in)), c.mem.Add("AAD", aad, false, rng.Intn(64)).Base, uint64(len(aad)),
		c.tag[len(c.tag)-1].Base, uint64(8 * len(in)), uint64(8 * len(aad))} {
		c.table = binary.LittleEndian.AppendUint64(c.table, x)
	}
}

// call runs p on the messages.
func (c *packets) call(p *ir.Program, tagLen int) (uint64, error) {
	c.pointer("key block", c.block, false, 8)
	c.pointer("packets", c.table, false, 8)
	c.number(len(c.table))
	c.number(tagLen)
	return c.run.call(p)
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
		var texts, sealed, tags [][]byte
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
			whole := g.Seal(nil, nonce, text, aad)
			tag := whole[len(text):][:tagLen]
			texts, sealed, tags = append(texts, text), append(sealed, whole[:len(text)]), append(tags, tag)
			seal.add(nonce, aad, text, random(rng, tagLen), true, rng)
			good = good<<1 | 1
			if rng.Intn(3) == 0 {
				tag = bytes.Clone(tag)
				tag[rng.Intn(tagLen)] ^= 1 << rng.Intn(8)
				good &^= 1
			}
			open.add(nonce, aad, whole[:len(text)], tag, false, rng)
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
		for i := range texts {
			if !bytes.Equal(seal.out[i].Bytes, sealed[i]) || !bytes.Equal(seal.tag[i].Bytes, tags[i]) {
				t.Fatalf("message %d of %d, %d bytes: sealed wrongly", i, len(texts), len(texts[i]))
			}
			if !bytes.Equal(open.out[i].Bytes, texts[i]) {
				t.Fatalf("message %d of %d, %d bytes: opened wrongly", i, len(texts), len(texts[i]))
			}
		}
	}
}

// TestPacketsAgree compares what the programs know of packets with package
// direct, which fills them in.
func TestPacketsAgree(t *testing.T) {
	var p direct.Packet
	for _, c := range []struct {
		what        string
		here, there uintptr
	}{
		{"nonce", packetNonce, unsafe.Offsetof(p.Nonce)}, {"output", packetOut, unsafe.Offsetof(p.Out)},
		{"input", packetIn, unsafe.Offsetof(p.In)}, {"length", packetLen, unsafe.Offsetof(p.Len)},
		{"AAD", packetAAD, unsafe.Offsetof(p.AAD)}, {"length of AAD", packetAADLen, unsafe.Offsetof(p.AADLen)},
		{"tag", packetTag, unsafe.Offsetof(p.Tag)}, {"bits of text", packetLens, unsafe.Offsetof(p.LenBits)},
		{"bits of AAD", packetLens + 8, unsafe.Offsetof(p.AADBits)}, {"size", packetSize, unsafe.Sizeof(p)},
		{"most text of brief ones", briefText, direct.BriefText}, {"most AAD of brief ones", briefAAD, direct.BriefAAD},
		{"most AAD", 64, direct.FoursAAD}, {"turn", foursTurn, direct.FoursTurn},
	} {
		if c.here != c.there {
			t.Errorf("%s: %d here, %d in package direct", c.what, c.here, c.there)
		}
	}
}
