// SPDX-License-Identifier: ISC

//go:build cgo && linux && (amd64 || arm64)

package gcm

import (
	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// linked says that the kernels are part of this program.
const linked = true

// keyBlockSize is the size in bytes of the key block.
const keyBlockSize = cshim.KeyBlockSize

// setup fills the key block for a kernel.
func setup(kernel string, block *cshim.KeyBlock, key []byte) {
	switch kernel {
	case dispatch.VAESAVX512:
		cshim.Init(cshim.VAESAVX512, block, key)
	case dispatch.EOR3:
		cshim.Init(cshim.EOR3, block, key)
	case dispatch.PMULL:
		cshim.Init(cshim.PMULL, block, key)
	default:
		panic("gcm: no key setup for kernel " + kernel)
	}
}

// directMax is the most bytes of text, AAD and nonce together that take the
// direct door. It spares them the cost of a cgo call, which is that of sealing
// some 500 bytes, but meanwhile the goroutine cannot be preempted: for a few
// microseconds.
var directMax = 16 << 10

// isDirect reports whether a message takes the direct door.
func isDirect(text, aad, nonce []byte) bool {
	return direct.Linked && len(text)+len(aad)+len(nonce) <= directMax
}

// seal encrypts in to out and writes the tag.
func seal(block *cshim.KeyBlock, out, in, aad, nonce, tag []byte) {
	if isDirect(in, aad, nonce) {
		direct.Seal(block, out, in, aad, nonce, tag)
		return
	}
	cshim.Seal(block, out, in, aad, nonce, tag)
}

// open decrypts in to out and reports whether the tag matched; where it did
// not, it leaves zeros in out.
func open(block *cshim.KeyBlock, out, in, aad, nonce, tag []byte) bool {
	if isDirect(in, aad, nonce) {
		return direct.Open(block, out, in, aad, nonce, tag)
	}
	return cshim.Open(block, out, in, aad, nonce, tag)
}
