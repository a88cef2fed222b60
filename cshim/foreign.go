// SPDX-License-Identifier: ISC

//go:build stitchgcm_foreign && cgo && linux && (amd64 || arm64)

package cshim

// #cgo CFLAGS: -DSTITCHGCM_FOREIGN
import "C"

import "github.com/stitchgcm/gcm/third_party"

// Foreign is the name of the kernel from third_party that takes the place of ours
// where it fits. If it is not defined, import-asm -manifest has to bring one in
// first.
const Foreign = third_party.Kernel
