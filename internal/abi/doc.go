// SPDX-License-Identifier: ISC

// Package abi holds the test that calls the assembled kernels from C and checks
// what the calling convention promises: registers that a callee preserves,
// rounding modes, the direction flag, the stack pointer, clean upper halves of
// the vector registers where they would slow down what follows, and nothing
// left on the stack but what the caller's registers held.
package abi
