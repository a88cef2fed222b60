// SPDX-License-Identifier: ISC

//go:build !amd64

package direct

// Linked says that this architecture's kernels are part of the program.
const Linked = false

// Seal is never called.
func Seal(_ *KeyBlock, _, _, _, _, _ []byte) { panic("gcm: no direct kernels here") }

// Open is never called.
func Open(_ *KeyBlock, _, _, _, _, _ []byte) bool { panic("gcm: no direct kernels here") }
