// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"crypto/rand"
)

// randomNonce is what NewWithRandomNonce returns.
type randomNonce struct{ a *AEAD }

// NewWithRandomNonce returns AES-GCM under a key of 16, 24 or 32 bytes that
// chooses its nonces. Seal puts a random nonce of 12 bytes in front of the
// ciphertext and Open takes it from there, so that NonceSize is 0, the nonce
// given is to be empty, and Overhead is 28 bytes. Messages are those of
// [cipher.NewGCMWithRandomNonce].
//
// A key must not seal more than 2³² messages, or the chance that two of them
// have the same nonce is no longer negligible. [NewXAES] has no such limit.
//
// Seal and Open have the contract of [AEAD.Seal] and [AEAD.Open], plaintext[:0]
// and ciphertext[:0] as dst included; then they move the text by 12 bytes
// first.
func NewWithRandomNonce(key []byte) (cipher.AEAD, error) {
	a, err := New(key)
	if err != nil {
		return nil, err
	}
	return &randomNonce{a}, nil
}

func (r *randomNonce) NonceSize() int { return 0 }

func (r *randomNonce) Overhead() int { return defaultNonceSize + defaultTagSize }

func (r *randomNonce) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	refuseAnyNonce(nonce)
	checkTextSize(uint64(len(plaintext)))
	ret, out := extend(dst, len(plaintext)+r.Overhead())
	refuseInput(out, plaintext)
	refuseAAD(out, additionalData)
	nonce, out = out[:defaultNonceSize], out[defaultNonceSize:]
	if overlap(ret, plaintext) {
		plaintext = move(out, plaintext)
	}
	rand.Read(nonce)
	if g := r.a.generic; g != nil {
		g.seal(out, nonce, plaintext, additionalData)
	} else {
		n := len(plaintext)
		r.a.sealKernel(out[:n], plaintext, additionalData, nonce, out[n:])
	}
	return ret
}

func (r *randomNonce) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	refuseAnyNonce(nonce)
	n := len(ciphertext) - r.Overhead()
	if n < 0 || uint64(n) > maxTextSize {
		return nil, errOpen
	}
	ret, out := extend(dst, n)
	refuseInput(out, ciphertext)
	refuseAAD(out, additionalData)
	nonce, text := ciphertext[:defaultNonceSize], ciphertext[defaultNonceSize:]
	inPlace := overlap(out, ciphertext)
	var ok bool
	switch g := r.a.generic; {
	case g == nil:
		start := [defaultNonceSize]byte(nonce) // moving the text may overwrite the nonce
		body, tag := text[:n], text[n:]
		if inPlace {
			body = move(out, body)
		}
		ok = r.a.openKernel(out, body, additionalData, start[:], tag)
	case inPlace:
		ok = g.openDetached(out, text[n:], nonce, text[:n], additionalData)
	default:
		ok = g.open(out, nonce, text, additionalData)
	}
	if !ok {
		return nil, errOpen
	}
	return ret, nil
}

// refuseAnyNonce panics as crypto/cipher does for a nonce where none belongs.
func refuseAnyNonce(nonce []byte) {
	if len(nonce) > 0 {
		panic("crypto/cipher: non-empty nonce passed to GCMWithRandomNonce")
	}
}
