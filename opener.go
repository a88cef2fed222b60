// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"
	"errors"
)

// errTooLong is the error for a ciphertext that no Seal can have made.
var errTooLong = errors.New("gcm: message too large: want at most 2³⁶ - 32 bytes")

// Opener opens one message whose ciphertext comes in pieces. Make it with
// [AEAD.NewOpener], write each piece, of any size, and call Open at the end,
// with the tag. It hands out no plaintext before the tag has been checked, so it
// has to hold the whole message: bound what you write to it where the sender is
// not trusted. For what does not fit into memory there are many small messages,
// as package stream makes them, or [UnverifiedOpener]. One goroutine at a time
// may use an Opener.
type Opener struct {
	a          *AEAD
	nonce, aad []byte
	text       []byte // the ciphertext so far
}

// NewOpener begins a message. The nonce must have NonceSize() bytes; NewOpener
// panics when it has not. It keeps neither nonce nor additionalData.
func (a *AEAD) NewOpener(nonce, additionalData []byte) *Opener {
	a.checkNonce(nonce)
	kept := append(append(make([]byte, 0, len(nonce)+len(additionalData)), nonce...), additionalData...)
	return &Opener{a: a, nonce: kept[:len(nonce)], aad: kept[len(nonce):]}
}

// Write takes the next piece of the ciphertext and keeps a copy. It is an
// io.Writer, which fails only for a message that is longer than GCM allows. It
// panics after Open.
func (o *Opener) Write(ciphertext []byte) (int, error) {
	o.mustBeOpen()
	if uint64(len(ciphertext)) > maxTextSize-uint64(len(o.text)) {
		return 0, errTooLong
	}
	o.text = append(o.text, ciphertext...)
	return len(ciphertext), nil
}

// Open ends the message. It verifies ciphertext and additional data with the
// tag, appends the plaintext to dst and returns the longer slice. When
// verification fails, it returns nil and an error, as [AEAD.OpenDetached] does.
// The Opener is of no further use.
func (o *Opener) Open(dst, tag []byte) ([]byte, error) {
	o.mustBeOpen()
	ended := *o
	*o = Opener{}
	return ended.a.OpenDetached(dst, tag, ended.nonce, ended.text, ended.aad)
}

// mustBeOpen panics when the message has ended.
func (o *Opener) mustBeOpen() {
	if o.a == nil {
		panic("gcm: this Opener was not made by NewOpener, or has opened its message")
	}
}

// UnverifiedOpener decrypts one message whose ciphertext comes in pieces, and
// hands out plaintext that nobody has verified: whoever changed the ciphertext
// has turned the same bits of it. Keep it apart, act on none of it, and destroy
// it unless Verify returns nil. Where memory allows, use an [Opener]. One
// goroutine at a time may use an UnverifiedOpener.
type UnverifiedOpener struct{ m message }

// NewUnverifiedOpener begins a message. The nonce must have NonceSize() bytes;
// NewUnverifiedOpener panics when it has not. It keeps neither nonce nor
// additionalData. An UnverifiedOpener takes as much memory as a [Sealer].
func (a *AEAD) NewUnverifiedOpener(nonce, additionalData []byte) *UnverifiedOpener {
	o := new(UnverifiedOpener)
	o.m.begin(a, nonce, additionalData)
	return o
}

// OpenUnverified decrypts the next piece of the ciphertext, appends the
// plaintext, which is as long, to dst and returns the longer slice. It allocates
// as [Sealer.Seal] does. It fails only for a message that is longer than GCM
// allows.
//
// To decrypt in place, pass ciphertext[:0] as dst. Otherwise the bytes appended
// must not overlap ciphertext. OpenUnverified panics when they do, and after
// Verify.
func (o *UnverifiedOpener) OpenUnverified(dst, ciphertext []byte) ([]byte, error) {
	o.mustBeOpen()
	if !o.m.room(len(ciphertext)) {
		return nil, errTooLong
	}
	ret, out := extend(dst, len(ciphertext))
	refuseOverlap(out, ciphertext, nil)
	o.m.open(out, ciphertext)
	return ret, nil
}

// Verify ends the message. It returns nil if tag is that of the whole message,
// and otherwise an error: then all the plaintext is to be destroyed. The
// UnverifiedOpener is of no further use.
func (o *UnverifiedOpener) Verify(tag []byte) error {
	o.mustBeOpen()
	if raceEnabled {
		raceCall([][]byte{tag}, nil)
	}
	size := o.m.a.tagSize
	want := o.m.tag()
	if subtle.ConstantTimeCompare(want[:size], tag) != 1 {
		return errOpen
	}
	return nil
}

// mustBeOpen panics when the message has ended.
func (o *UnverifiedOpener) mustBeOpen() {
	if o.m.a == nil {
		panic("gcm: this UnverifiedOpener was not made by NewUnverifiedOpener, or has verified its message")
	}
}
