/* SPDX-License-Identifier: ISC */

/* Loops that keep one port busy: AES rounds or carry-less multiplies, in
 * registers of 128, 256 or 512 bits. A turn is STITCHGCM_LIMIT_PER_TURN
 * instructions, no two of which wait for one another within 12. turns >= 1. */

#ifndef STITCHGCM_LIMIT_H
#define STITCHGCM_LIMIT_H

#include <stdint.h>

#define STITCHGCM_LIMIT_PER_TURN 24

void stitchgcm_limit_aes_128(uint64_t turns);
void stitchgcm_limit_clmul_128(uint64_t turns);
void stitchgcm_limit_aes_256(uint64_t turns);
void stitchgcm_limit_clmul_256(uint64_t turns);
void stitchgcm_limit_aes_512(uint64_t turns);
void stitchgcm_limit_clmul_512(uint64_t turns);

#endif
