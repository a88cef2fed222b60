// SPDX-License-Identifier: ISC
//
// AES-GCM (NIST SP 800-38D), one call per message.
//
// To use it from C: compile shim.c and the .S files of your architecture into
// your program, with gcc or clang and no particular flags, for a system whose
// objects are ELF, Mach-O or PE/COFF. For example, on amd64:
//
//	uint8_t block[STITCHGCM_KEY_BLOCK_SIZE] __attribute__((aligned(64)));
//	stitchgcm_init(STITCHGCM_VAES_AVX512, block, key, 32);
//	stitchgcm_seal(block, out, in, len, aad, aad_len, nonce, 12, tag, 16);
//	if (!stitchgcm_open(block, in, out, len, aad, aad_len, nonce, 12, tag, 16))
//		return FORGED;
//
// All lengths are in bytes. A pointer may be NULL where its length is 0. No byte
// outside the ranges given is read or written. The functions keep no state but
// the key block, and only stitchgcm_init writes there: any number of threads may
// use one block. Nothing checks the processor or the arguments, except as said
// here.

#ifndef STITCHGCM_GCM_H
#define STITCHGCM_GCM_H

#include <stdint.h>

#include "symbols.h"

// The functions below, as the linker sees them.
#define stitchgcm_init STITCHGCM_SYMBOL(init)
#define stitchgcm_seal STITCHGCM_SYMBOL(seal)
#define stitchgcm_open STITCHGCM_SYMBOL(open)

#ifdef __cplusplus
extern "C" {
#endif

// Kernels. The caller answers for the processor being able to run them.
enum {
	STITCHGCM_NONE = 0,
	STITCHGCM_VAES_AVX512 = 1, // amd64: AES, VAES, (V)PCLMULQDQ, AVX2, AVX-512 F, BW, DQ, VL, BMI1, BMI2
	STITCHGCM_EOR3 = 2,        // arm64: AES, PMULL, SHA3
	STITCHGCM_PMULL = 3,       // arm64: AES, PMULL
	STITCHGCM_VAES_AVX2 = 4,   // amd64: AES, VAES, (V)PCLMULQDQ, AVX2
	STITCHGCM_AESNI = 5,       // amd64: AES, PCLMULQDQ, AVX
};

// The key block: round keys and powers of H in the form that the kernel wants.
// It lies on any 8-byte boundary, best on a multiple of 64 bytes, and may be
// copied. Clear it when the key is done with.
#define STITCHGCM_KEY_BLOCK_SIZE 1536 // bytes
#define STITCHGCM_KERNEL_OFFSET 240   // one byte: the kernel
#define STITCHGCM_ROUNDS_OFFSET 241   // one byte: AES rounds, 10, 12 or 14

// stitchgcm_init sets up a key block for a kernel. key_len is 16, 24 or 32. With
// another length, or a kernel that this architecture has not, the block is left
// without a kernel, and sealing or opening with it ends the program.
void stitchgcm_init(int kernel, uint8_t *block, const uint8_t *key, uint64_t key_len);

// stitchgcm_seal encrypts len bytes, at most 2^36 - 32, from in to out, and
// writes a tag of tag_len bytes, 4 to 16, over the ciphertext and aad. nonce_len
// is 1 or more, best 12. in and out are the same or do not overlap; tag and aad
// overlap neither out nor each other.
void stitchgcm_seal(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	uint8_t *tag, uint64_t tag_len);

// stitchgcm_open decrypts len bytes from in to out and returns 1 when the tag
// matched. Otherwise it returns 0 and out holds len zeros. Tags are compared in
// constant time. Sizes and overlap as for stitchgcm_seal.
uint64_t stitchgcm_open(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	const uint8_t *tag, uint64_t tag_len);

#ifdef __cplusplus
}
#endif

#endif
