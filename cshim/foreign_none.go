// SPDX-License-Identifier: ISC

//go:build !stitchgcm_foreign || !cgo || !linux || (!amd64 && !arm64)

package cshim

// Foreign is empty: no kernel from third_party is linked.
const Foreign = ""
