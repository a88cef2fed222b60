// SPDX-License-Identifier: ISC

// Seals and opens one message of each of the SIZES, with a mark behind each call.

#include "gcm.h"

static uint8_t block[STITCHGCM_KEY_BLOCK_SIZE] __attribute__((aligned(64)));
static uint8_t key[32], nonce[12], aad[13], text[1 << 16], tag[16];

__attribute__((noipa)) void next_call(void) { }

int main(void)
{
	static const uint64_t sizes[] = { SIZES };
	uint64_t right = 1;

	stitchgcm_init(KERNEL_ID, block, key, BITS / 8);
	for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		stitchgcm_seal(block, text, text, sizes[i], aad, sizeof aad, nonce, sizeof nonce, tag, sizeof tag);
		next_call();
		right &= stitchgcm_open(block, text, text, sizes[i], aad, sizeof aad, nonce, sizeof nonce, tag, sizeof tag);
		next_call();
	}
	return !right;
}
