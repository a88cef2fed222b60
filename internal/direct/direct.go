// SPDX-License-Identifier: ISC

package direct

import "unsafe"

// Where the key block names its kernel and its AES rounds, in bytes.
const (
	kernelOffset = 240
	roundsOffset = 241
)

// Ids of kernels, as cshim/gcm.h has them.
const vaesAvx512 = 1

// KeyBlock is the key block that package cshim sets up.
type KeyBlock = [1536]byte

// start is where s begins.
func start(s []byte) *byte { return unsafe.SliceData(s) }
