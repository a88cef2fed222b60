// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// turns is a message with a nonce of 12 bytes whose text comes in pieces, done
// by a kernel in whole turns of its bulk loop: docs/ALGORITHMS.md, 11. It holds
// all that it needs.
type turns struct {
	hash hash
	next [32]byte      // state for key stream: an Xi without meaning, the counter block of the next turn
	keys [maxTurn]byte // key stream of the turn before that
	used int           // bytes of that which are used up; a whole turn where all are
	ek0  element
}

const (
	// firstCounter is the counter of the first turn, which begins with the text.
	firstCounter = 2

	// maxTurn is the most that a turn of any kernel takes, and a multiple of what
	// a turn of any takes, in bytes.
	maxTurn = 1024

	// maxCall is how much goes into a kernel at once, in bytes: a multiple of
	// maxTurn.
	maxCall = dispatch.DirectMax
)

// begin starts a message and hashes its AAD. The tag of a message without text and
// AAD is EK0, as GHASH of its one block of zeros is zero.
func (t *turns) begin(block *direct.KeyBlock, nonce, aad []byte) {
	t.hash.begin(block)
	direct.Seal(block, nil, nil, nil, nonce, t.ek0[:])
	copy(t.next[16:], nonce)
	binary.BigEndian.PutUint32(t.next[28:], firstCounter)
	t.used = t.hash.turn
	t.hash.write(aad)
	t.hash.pad()
}

// refill makes the key stream of the next turn.
func (t *turns) refill() {
	turn := t.hash.turn
	direct.SealTurns(t.hash.block, t.keys[:turn], zeros[:turn], t.next[:])
	t.used = 0
}

// text encrypts or decrypts the next bytes of the text from in to out, which is
// as long.
func (t *turns) text(out, in []byte, opens bool) {
	turn := t.hash.turn
	for len(in) > 0 {
		var n int
		switch left := turn - t.used; {
		case left == 0 && len(in) >= turn:
			n = min(len(in)&-turn, maxCall)
			t.whole(out[:n], in[:n], opens)
		case left == 0:
			t.refill()
		default:
			n = min(len(in), left)
			t.part(out[:n], in[:n], opens)
		}
		out, in = out[n:], in[n:]
	}
}

// whole does whole turns.
func (t *turns) whole(out, in []byte, opens bool) {
	h := &t.hash
	h.absorb()
	copy(h.state[16:], t.next[16:])
	if opens {
		direct.OpenTurns(h.block, out, in, h.state[:])
	} else {
		direct.SealTurns(h.block, out, in, h.state[:])
	}
	copy(t.next[16:], h.state[16:])
}

// part does what the key stream at hand is enough for.
func (t *turns) part(out, in []byte, opens bool) {
	if opens {
		t.hash.write(in)
	}
	subtle.XORBytes(out, in, t.keys[t.used:])
	if !opens {
		t.hash.write(out)
	}
	t.used += len(in)
}

// tag returns the whole tag, for lengths in bytes.
func (t *turns) tag(aadLen, textLen uint64) element {
	return add(t.hash.sum(aadLen, textLen), t.ek0)
}
