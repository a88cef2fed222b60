// SPDX-License-Identifier: ISC

//go:build !cgo || !linux || (!amd64 && !arm64)

package gcm

// directMax stands for the variable of programs that have kernels.
var directMax int
