// SPDX-License-Identifier: ISC

// Package direct holds the kernels in Go's assembly: the same programs as in
// package cshim, called without cgo. A call cannot be preempted, so callers
// keep messages short.
package direct
