// SPDX-License-Identifier: ISC

// Package abi holds the test that calls the assembled kernels from C and checks
// what the calling convention promises: registers that a callee preserves,
// rounding modes, the direction flag, the stack pointer, clean upper halves of
// the vector registers where they would slow down what follows, and nothing
// left on the stack but zeros, lengths and what the caller's registers held.
// Calls go through every alignment of the stack that the convention allows, with
// vector registers empty and full, and must not give other results for it.
package abi
