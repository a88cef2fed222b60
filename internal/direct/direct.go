// SPDX-License-Identifier: ISC

//go:build amd64 || arm64

package direct

import "unsafe"

// Linked says that this architecture's kernels are part of the program.
const Linked = true

// KeyBlockSize is the size of a KeyBlock in bytes.
const KeyBlockSize = 1536

// Where the key block names its kernel and its AES rounds, in bytes.
const (
	kernelOffset = 240
	roundsOffset = 241
)

const noKernel = "gcm: key block without a kernel"

// Init sets up a key block for a kernel, which must be one for this architecture,
// with a key of 16, 24 or 32 bytes.
func Init(kernel string, block *KeyBlock, key []byte) {
	var rounds byte
	switch len(key) {
	case 16, 24, 32:
		rounds = byte(6 + len(key)/4)
	}
	block[kernelOffset], block[roundsOffset] = ID(kernel), rounds
	expand(block, key)
}

// at returns the kernel and the rounds of a block.
func at(block *KeyBlock) int { return int(block[kernelOffset])<<8 | int(block[roundsOffset]) }

// start is where s begins.
func start(s []byte) *byte { return unsafe.SliceData(s) }
