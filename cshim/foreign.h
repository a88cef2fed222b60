// SPDX-License-Identifier: ISC
//
// What foreign.c has to know of a kernel that import-asm took out of another
// source tree; third_party/README.md tells how.

#ifndef STITCHGCM_FOREIGN_H
#define STITCHGCM_FOREIGN_H

#include <stdint.h>

#include "symbols.h"

// The structure below, as the linker sees it.
#define stitchgcm_foreign STITCHGCM_SYMBOL(foreign)

// A bulk function encrypts or decrypts bits / 8 bytes, a multiple of 16, from in
// to out, which are the same or do not overlap. cb is the first counter block, and
// GHASH goes on from xi, over the ciphertext, and is left there. key is 240 bytes of
// round keys, of which so many are used as the key size has, and the number of
// rounds as uint32_t.
typedef void stitchgcm_foreign_bulk_t(const uint8_t *in, uint64_t bits, uint8_t *out,
	uint8_t xi[16], uint8_t cb[16], const void *key, const uint8_t htable[256]);

// An Htable function makes of H what the bulk functions want.
typedef void stitchgcm_foreign_htable_t(uint8_t htable[256], const void *h);

struct stitchgcm_foreign {
	uint32_t kernels;     // bit k: it runs in place of the kernel with the id k
	uint32_t blocks;      // each call does a multiple of so many, 1 to 64
	uint32_t words;       // H comes as two uint64_t, the first 8 bytes first; otherwise as 16 bytes
	uint32_t rounds_less; // what the number of rounds is too small by
	stitchgcm_foreign_htable_t *htable;
	stitchgcm_foreign_bulk_t *encrypt[3]; // for keys of 128, 192 and 256 bits, or NULL
	stitchgcm_foreign_bulk_t *decrypt[3];
};

extern const struct stitchgcm_foreign stitchgcm_foreign;

#endif
