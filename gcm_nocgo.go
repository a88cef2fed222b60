// SPDX-License-Identifier: ISC

//go:build !cgo || (!amd64 && !arm64)

package gcm

import "github.com/stitchgcm/gcm/internal/direct"

// There is no cgo door here, so that nothing below is ever called.

const noCgo = "gcm: this program has no cgo door"

func cgoSetup(_ string, _ *direct.KeyBlock, _ []byte) { panic(noCgo) }

func cgoSeal(_ *direct.KeyBlock, _, _, _, _, _ []byte) { panic(noCgo) }

func cgoOpen(_ *direct.KeyBlock, _, _, _, _, _ []byte) bool { panic(noCgo) }
