// SPDX-License-Identifier: ISC

// Package objects holds the tests that take the assemblers out of what has to
// be trusted: every kernel's objects, from each assembler, are disassembled
// and compared with the program in package ir, instruction by instruction.
//
// Jumps must reach the instruction behind the right label, constants must be
// the right bytes, and the objects must be fit for linking: hidden symbols,
// no executable stack, no relocation of code, branch protection declared.
package objects
