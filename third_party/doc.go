// SPDX-License-Identifier: ISC

// Package third_party links the kernel of others that a user brought here with
// import-asm -manifest, if there is one and the build tag stitchgcm_foreign is set.
package third_party
