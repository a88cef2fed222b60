// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// lacksDIT reports whether the processor must be asked for instructions whose time
// does not depend on data. To ask, and to take it back, costs some hundred
// instructions a call: not where the caller has done so.
func lacksDIT() bool { return dispatch.DITSupported() && !dispatch.DITEnabled() }

// steadily runs f with instructions whose time does not depend on data.
func steadily(f func()) {
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(f)
		return
	}
	f()
}

// doorFor returns the door for a message of n bytes of text, AAD and nonce
// together.
func doorFor(n, nonce int) dispatch.Door {
	return dispatch.DoorFor(n, nonce, cshim.Linked, cshim.Foreign != "")
}

// atOnce reports whether a message of n bytes of text, AAD and nonce together
// takes a call through the direct door and nothing else.
func (a *AEAD) atOnce(n int) bool {
	return a.generic == nil && dispatch.AtOnce(n) && !raceEnabled && !dispatch.DITSupported()
}

// setup fills the key block for a kernel.
func setup(kernel string, block *direct.KeyBlock, key []byte) {
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(func() { setupNow(kernel, block, key) })
		return
	}
	setupNow(kernel, block, key)
}

func setupNow(kernel string, block *direct.KeyBlock, key []byte) {
	if doorFor(0, 0) == dispatch.Cgo {
		cgoSetup(kernel, block, key)
		return
	}
	direct.Init(kernel, block, key)
}

// seal encrypts in to out and writes the tag.
func seal(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) {
	if raceEnabled {
		raceCall([][]byte{in, aad, nonce}, [][]byte{out[:len(in)], tag})
	}
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(func() { sealNow(block, out, in, aad, nonce, tag) })
		return
	}
	sealNow(block, out, in, aad, nonce, tag)
}

func sealNow(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) {
	if doorFor(len(in)+len(aad)+len(nonce), len(nonce)) == dispatch.Cgo {
		cgoSeal(block, out, in, aad, nonce, tag)
		return
	}
	direct.Seal(block, out, in, aad, nonce, tag)
}

// open decrypts in to out and reports whether the tag matched; where it did
// not, it leaves zeros in out.
func open(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) (ok bool) {
	if raceEnabled {
		raceCall([][]byte{in, aad, nonce, tag}, [][]byte{out})
	}
	if dispatch.DIT && lacksDIT() {
		subtle.WithDataIndependentTiming(func() { ok = openNow(block, out, in, aad, nonce, tag) })
		return ok
	}
	return openNow(block, out, in, aad, nonce, tag)
}

func openNow(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) bool {
	if doorFor(len(in)+len(aad)+len(nonce), len(nonce)) == dispatch.Cgo {
		return cgoOpen(block, out, in, aad, nonce, tag)
	}
	return direct.Open(block, out, in, aad, nonce, tag)
}
