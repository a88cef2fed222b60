// SPDX-License-Identifier: ISC

//go:build cgo && linux && (amd64 || arm64)

// Dispatch from the kernel and rounds in the key block to the generated kernels.

#pragma GCC visibility push(hidden)

#include "gcm.h"
#include "kernels.h"

// routines are the entries of one kernel for one key size.
struct routines {
	void (*init)(uint8_t *block, const uint8_t *key);
	void (*seal)(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
		const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
		uint8_t *tag, uint64_t tag_len);
	uint64_t (*open)(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
		const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
		const uint8_t *tag, uint64_t tag_len);
};

#define ROUTINES(kernel, bits) \
	{ stitchgcm_##kernel##_init_##bits, stitchgcm_##kernel##_seal_##bits, stitchgcm_##kernel##_open_##bits }
#define KERNEL(kernel) \
	{ {0}, ROUTINES(kernel, 128), ROUTINES(kernel, 192), ROUTINES(kernel, 256) }

// table holds the routines by kernel and by rounds / 2 modulo 4: 1, 2, 3 for 10,
// 12 and 14 rounds. All else is zero.
static const struct routines table[4][4] = {
#if defined(__x86_64__)
	[STITCHGCM_VAES_AVX512] = KERNEL(vaes_avx512),
#elif defined(__aarch64__)
	[STITCHGCM_EOR3] = KERNEL(eor3),
	[STITCHGCM_PMULL] = KERNEL(pmull),
#endif
};

// of returns the routines that a block was set up for. Without any it ends the
// program, since going on would leave plaintext where ciphertext belongs.
static inline const struct routines *of(const uint8_t *block)
{
	const struct routines *r =
		&table[block[STITCHGCM_KERNEL_OFFSET] % 4][block[STITCHGCM_ROUNDS_OFFSET] / 2 % 4];

	if (!r->seal)
		__builtin_trap();
	return r;
}

void stitchgcm_init(int kernel, uint8_t *block, const uint8_t *key, uint64_t key_len)
{
	unsigned rounds = key_len == 16 ? 10 : key_len == 24 ? 12 : key_len == 32 ? 14 : 0;
	int known = kernel >= 0 && kernel < 4 && table[kernel][rounds / 2 % 4].init;

	block[STITCHGCM_KERNEL_OFFSET] = known ? (uint8_t)kernel : STITCHGCM_NONE;
	block[STITCHGCM_ROUNDS_OFFSET] = (uint8_t)rounds;
	if (known)
		table[kernel][rounds / 2 % 4].init(block, key);
}

void stitchgcm_seal(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	uint8_t *tag, uint64_t tag_len)
{
	of(block)->seal(block, out, in, len, aad, aad_len, nonce, nonce_len, tag, tag_len);
}

uint64_t stitchgcm_open(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint64_t nonce_len,
	const uint8_t *tag, uint64_t tag_len)
{
	return of(block)->open(block, out, in, len, aad, aad_len, nonce, nonce_len, tag, tag_len);
}

#pragma GCC visibility pop
