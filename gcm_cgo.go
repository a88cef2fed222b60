// SPDX-License-Identifier: ISC

//go:build cgo && (amd64 || arm64)

package gcm

import (
	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
)

// The cgo door; see doors.go for what the three do.

func cgoSetup(kernel string, block *direct.KeyBlock, key []byte) {
	cshim.Init(int(direct.ID(kernel)), block, key)
}

func cgoSeal(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) {
	cshim.Seal(block, out, in, aad, nonce, tag)
}

func cgoOpen(block *direct.KeyBlock, out, in, aad, nonce, tag []byte) bool {
	return cshim.Open(block, out, in, aad, nonce, tag)
}
