// SPDX-License-Identifier: ISC

//go:build cgo && (amd64 || arm64)

// Dispatch from the kernel and rounds in the key block to the generated kernels.

#pragma GCC visibility push(hidden)

#include "gcm.h"
#include "kernels.h"

// stitchgcm_foreign_takes tells of each message whether a kernel that a user
// brought does it. There is none but under the build tag that foreign.go names.
#ifdef STITCHGCM_FOREIGN
#include "foreign_frame.h"
#else
#define stitchgcm_foreign_takes(block, len, aad_len, nonce_len) 0
#define stitchgcm_foreign_seal(...) (void)0
#define stitchgcm_foreign_open(...) 0
#endif

typedef STITCHGCM_KERNEL void init_t(uint8_t *block, const uint8_t *key);
typedef STITCHGCM_KERNEL void seal_t(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	uint8_t *tag, uint64_t tag_len);
typedef STITCHGCM_KERNEL uint64_t open_t(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	const uint8_t *tag, uint64_t tag_len);

// AT is the place in a table of a kernel, 0 to 7, with rounds: 8, 16 and 24 beyond
// the kernel for 10, 12 and 14 of them.
#define AT(kernel, rounds) (((kernel) & 7) | ((rounds) << 2 & 24))

// TABLE initializes the table of an operation. What it does not name is zero.
#define EACH(op, id, kernel) \
	[AT(id, 10)] = STITCHGCM_SYMBOL(kernel##_##op##_128), \
	[AT(id, 12)] = STITCHGCM_SYMBOL(kernel##_##op##_192), \
	[AT(id, 14)] = STITCHGCM_SYMBOL(kernel##_##op##_256)
#if defined(__x86_64__)
#define TABLE(op) { EACH(op, STITCHGCM_VAES_AVX512, vaes_avx512), \
	EACH(op, STITCHGCM_VAES_AVX2, vaes_avx2), EACH(op, STITCHGCM_AESNI, aesni) }
#elif defined(__aarch64__)
#define TABLE(op) { EACH(op, STITCHGCM_EOR3, eor3), EACH(op, STITCHGCM_PMULL, pmull) }
#endif

static init_t *const inits[32] = TABLE(init);
static seal_t *const seals[32] = TABLE(seal);
static open_t *const opens[32] = TABLE(open);

// at returns the place in the tables for which a block was set up. The two bytes
// lie side by side, so that compilers load them at once.
static inline unsigned at(const uint8_t *block)
{
	unsigned both = block[STITCHGCM_KERNEL_OFFSET] | block[STITCHGCM_ROUNDS_OFFSET] << 8;

	return AT(both, both >> 8);
}

void stitchgcm_init(int kernel, uint8_t *block, const uint8_t *key, uint64_t key_len)
{
	unsigned rounds = key_len == 16 ? 10 : key_len == 24 ? 12 : key_len == 32 ? 14 : 0;
	init_t *init = kernel > 0 && kernel < 8 ? inits[AT((unsigned)kernel, rounds)] : 0;

	block[STITCHGCM_KERNEL_OFFSET] = init ? (uint8_t)kernel : STITCHGCM_NONE;
	block[STITCHGCM_ROUNDS_OFFSET] = (uint8_t)rounds;
	if (init)
		init(block, key);
}

// Without a kernel the program ends, since going on would leave plaintext where
// ciphertext belongs.

void stitchgcm_seal(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	uint8_t *tag, uint64_t tag_len)
{
	seal_t *seal = seals[at(block)];

	if (!seal)
		__builtin_trap();
	if (stitchgcm_foreign_takes(block, len, aad_len, nonce_len)) {
		stitchgcm_foreign_seal(block, out, in, len, aad, aad_len, nonce, tag, tag_len);
		return;
	}
	seal(block, out, in, len, aad, aad_len, nonce, nonce_len, tag, tag_len);
}

uint64_t stitchgcm_open(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	const uint8_t *tag, uint64_t tag_len)
{
	open_t *open = opens[at(block)];

	if (!open)
		__builtin_trap();
	if (stitchgcm_foreign_takes(block, len, aad_len, nonce_len))
		return stitchgcm_foreign_open(block, out, in, len, aad, aad_len, nonce, tag, tag_len);
	return open(block, out, in, len, aad, aad_len, nonce, nonce_len, tag, tag_len);
}

#pragma GCC visibility pop
