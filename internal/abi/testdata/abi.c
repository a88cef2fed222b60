// SPDX-License-Identifier: ISC

// Calls every kernel function, on all its paths, and checks what the calling
// convention promises its caller. With an argument it calls functions that
// break one promise each, all of which must be noticed.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcm.h"
#include "kernels.h"

uint64_t abi_call(void *f, const uint64_t args[10], const uint64_t before[], uint64_t after[]);
extern void *abi_plants[];
const uint64_t abi_fill = 0x5c5c5c5c5c5c5c5c;
uint64_t abi_stack[256]; // what the callee left below the stack pointer, WORDS of it
char abi_has_xinuse;

#ifdef __x86_64__
#include <cpuid.h>
enum { PRESERVED = 6, STATE = 11, WORDS = 255 };
static const char *const names[STATE] = { "rbx", "rbp", "r12", "r13", "r14", "r15",
	"MXCSR", "x87 control word", "DF", "rsp", "upper vector state" };
#else
enum { PRESERVED = 20, STATE = 22, WORDS = 256 };
static const char *const names[STATE] = { "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
	"x26", "x27", "x28", "x29", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "FPCR", "sp" };
#endif

// The kernel is NAME in symbols and ID in the shim's calls.
#define SYMBOL(name, op, bits) (void *)stitchgcm_##name##_##op##_##bits
#define EXPANDED(name, op, bits) SYMBOL(name, op, bits)
#define K(op, bits) EXPANDED(NAME, op, bits)

static void nothing(void) {}

// call calls f and returns the number of broken promises, which it prints
// behind what unless that is NULL.
static int call(const char *what, void *f, const uint64_t args[10], int look_at_stack, uint64_t *result)
{
	uint64_t before[STATE], idle[STATE], after[STATE];
	int faults = 0;

	for (int i = 0; i < PRESERVED; i++)
		before[i] = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ 0x8000000000000000;
	abi_call((void *)nothing, args, before, idle);
	*result = abi_call(f, args, before, after);
	for (int i = 0; i < STATE; i++) {
		uint64_t want = idle[i], got = after[i];

		if (!strcmp(names[i], "upper vector state"))
			want = 0, got &= 1 << 2 | 1 << 6; // upper halves of ymm0 to ymm15 and of zmm0 to zmm15
		if (got != want) {
			faults++;
			if (what)
				printf("%s: %s is %#llx, want %#llx\n", what, names[i],
					(unsigned long long)got, (unsigned long long)want);
		}
	}
	for (int i = 0; look_at_stack && i < WORDS; i++) {
		int known = abi_stack[i] == abi_fill;

		for (int j = 0; j < PRESERVED; j++)
			known |= abi_stack[i] == before[j];
		if (!known) {
			faults++;
			if (what)
				printf("%s leaves %#llx on the stack\n", what, (unsigned long long)abi_stack[i]);
		}
	}
	return faults;
}

static int planted(void)
{
	int faults = 0;
	uint64_t args[10] = { 0 }, result;

	for (int i = 0; abi_plants[i]; i++)
		if (!call(NULL, abi_plants[i], args, 1, &result)) {
			printf("fault %d goes unnoticed\n", i);
			faults++;
		}
	return faults;
}

static uint8_t text[4096], out[4096], aad[4096], nonce[64], key[32], tag[16];
static _Alignas(8) uint8_t block[STITCHGCM_KEY_BLOCK_SIZE];

#define U(p) (uint64_t)(uintptr_t)(p)

static int message(void *seal, void *open, int direct, uint64_t len, uint64_t aad_len, uint64_t nonce_len)
{
	uint64_t args[10] = { U(block), U(out), U(text), len, U(aad), aad_len, U(nonce), nonce_len, U(tag), 16 };
	uint64_t result;
	int faults = call("seal", seal, args, direct, &result);

	args[2] = U(out);
	tag[5] ^= 1;
	for (int right = 0; right < 2; right++) {
		uint8_t sealed[4096];

		memcpy(sealed, out, len);
		faults += call("open", open, args, direct, &result);
		if (result != (uint64_t)right)
			printf("open returns %d\n", (int)result), faults++;
		memcpy(out, sealed, len);
		tag[5] ^= 1;
	}
	return faults;
}

int main(int argc, char **argv)
{
	static void *const f[3][3] = { { K(init, 128), K(seal, 128), K(open, 128) },
		{ K(init, 192), K(seal, 192), K(open, 192) }, { K(init, 256), K(seal, 256), K(open, 256) } };
	static const uint64_t aads[] = { 0, 20, 64, 1100, 2100 }, nonces[] = { 12, 16, 60 };
	int faults = 0;

	(void)argv;
#ifdef __x86_64__
	unsigned a, b, c, d;
	abi_has_xinuse = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a >> 2 & 1;
#endif
	if (argc > 1)
		return planted() != 0;
	for (int k = 0; k < 3; k++) {
		uint64_t args[10] = { U(block), U(key) }, result;

		faults += call("init", f[k][0], args, 1, &result);
		stitchgcm_init(ID, block, key, 16 + 8 * k);
		for (uint64_t len = 0; len <= 2300; len += len < 80 ? 1 : 47)
			for (int i = 0; i < 15; i++) {
				faults += message(f[k][1], f[k][2], 1, len, aads[i % 5], nonces[i % 3]);
				if (i == 0)
					faults += message((void *)stitchgcm_seal, (void *)stitchgcm_open, 0, len, 20, 12);
			}
		if (faults)
			return 1;
	}
	return 0;
}
