// SPDX-License-Identifier: ISC

package traces

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/stitchgcm/gcm/internal/reference"
)

// A situation is what may be known of a call. All calls in one situation must
// leave the same trace.
type situation struct {
	op   string // of a program, or forge: open with a wrong tag
	bits int
	// Lengths in bytes. That of the tag is that of the state, where there is one.
	text, aad, nonce, tag int
}

// turns reports whether the call is for turns of a message.
func (s situation) turns() bool { return s.op == "seal_turns" || s.op == "open_turns" }

func (s situation) String() string {
	if s.op == "init" {
		return fmt.Sprintf("init, %d-bit key", s.bits)
	}
	if s.turns() {
		return fmt.Sprintf("%s, %d-bit key, %d bytes", s.op, s.bits, s.text)
	}
	return fmt.Sprintf("%s, %d-bit key, %d bytes, AAD %d, nonce %d, tag %d", s.op, s.bits, s.text, s.aad, s.nonce, s.tag)
}

// program returns the operation of the kernel that runs.
func (s situation) program() string {
	if s.op == "forge" {
		return "open"
	}
	return s.op
}

// wrapping is a nonce size at which nonces are solved for J0, so that the
// counter carries out of its 32 bits under some secrets and not under others.
const wrapping = 16

// situations returns what is traced of a key size: set-up, and seal, open and
// refusal at lengths through the short path, the loops and every tail, with
// AADs and nonces of all kinds, and some turns, each of so many bytes. Dense ones
// are of every length to 1100 bytes.
func situations(bits, turn int, dense bool) []situation {
	all := []situation{{op: "init", bits: bits}}
	add := func(text, aad, nonce, tag int) {
		for _, op := range []string{"seal", "open", "forge"} {
			all = append(all, situation{op, bits, text, aad, nonce, tag})
		}
	}
	aads := []int{0, 13, 1, 16, 0, 17, 64, 65, 129, 0, 1100}
	var texts []int
	span := func(from, to, step int) {
		for n := from; n <= to; n += step {
			texts = append(texts, n)
		}
	}
	if dense {
		span(0, 1100, 1)
	} else {
		span(0, 17, 1)
		span(63, 65, 1)
		span(127, 129, 1)
		span(255, 257, 1)
		span(1000, 1100, 5)
	}
	span(2090, 2122, 8)
	span(4101, 4101, 1)
	for i, n := range texts {
		add(n, aads[i%len(aads)], 12, 16)
	}
	for i, n := range aads {
		add([]int{0, 16, 100}[i%3], n, 12, 4+i)
	}
	for i, n := range []int{1, 8, 13, wrapping, 17, 64, 65, 129, 1100} {
		add([]int{5, 300}[i%2], 20, n, 16)
		add(1100+200*i, 0, n, 16)
	}
	for n := 1; n <= 4; n++ {
		all = append(all, someTurns(bits, n*turn)...)
	}
	return all
}

// someTurns returns the situations of turns that are some bytes in all.
func someTurns(bits, text int) (all []situation) {
	for _, op := range []string{"seal_turns", "open_turns"} {
		all = append(all, situation{op: op, bits: bits, text: text, tag: 32})
	}
	return all
}

// A call is a situation with all of its bytes.
type call struct {
	situation
	key, nonceBytes, aadBytes, in, tagBytes []byte // tagBytes: tag or state
	wantOut, wantTag                        []byte
	wantResult                              uint64
}

// secrets is the number of calls in each situation.
const secrets = 4

// calls returns calls in a situation that differ in what is secret: all bits
// of key and text 0, all 1, and random ones. What is received under them, a
// ciphertext with its tag, differs along with them; wrong tags differ from
// the right ones in other places.
func (s situation) calls() []call {
	fill := func(n int, seed byte) []byte {
		b := make([]byte, n)
		rand.NewChaCha8([32]byte{seed}).Read(b)
		return b
	}
	var all []call
	for i := range secrets {
		c := call{situation: s, nonceBytes: fill(s.nonce, 1), aadBytes: fill(s.aad, 2)}
		c.key, c.in = fill(s.bits/8, byte(10+i)), fill(s.text, byte(20+i))
		if i < 2 {
			c.key, c.in = bytes.Repeat([]byte{byte(-i)}, s.bits/8), bytes.Repeat([]byte{byte(-i)}, s.text)
		}
		switch {
		case s.turns():
			state := [32]byte(fill(32, byte(30+i)))
			copy(state[16:], fill(12, 3))
			copy(state[28:], []byte{4, 5, 6, 2})
			out, behind := reference.Turns(c.key, state, c.in, s.op == "open_turns")
			c.tagBytes, c.wantOut, c.wantTag = state[:], out, behind[:]
		case s.op != "init":
			c.answer(i)
		}
		all = append(all, c)
	}
	return all
}

// answer completes the i-th call of its situation by crypto/cipher.
func (c *call) answer(i int) {
	if c.nonce == wrapping {
		j0 := [16]byte{12: 0xff, 13: 0xff, 14: 0xff, 15: 0xf8}
		if i%2 == 0 {
			binary.BigEndian.PutUint32(j0[12:], uint32(i))
		}
		n := reference.NonceFor(c.key, j0)
		c.nonceBytes = n[:]
	}
	b, err := aes.NewCipher(c.key)
	if err != nil {
		panic(err)
	}
	g, err := cipher.NewGCMWithNonceSize(b, c.nonce)
	if err != nil {
		panic(err)
	}
	sealed := g.Seal(nil, c.nonceBytes, c.in, c.aadBytes)
	text, tag := sealed[:c.text], sealed[c.text:][:c.tag]
	switch c.op {
	case "seal":
		c.tagBytes, c.wantOut, c.wantTag = make([]byte, c.tag), text, tag
	case "open":
		c.tagBytes, c.in, c.wantOut, c.wantTag = tag, text, c.in, tag
		c.wantResult = 1
	case "forge":
		wrong := bytes.Clone(tag)
		wrong[(i*5)%len(wrong)] ^= 1 << i
		c.tagBytes, c.in, c.wantOut, c.wantTag = wrong, text, make([]byte, c.text), wrong
	}
}

// verify checks what a call gave, to be sure that the whole of it was traced.
func (c *call) verify(result uint64, out, tag []byte) error {
	switch {
	case c.op == "init":
		return nil
	case !bytes.Equal(out, c.wantOut):
		return fmt.Errorf("%v: wrong output", c.situation)
	case !bytes.Equal(tag, c.wantTag):
		return fmt.Errorf("%v: tag or state %x, want %x", c.situation, tag, c.wantTag)
	case c.program() == "open" && result != c.wantResult:
		return fmt.Errorf("%v: result %d, want %d", c.situation, result, c.wantResult)
	}
	return nil
}
