// SPDX-License-Identifier: ISC

//go:build cgo && (amd64 || arm64)

package cshim

/*
#include "gcm.h"

#cgo noescape stitchgcm_init
#cgo nocallback stitchgcm_init
#cgo noescape stitchgcm_seal
#cgo nocallback stitchgcm_seal
#cgo noescape stitchgcm_open
#cgo nocallback stitchgcm_open
*/
import "C"

import "unsafe"

// Linked says that the kernels are part of the program in this form.
const Linked = true

// Ids of kernels, as gcm.h has them.
const (
	VAESAVX512 = C.STITCHGCM_VAES_AVX512
	EOR3       = C.STITCHGCM_EOR3
	PMULL      = C.STITCHGCM_PMULL
	VAESAVX2   = C.STITCHGCM_VAES_AVX2
	AESNI      = C.STITCHGCM_AESNI
)

// KeyBlockSize is the size of a KeyBlock in bytes.
const KeyBlockSize = C.STITCHGCM_KEY_BLOCK_SIZE

// KeyBlock is all that a kernel keeps of a key: flat, without pointers or
// scratch, on any 8-byte boundary. It may be copied and read by any number of
// threads.
type KeyBlock = [KeyBlockSize]byte

// Init fills block with a key of 16, 24 or 32 bytes for a kernel. The processor
// must be able to run that kernel, and the kernel must be one for this
// architecture.
func Init(kernel int, block *KeyBlock, key []byte) {
	C.stitchgcm_init(C.int(kernel), (*C.uint8_t)(&block[0]), pointer(key), C.uint64_t(len(key)))
}

// Seal encrypts len(in) bytes from in to out and writes len(tag) bytes of tag,
// 4 to 16. Apart from in, which may begin where out begins, nothing may overlap
// out or tag.
func Seal(block *KeyBlock, out, in, aad, nonce, tag []byte) {
	C.stitchgcm_seal((*C.uint8_t)(&block[0]),
		pointer(out), pointer(in), C.uint64_t(len(in)),
		pointer(aad), C.uint64_t(len(aad)),
		pointer(nonce), C.uint64_t(len(nonce)),
		pointer(tag), C.uint64_t(len(tag)))
}

// Open decrypts len(in) bytes from in to out and reports whether the tag, of 4
// to 16 bytes, matched. Where it did not, the bytes of out are zero.
func Open(block *KeyBlock, out, in, aad, nonce, tag []byte) bool {
	return C.stitchgcm_open((*C.uint8_t)(&block[0]),
		pointer(out), pointer(in), C.uint64_t(len(in)),
		pointer(aad), C.uint64_t(len(aad)),
		pointer(nonce), C.uint64_t(len(nonce)),
		pointer(tag), C.uint64_t(len(tag))) != 0
}

// pointer is where s begins. Its type tells cgo that the memory holds no
// pointers, so that cgo checks nothing at each call.
func pointer(s []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(s)) }
