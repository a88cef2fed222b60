// SPDX-License-Identifier: ISC

package gcm

// Sealer seals one message whose plaintext comes in pieces. Make it with
// [AEAD.NewSealer], call Seal for each piece, of any size, and Tag at the end.
// Ciphertexts and tag, one after the other, are what [AEAD.Seal] makes of the
// whole plaintext. One goroutine at a time may use it.
type Sealer struct{ m message }

// NewSealer begins a message. The nonce must have NonceSize() bytes and must be
// new for every message under a key; NewSealer panics when it has another size.
// It keeps neither nonce nor additionalData.
//
// A Sealer takes some 2 KiB of memory, and 6 KiB with nonces of other than 12
// bytes or kernel generic. Pieces of 64 KiB and more are sealed about
// as fast as Seal does.
func (a *AEAD) NewSealer(nonce, additionalData []byte) *Sealer {
	s := new(Sealer)
	s.m.begin(a, nonce, additionalData)
	return s
}

// Seal encrypts the next piece of the plaintext, appends the ciphertext, which
// is as long, to dst and returns the longer slice. It allocates once when dst
// has too little room, and otherwise not at all, but for the one piece in which
// a counter wraps, which happens with nonces of other than 12 bytes.
//
// To encrypt in place, pass plaintext[:0] as dst. Otherwise the bytes appended
// must not overlap plaintext. Seal panics when they do, for more than 2³⁶ - 32
// bytes of plaintext, and after Tag.
func (s *Sealer) Seal(dst, plaintext []byte) []byte {
	s.mustBeOpen()
	if !s.m.room(len(plaintext)) {
		panic(tooLarge)
	}
	ret, out := extend(dst, len(plaintext))
	refuseOverlap(out, plaintext, nil)
	s.m.seal(out, plaintext)
	return ret
}

// Tag ends the message: it appends the tag, of Overhead() bytes, to dst and
// returns the longer slice. The Sealer is of no further use.
func (s *Sealer) Tag(dst []byte) []byte {
	s.mustBeOpen()
	size := s.m.a.tagSize
	tag := s.m.tag()
	return append(dst, tag[:size]...)
}

// mustBeOpen panics when the message has ended.
func (s *Sealer) mustBeOpen() {
	if s.m.a == nil {
		panic("gcm: this Sealer was not made by NewSealer, or has given its tag")
	}
}
