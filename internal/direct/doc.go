// SPDX-License-Identifier: ISC

// Package direct holds the kernels in Go's assembly: the same programs as in
// package cshim, called without cgo. A call cannot be preempted, so callers keep
// texts short, and do long messages in turns.
package direct

// KeyBlock is all that a kernel keeps of a key: flat, without pointers or
// scratch, on any 8-byte boundary. It may be copied and read by any number of
// threads.
type KeyBlock = [KeyBlockSize]byte
