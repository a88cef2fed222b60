// SPDX-License-Identifier: ISC
//
// What shim.c calls of foreign.c.

#ifndef STITCHGCM_FOREIGN_FRAME_H
#define STITCHGCM_FOREIGN_FRAME_H

#include <stdint.h>

#include "symbols.h"

// The functions below, as the linker sees them.
#define stitchgcm_foreign_takes STITCHGCM_SYMBOL(foreign_takes)
#define stitchgcm_foreign_seal STITCHGCM_SYMBOL(foreign_seal)
#define stitchgcm_foreign_open STITCHGCM_SYMBOL(foreign_open)

// stitchgcm_foreign_takes returns 1 if the foreign kernel is to do a message in
// place of the kernel of the block.
int stitchgcm_foreign_takes(const uint8_t *block, uint64_t len, uint64_t aad_len, uint64_t nonce_len);

// These two seal and open such a message, whose nonce has 12 bytes, as
// stitchgcm_seal and stitchgcm_open do.
void stitchgcm_foreign_seal(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint8_t *tag, uint64_t tag_len);
uint64_t stitchgcm_foreign_open(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, const uint8_t *tag, uint64_t tag_len);

#endif
