// SPDX-License-Identifier: ISC

package gcm

import "crypto/subtle"

// sealPieces is sealKernel in calls so short that the garbage collector need
// not wait, for a text in any number of slices.
func (a *AEAD) sealPieces(out, tag, nonce, aad []byte, text ...[]byte) {
	var m message
	m.begin(a, nonce, aad)
	for _, in := range text {
		m.seal(out[:len(in)], in)
		out = out[len(in):]
	}
	if raceEnabled {
		raceCall(nil, [][]byte{tag})
	}
	whole := m.tag()
	copy(tag, whole[:])
}

// openPieces is openKernel, likewise. What the slices hold beyond the length
// of out is left alone.
func (a *AEAD) openPieces(out, tag, nonce, aad []byte, text ...[]byte) bool {
	var m message
	m.begin(a, nonce, aad)
	rest := out
	for _, in := range text {
		n := min(len(in), len(rest))
		m.open(rest[:n], in[:n])
		rest = rest[n:]
	}
	if raceEnabled {
		raceCall([][]byte{tag}, nil)
	}
	whole := m.tag()
	if subtle.ConstantTimeCompare(whole[:a.tagSize], tag) == 1 {
		return true
	}
	wipe(out)
	return false
}
