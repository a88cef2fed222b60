// SPDX-License-Identifier: ISC

// Calls the shim by the calling convention of Windows for amd64, for which it is
// compiled, and checks that it keeps what that promises and passes its arguments
// on to the kernel in their order: the results are those of the kernel called by
// its own convention. With an argument it calls functions that break one promise
// each, all of which must be noticed.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcm.h"
#include "kernels.h"

STITCHGCM_KERNEL uint64_t windows_call(void *f, const uint64_t args[10], const uint64_t before[28], uint64_t after[32]);
extern void *windows_plants[];

// The kernel is NAME in symbols and ID in the shim's calls.
#define SYMBOL(name, op) STITCHGCM_SYMBOL(name##_##op##_256)
#define EXPANDED(name, op) SYMBOL(name, op)
#define K(op) EXPANDED(NAME, op)

enum { SAVED = 28, STATE = 32 };

// call calls f and returns the number of broken promises, which it prints behind
// what unless that is NULL.
static int call(const char *what, void *f, const uint64_t args[10], uint64_t *result)
{
	static const uint64_t others[STATE - SAVED] = { 0, 0x5c5c5c5c5c5c5c5c, 0x5c5c5c5c5c5c5c5c, 0 };
	uint64_t want[STATE], after[STATE];
	int faults = 0;

	for (int i = 0; i < SAVED; i++)
		want[i] = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ 0x8000000000000001;
	memcpy(want + SAVED, others, sizeof others);
	*result = windows_call(f, args, want, after);
	for (int i = 0; i < STATE; i++)
		if (after[i] != want[i]) {
			faults++;
			if (what)
				printf("%s: word %d is %#llx, want %#llx\n", what, i,
					(unsigned long long)after[i], (unsigned long long)want[i]);
		}
	return faults;
}

static uint8_t text[4096], out[4096], sealed[4096], aad[100], nonce[12], key[32], tag[16], want[16];
static _Alignas(8) uint8_t block[STITCHGCM_KEY_BLOCK_SIZE], other[STITCHGCM_KEY_BLOCK_SIZE];

#define U(p) (uint64_t)(uintptr_t)(p)

// message seals and opens through the shim, and wants what the kernel gives.
static int message(uint64_t len)
{
	uint64_t aad_len = len % sizeof aad, tag_len = 4 + len % 13, result;
	uint64_t args[10] = { U(block), U(out), U(text), len, U(aad), aad_len, U(nonce), sizeof nonce, U(tag), tag_len };
	int faults = call("seal", (void *)stitchgcm_seal, args, &result);

	K(seal)(block, sealed, text, len, aad, aad_len, nonce, sizeof nonce, want, tag_len);
	if (memcmp(out, sealed, len) || memcmp(tag, want, tag_len))
		faults++, printf("seal of %d bytes differs\n", (int)len);
	args[2] = U(sealed);
	for (int right = 1; right >= 0; right--) {
		tag[0] ^= !right;
		faults += call("open", (void *)stitchgcm_open, args, &result);
		if (result != (uint64_t)right)
			faults++, printf("open of %d bytes returns %d, want %d\n", (int)len, (int)result, right);
		if (right && memcmp(out, text, len))
			faults++, printf("open of %d bytes differs\n", (int)len);
	}
	return faults;
}

int main(int argc, char **argv)
{
	uint64_t args[10] = { ID, U(block), U(key), sizeof key }, result;
	int faults;

	(void)argv;
	if (argc > 1) {
		for (int i = 0; windows_plants[i]; i++)
			if (!call(NULL, windows_plants[i], args, &result))
				return printf("fault %d goes unnoticed\n", i), 1;
		return 0;
	}
	for (unsigned i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)rand();
	for (unsigned i = 0; i < sizeof key; i++)
		key[i] = (uint8_t)rand();
	faults = call("init", (void *)stitchgcm_init, args, &result);
	memcpy(other, block, sizeof block);
	K(init)(other, key);
	if (memcmp(other, block, sizeof block))
		faults++, printf("init differs\n");
	for (uint64_t len = 0; len <= 2400; len += len < 80 ? 1 : 61)
		faults += message(len);
	return faults != 0;
}
