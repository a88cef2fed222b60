// SPDX-License-Identifier: ISC

//go:build !amd64 && !arm64

package direct

// Linked says that no kernel is made for this architecture, so that nothing
// below is ever called.
const Linked = false

// KeyBlockSize is the size of a KeyBlock in bytes.
const KeyBlockSize = 0

const noKernel = "gcm: no kernel is made for this architecture"

// ID panics.
func ID(_ string) byte { panic(noKernel) }

// Init panics.
func Init(_ string, _ *KeyBlock, _ []byte) { panic(noKernel) }

// Seal panics.
func Seal(_ *KeyBlock, _, _, _, _, _ []byte) { panic(noKernel) }

// Turn panics.
func Turn(_ *KeyBlock) int { panic(noKernel) }

// SealTurns panics.
func SealTurns(_ *KeyBlock, _, _, _ []byte) { panic(noKernel) }

// OpenTurns panics.
func OpenTurns(_ *KeyBlock, _, _, _ []byte) { panic(noKernel) }

// Open panics.
func Open(_ *KeyBlock, _, _, _, _, _ []byte) bool { panic(noKernel) }

// Fours panics.
func Fours(_ *KeyBlock) bool { panic(noKernel) }

func sealFours(_ *KeyBlock, _ []byte, _ int) { panic(noKernel) }

func openFours(_ *KeyBlock, _ []byte, _ int) uint64 { panic(noKernel) }
