// SPDX-License-Identifier: ISC

package gcm

import (
	"math"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// SealGather seals the concatenation of the slices of plaintext: it is
// [AEAD.Seal] for a text that lies in several places. It allocates as Seal does.
//
// The bytes appended to dst may overlap a slice only where its ciphertext goes,
// from the first byte on: a text that lies there already, with its header
// elsewhere, is encrypted in place. They must not overlap anything else.
// SealGather panics when it is told otherwise, and where Seal does.
func (a *AEAD) SealGather(dst, nonce []byte, plaintext [][]byte, additionalData []byte) []byte {
	a.checkNonce(nonce)
	n := total(plaintext)
	checkTextSize(n)
	ret, out := extend(dst, int(n)+a.tagSize)
	refuseGatherOverlap(out, nonce, plaintext, additionalData)
	if a.inPieces(int(n) + len(additionalData)) {
		a.sealPieces(out[:n], out[n:], nonce, additionalData, plaintext...)
		return ret
	}
	text := out[:n]
	gather(text, plaintext, 0)
	if g := a.generic; g != nil {
		g.seal(out, nonce, text, additionalData)
	} else {
		a.sealKernel(text, text, additionalData, nonce, out[n:])
	}
	return ret
}

// OpenGather opens the concatenation of the slices of sealed, which ends with
// its tag: it is [AEAD.Open] for a message that lies in several places, cut
// anywhere. It allocates as Seal does.
//
// When verification fails, OpenGather returns nil and an error, and the bytes of
// dst that the plaintext would have taken are zero; no other byte is touched.
// They may overlap a slice only where its plaintext goes, from the first byte
// on, and must not overlap anything else: OpenGather panics on that, and on a
// nonce of another size than NonceSize().
func (a *AEAD) OpenGather(dst, nonce []byte, sealed [][]byte, additionalData []byte) ([]byte, error) {
	a.checkNonce(nonce)
	n := total(sealed) - uint64(a.tagSize) // past every limit where there is no whole tag
	if n > maxTextSize {
		return nil, errOpen
	}
	ret, out := extend(dst, int(n))
	refuseGatherOverlap(out, nonce, sealed, additionalData)
	var whole [defaultTagSize]byte
	tag := whole[:a.tagSize]
	// A tag in one piece need not be copied; out ends before it, or lies elsewhere.
	if last := sealed[len(sealed)-1]; len(last) >= len(tag) {
		tag = last[len(last)-len(tag):]
	} else {
		gather(tag, sealed, int(n))
	}
	var ok bool
	switch g := a.generic; {
	case a.inPieces(int(n) + len(additionalData)):
		ok = a.openPieces(out, tag, nonce, additionalData, sealed...)
	case g == nil:
		gather(out, sealed, 0)
		ok = a.openKernel(out, out, additionalData, nonce, tag)
	default:
		gather(out, sealed, 0)
		ok = g.openDetached(out, tag, nonce, out, additionalData)
	}
	if !ok {
		return nil, errOpen
	}
	return ret, nil
}

// inPieces reports whether a message of n bytes of text and AAD goes through its
// door in pieces, so that it need not be gathered.
func (a *AEAD) inPieces(n int) bool {
	return a.generic == nil && doorFor(n+a.nonceSize, a.nonceSize) == dispatch.Pieces
}

// total is how many bytes the slices hold together, or the most that a number
// can say when no message is that long.
func total(slices [][]byte) (n uint64) {
	const most = min(maxTextSize, math.MaxInt-defaultTagSize) + defaultTagSize
	for _, s := range slices {
		if n += uint64(len(s)); n > most {
			return math.MaxUint64
		}
	}
	return n
}

// gather fills dst with the concatenation of the slices from one of its bytes on.
func gather(dst []byte, slices [][]byte, from int) {
	for _, s := range slices {
		skipped := min(from, len(s))
		from -= skipped
		dst = dst[copy(dst, s[skipped:]):]
	}
}

// refuseGatherOverlap panics as crypto/cipher does, where the place of a slice in
// the output is what follows the slices before it. The nonce must lie elsewhere
// too: gathering would write over it before a kernel reads it.
func refuseGatherOverlap(out, nonce []byte, slices [][]byte, aad []byte) {
	at := 0
	for _, s := range slices {
		if overlap(out, s) && (at >= len(out) || &out[at] != &s[0]) {
			panic(overlapInput)
		}
		at += len(s)
	}
	refuseAAD(out, aad)
	if overlap(out, nonce) {
		panic("gcm: invalid buffer overlap of output and nonce")
	}
}
