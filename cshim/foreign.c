// SPDX-License-Identifier: ISC

//go:build stitchgcm_foreign && cgo && linux && (amd64 || arm64)

// Messages whose text a foreign kernel seals and opens. Its bulk function does
// whole blocks and nothing else, so this adds the rest:
//
// - AAD. Its blocks are put behind zeros, for a multiple of what a call does, and
//   decrypted for the sake of their hash: Xi is 0 before, and zeros leave it so.
// - The last bytes of the text. They are encrypted with zeros behind.
// - Their hash and the tag. Our kernel seals nothing, with those bytes as AAD and Xi
//   added to the first block: (Xi + L)·H + EK0, with L its own block of lengths. The
//   true one is added to it, times H.
//
// Messages for which this would not do, or not be fast, are our kernel's.

#pragma GCC visibility push(hidden)

#include <string.h>

#include "foreign.h"
#include "foreign_frame.h"
#include "gcm.h"

// It is defined in another package, which cgo does not see while it builds this one.
extern const struct stitchgcm_foreign stitchgcm_foreign __attribute__((weak));

#define AAD_MAX 256   // bytes
#define CALL_MAX 1024 // bytes: 64 blocks

// A state is all that a message needs, and is cleared behind it.
struct state {
	const struct stitchgcm_foreign *kernel;
	stitchgcm_foreign_bulk_t *encrypt, *decrypt;
	uint64_t call; // bytes that a call does a multiple of
	union {
		uint8_t bytes[256];
		uint32_t words[64];
	} key __attribute__((aligned(16)));
	uint8_t htable[256] __attribute__((aligned(16)));
	uint8_t nonce[12], h[16], xi[16], cb[16]; // the nonce may lie in out
	uint8_t some[AAD_MAX + CALL_MAX] __attribute__((aligned(16)));
	uint8_t tail[CALL_MAX] __attribute__((aligned(16)));
};

static uint64_t load(const uint8_t *p)
{
	uint64_t x = 0;

	for (int i = 0; i < 8; i++)
		x = x << 8 | p[i];
	return x;
}

static void store(uint8_t *p, uint64_t x)
{
	for (int i = 7; i >= 0; i--, x >>= 8)
		p[i] = (uint8_t)x;
}

// add_product adds x · y to z, bit by bit, in constant time.
static void add_product(uint8_t z[16], const uint8_t x[16], const uint8_t y[16])
{
	uint64_t x1 = load(x), x0 = load(x + 8), y1 = load(y), y0 = load(y + 8), z1 = load(z), z0 = load(z + 8);

	for (int i = 0; i < 128; i++) {
		uint64_t take = -(x1 >> 63), carry = -(y0 & 1);

		z1 ^= y1 & take;
		z0 ^= y0 & take;
		x1 = x1 << 1 | x0 >> 63;
		x0 <<= 1;
		y0 = y0 >> 1 | y1 << 63;
		y1 = y1 >> 1 ^ ((uint64_t)0xe1 << 56 & carry);
	}
	store(z, z1);
	store(z + 8, z0);
}

// count sets the last 32 bits of the counter block.
static void count(struct state *s, uint32_t n)
{
	for (int i = 15; i >= 12; i--, n >>= 8)
		s->cb[i] = (uint8_t)n;
}

// key_size is 0, 1 or 2 for 128, 192 or 256 bits.
static unsigned key_size(const uint8_t *block) { return (block[STITCHGCM_ROUNDS_OFFSET] - 10u) / 2; }

int stitchgcm_foreign_takes(const uint8_t *block, uint64_t len, uint64_t aad_len, uint64_t nonce_len)
{
	const struct stitchgcm_foreign *k = &stitchgcm_foreign;

	return k->kernels >> block[STITCHGCM_KERNEL_OFFSET] & 1 && k->encrypt[key_size(block)] != 0 &&
		len >= 16 * (uint64_t)k->blocks && aad_len <= AAD_MAX && nonce_len == 12;
}

// begin sets up a state, and hashes AAD.
static void begin(struct state *s, const uint8_t *block, const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce)
{
	const struct stitchgcm_foreign *k = &stitchgcm_foreign;
	uint64_t padded = (aad_len + 15) & ~(uint64_t)15, front;
	uint64_t words[2];

	memset(s, 0, sizeof *s);
	s->kernel = k;
	s->encrypt = k->encrypt[key_size(block)];
	s->decrypt = k->decrypt[key_size(block)];
	s->call = 16 * (uint64_t)k->blocks;
	memcpy(s->key.bytes, block, 240);
	s->key.words[60] = block[STITCHGCM_ROUNDS_OFFSET] - k->rounds_less;

	// H is what counter mode makes of zeros; what it makes of xi means nothing.
	s->encrypt(s->some, 8 * s->call, s->some, s->xi, s->cb, &s->key, s->htable);
	memcpy(s->h, s->some, 16);
	words[0] = load(s->h);
	words[1] = load(s->h + 8);
	k->htable(s->htable, k->words ? (const void *)words : (const void *)s->h);
	words[0] = words[1] = 0;
	__asm__ volatile("" : : "r"(words) : "memory");

	memset(s->xi, 0, 16);
	if (aad_len > 0) {
		front = (s->call - padded % s->call) % s->call;
		memset(s->some, 0, sizeof s->some);
		memcpy(s->some + front, aad, aad_len);
		s->decrypt(s->some, 8 * (front + padded), s->some, s->xi, s->cb, &s->key, s->htable);
	}
	memcpy(s->nonce, nonce, 12);
	memcpy(s->cb, nonce, 12);
	count(s, 2);
}

// cipher_tail encrypts or decrypts what a multiple of a call left, n bytes, and
// puts the ciphertext into tail, with zeros behind.
static void cipher_tail(struct state *s, uint8_t *out, const uint8_t *in, uint64_t n, uint64_t before, int seal)
{
	uint8_t unused[16] = {0};

	memset(s->some, 0, s->call);
	if (n == 0)
		return;
	memcpy(s->some, in, n);
	if (!seal)
		memcpy(s->tail, in, n);
	count(s, (uint32_t)(before / 16 + 2));
	s->encrypt(s->some, 8 * s->call, s->some, unused, s->cb, &s->key, s->htable);
	memcpy(out, s->some, n);
	if (seal)
		memcpy(s->tail, s->some, n);
}

// finish computes the tag of a text whose last n bytes are in tail.
static void finish(struct state *s, const uint8_t *block, uint64_t n, uint64_t len,
	uint64_t aad_len, uint8_t tag[16])
{
	uint64_t padded = (n + 15) & ~(uint64_t)15;
	uint8_t lengths[16];

	store(lengths, 8 * aad_len ^ 8 * padded);
	store(lengths + 8, 8 * len);
	for (int i = 0; i < 16; i++)
		*(padded ? &s->tail[i] : &lengths[i]) ^= s->xi[i];
	stitchgcm_seal(block, 0, 0, 0, s->tail, padded, s->nonce, 12, tag, 16);
	add_product(tag, lengths, s->h);
}

// end clears the state.
static void end(struct state *s)
{
	memset(s, 0, sizeof *s);
	__asm__ volatile("" : : "r"(s) : "memory");
}

void stitchgcm_foreign_seal(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, uint8_t *tag, uint64_t tag_len)
{
	struct state s;
	uint64_t n, bulk;
	uint8_t whole[16];

	begin(&s, block, aad, aad_len, nonce);
	n = len % s.call;
	bulk = len - n;
	s.encrypt(in, 8 * bulk, out, s.xi, s.cb, &s.key, s.htable);
	cipher_tail(&s, out + bulk, in + bulk, n, bulk, 1);
	finish(&s, block, n, len, aad_len, whole);
	memcpy(tag, whole, tag_len);
	end(&s);
}

uint64_t stitchgcm_foreign_open(const uint8_t *block, uint8_t *out, const uint8_t *in, uint64_t len,
	const uint8_t *aad, uint64_t aad_len, const uint8_t *nonce, const uint8_t *tag, uint64_t tag_len)
{
	struct state s;
	uint64_t n, bulk;
	uint8_t whole[16], difference = 0;

	begin(&s, block, aad, aad_len, nonce);
	n = len % s.call;
	bulk = len - n;
	s.decrypt(in, 8 * bulk, out, s.xi, s.cb, &s.key, s.htable);
	cipher_tail(&s, out + bulk, in + bulk, n, bulk, 0);
	finish(&s, block, n, len, aad_len, whole);
	for (uint64_t i = 0; i < tag_len; i++)
		difference |= whole[i] ^ tag[i];
	memset(whole, 0, 16);
	__asm__ volatile("" : : "r"(whole) : "memory");
	end(&s);
	if (difference)
		memset(out, 0, len);
	return !difference;
}

#pragma GCC visibility pop
