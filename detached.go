// SPDX-License-Identifier: ISC

package gcm

import "github.com/stitchgcm/gcm/internal/dispatch"

// SealDetached is [AEAD.Seal] with the tag apart: it appends the ciphertext,
// which is as long as plaintext, to dst, returns the longer slice, and writes
// the tag to tag, which must have Overhead() bytes. It allocates as Seal does.
//
// The bytes appended may overlap plaintext only from its first byte on. tag may
// overlap none of them, nor plaintext or additionalData. SealDetached panics
// when it is told otherwise, and where Seal does.
func (a *AEAD) SealDetached(dst, tag, nonce, plaintext, additionalData []byte) []byte {
	a.checkNonce(nonce)
	checkTextSize(uint64(len(plaintext)))
	if len(tag) != a.tagSize {
		panic("gcm: incorrect tag length given to SealDetached")
	}
	ret, out := extend(dst, len(plaintext))
	refuseOverlap(out, plaintext, additionalData)
	if overlap(tag, out) {
		panic("gcm: invalid buffer overlap of ciphertext and tag")
	}
	refuseAnyOverlap(tag, plaintext, additionalData)
	a.sealDetached(out, tag, nonce, plaintext, additionalData)
	return ret
}

// OpenDetached is [AEAD.Open] with the tag apart: it verifies ciphertext and
// additionalData with tag, appends the plaintext to dst and returns the longer
// slice. A tag of another size than Overhead() is a wrong one. It allocates as
// Seal does.
//
// When verification fails, OpenDetached returns nil and an error, and the bytes
// of dst that the plaintext would have taken are zero; no other byte is touched.
// They may overlap ciphertext only from its first byte on, and neither tag nor
// additionalData: OpenDetached panics on that, and on a nonce of another size
// than NonceSize().
func (a *AEAD) OpenDetached(dst, tag, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	a.checkNonce(nonce)
	if len(tag) != a.tagSize || uint64(len(ciphertext)) > maxTextSize {
		return nil, errOpen
	}
	ret, out := extend(dst, len(ciphertext))
	refuseOverlap(out, ciphertext, additionalData)
	refuseAnyOverlap(out, tag, nil)
	if !a.openDetached(out, tag, nonce, ciphertext, additionalData) {
		return nil, errOpen
	}
	return ret, nil
}

// sealDetached encrypts in to out, which is as long, and writes the tag. All has
// been checked.
func (a *AEAD) sealDetached(out, tag, nonce, in, aad []byte) {
	if a.generic != nil {
		a.generic.sealDetached(out, tag, nonce, in, aad)
		return
	}
	a.sealKernel(out, tag, nonce, in, aad)
}

// openDetached decrypts in to out, which is as long, and reports whether the tag
// matched; where it did not, it leaves zeros in out. All has been checked.
func (a *AEAD) openDetached(out, tag, nonce, in, aad []byte) bool {
	if a.generic != nil {
		return a.generic.openDetached(out, tag, nonce, in, aad)
	}
	return a.openKernel(out, tag, nonce, in, aad)
}

// sealKernel is sealDetached where a kernel holds the key.
func (a *AEAD) sealKernel(out, tag, nonce, in, aad []byte) {
	if doorFor(len(in)+len(aad)+len(nonce), len(nonce)) == dispatch.Pieces {
		a.sealPieces(out, tag, nonce, aad, in)
		return
	}
	seal(&a.block, out, in, aad, nonce, tag)
}

// openKernel is openDetached, likewise.
func (a *AEAD) openKernel(out, tag, nonce, in, aad []byte) bool {
	if doorFor(len(in)+len(aad)+len(nonce), len(nonce)) == dispatch.Pieces {
		return a.openPieces(out, tag, nonce, aad, in)
	}
	return open(&a.block, out, in, aad, nonce, tag)
}
