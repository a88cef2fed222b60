// SPDX-License-Identifier: ISC

//go:build !cgo || (!amd64 && !arm64)

package cshim

// Linked says that the kernels are not part of the program in this form.
const Linked = false
