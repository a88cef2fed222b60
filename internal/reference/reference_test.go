// SPDX-License-Identifier: ISC

package reference

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// TestFieldIdentities checks what any field has, on random elements.
func TestFieldIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (b block) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	one := block{0x80}
	for range 100 {
		a, b, c := random(), random(), random()
		if multiply(a, one) != a || multiply(a, b) != multiply(b, a) {
			t.Fatal("1 is not neutral, or the product does not commute")
		}
		if multiply(multiply(a, b), c) != multiply(a, multiply(b, c)) {
			t.Fatal("the product is not associative")
		}
		if multiply(a, xor(b, c)) != xor(multiply(a, b), multiply(a, c)) {
			t.Fatal("the product is not distributive")
		}
		if multiply(a, invert(a)) != one {
			t.Fatal("the inverse is none")
		}
	}
}

// TestVectors checks the second test case of the GCM submission, and crypto/cipher
// at some sizes.
func TestVectors(t *testing.T) {
	got := Seal(make([]byte, 16), make([]byte, 12), nil, make([]byte, 16), 16)
	if want := "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"; hex.EncodeToString(got) != want {
		t.Errorf("got %x, want %s", got, want)
	}
	for _, nonceSize := range []int{1, 8, 12, 15, 16, 17, 100} {
		for _, size := range []int{0, 1, 15, 16, 17, 100} {
			key := bytes.Repeat([]byte{byte(size)}, 24)
			nonce := bytes.Repeat([]byte{3}, nonceSize)
			aad := bytes.Repeat([]byte{4}, 2*size)
			text := bytes.Repeat([]byte{5}, size)
			b, _ := aes.NewCipher(key)
			a, _ := cipher.NewGCMWithNonceSize(b, nonceSize)
			want := a.Seal(nil, nonce, text, aad)
			got := Seal(key, nonce, aad, text, 16)
			if !bytes.Equal(got, want) {
				t.Errorf("nonce of %d, text of %d bytes: got %x, want %x", nonceSize, size, got, want)
			}
			if p, ok := Open(key, nonce, aad, got[:size+13], 13); !ok || !bytes.Equal(p, text) {
				t.Errorf("nonce of %d, text of %d bytes: Open fails", nonceSize, size)
			}
			got[size] ^= 1
			if _, ok := Open(key, nonce, aad, got, 16); ok {
				t.Errorf("nonce of %d, text of %d bytes: Open takes a forged tag", nonceSize, size)
			}
		}
	}
}

// TestTurns makes a message of pieces, and compares with crypto/cipher.
func TestTurns(t *testing.T) {
	key, nonce := bytes.Repeat([]byte{6}, 32), bytes.Repeat([]byte{3}, 12)
	text := bytes.Repeat([]byte{1, 2, 3, 4, 5}, 48)
	b, _ := aes.NewCipher(key)
	a, _ := cipher.NewGCM(b)
	want := a.Seal(nil, nonce, text, nil)

	var state [32]byte
	copy(state[16:], nonce)
	state[31] = 1 // J0
	ek0, state := Turns(key, state, make([]byte, 16), false)
	state = [32]byte(append(make([]byte, 16), state[16:]...))
	opened := state
	got, state := Turns(key, state, text[:80], false)
	rest, state := Turns(key, state, text[80:], false)
	got = append(got, rest...)
	lengths, behind := lengths(0, len(text)), state
	_, state = Turns(key, state, lengths, true)
	for i := range ek0 {
		got = append(got, ek0[i]^state[i])
	}
	if !bytes.Equal(got, want) {
		t.Errorf("sealed, the message is %x, want %x", got, want)
	}
	if got, state := Turns(key, opened, want[:len(text)], true); !bytes.Equal(got, text) || state != behind {
		t.Errorf("opened, the message is %x, and the state behind it %x, want %x, %x", got, state, text, behind)
	}
}

// TestNonceFor checks that the nonce yields the pre-counter block.
func TestNonceFor(t *testing.T) {
	key := []byte("sixteen byte key")
	want := block{1, 2, 3, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xfe}
	nonce := NonceFor(key, want)
	if got := preCounter(hashKey(newCIPH(key)), nonce[:]); got != want {
		t.Errorf("J0 is %x, want %x", got, want)
	}
}
