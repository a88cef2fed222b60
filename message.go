// SPDX-License-Identifier: ISC

package gcm

// message is a message whose text comes in pieces. It is empty before begin and
// after tag.
type message struct {
	a       *AEAD    // nil when the message is empty
	turns   turns    // where a kernel holds the key and the nonce has 12 bytes
	counted *counted // everywhere else
	aadLen  uint64   // bytes
	textLen uint64   // bytes so far
}

// begin starts a message. It keeps neither nonce nor aad.
func (m *message) begin(a *AEAD, nonce, aad []byte) {
	a.checkNonce(nonce)
	if raceEnabled {
		raceCall([][]byte{nonce, aad}, nil)
	}
	m.a, m.aadLen, m.textLen = a, uint64(len(aad)), 0
	steadily(func() {
		if a.generic == nil && len(nonce) == 12 {
			m.turns.begin(&a.block, nonce, aad)
		} else {
			m.counted = newCounted(a, nonce, aad)
		}
	})
}

// room reports whether the text may grow by n bytes.
func (m *message) room(n int) bool { return uint64(n) <= maxTextSize-m.textLen }

// seal encrypts the next piece of the text, for which there is room, from in to
// out, which is as long.
func (m *message) seal(out, in []byte) { m.text(out, in, false) }

// open decrypts, likewise.
func (m *message) open(out, in []byte) { m.text(out, in, true) }

func (m *message) text(out, in []byte, opens bool) {
	if raceEnabled {
		raceCall([][]byte{in}, [][]byte{out})
	}
	m.textLen += uint64(len(in))
	steadily(func() {
		if m.counted == nil {
			m.turns.text(out, in, opens)
		} else {
			m.counted.text(out, in, opens)
		}
	})
}

// tag returns the whole tag and leaves the message empty.
func (m *message) tag() (tag element) {
	steadily(func() {
		if m.counted == nil {
			tag = m.turns.tag(m.aadLen, m.textLen)
		} else {
			tag = m.counted.tag(m.aadLen, m.textLen)
		}
	})
	*m = message{} // with all key stream and text
	return tag
}
