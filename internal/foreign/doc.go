// SPDX-License-Identifier: ISC

// Package foreign takes kernels out of a source tree that a user has and makes
// files for third_party of them: it resolves the conditions of the C
// preprocessor, extracts functions with what they use, gives symbols a prefix,
// and prints GNU syntax for ELF and for Mach-O. It does not judge what the
// functions compute. third_party/README.md says what a manifest holds and what
// the functions have to be.
package foreign
