// SPDX-License-Identifier: ISC

// Calls every kernel function, on all its paths, and checks what the calling
// convention promises its caller. With an argument it calls functions that
// break one promise each, or break them for one class of lengths only, all of
// which must be noticed.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcm.h"
#include "kernels.h"

uint64_t abi_call(void *f, const uint64_t args[10], const uint64_t before[], uint64_t after[]);
extern void *abi_plants[];
const uint64_t abi_fill = 0x5c5c5c5c5c5c5c5c;
uint64_t abi_stack[256]; // what the callee left below the stack pointer, WORDS of it
char abi_has_xinuse, abi_has_zmm;

// The environment of a call: how many bytes lower the stack pointer is, so that
// it goes through every residue that the convention allows, and what vector
// registers hold at the entry.
uint64_t abi_shift, abi_dirty;
enum { ENVIRONMENTS = 8 };

static void enter(unsigned environment)
{
	abi_shift = environment % 4 * 16;
	abi_dirty = environment & 4 ? UINT64_MAX : 0;
}

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

// The kernel is NAME in symbols and ID in the shim's calls, and its turns have TURN
// bytes.
#define SYMBOL(name, op, bits) (void *)STITCHGCM_SYMBOL(name##_##op##_##bits)
#define EXPANDED(name, op, bits) SYMBOL(name, op, bits)
#define K(op, bits) EXPANDED(NAME, op, bits)

static void nothing(void) {}

// A violator runs in place of a function where an argument has a value.
static struct {
	void *f;
	int arg;
	uint64_t value;
} violator;

enum { LEN = 3, AAD_LEN = 5, NONCE_LEN = 7, TAG_LEN = 9 }; // places of arguments

// call calls f and returns the number of broken promises, which it prints
// behind what unless that is NULL. What f leaves on the stack may be zeros, what
// the caller's registers held, or lengths in bits.
static int call(const char *what, void *f, const uint64_t args[10], int look_at_stack, uint64_t *result)
{
	uint64_t before[STATE], idle[STATE], after[STATE];
	int faults = 0;

	for (int i = 0; i < PRESERVED; i++)
		before[i] = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ 0x8000000000000000;
	if (violator.f && args[violator.arg] == violator.value)
		f = violator.f;
	abi_call((void *)nothing, args, before, idle);
	*result = abi_call(f, args, before, after);
	for (int i = 0; i < STATE; i++) {
		uint64_t want = idle[i], got = after[i];

		if (!strcmp(names[i], "upper vector state"))
			// Upper halves of ymm0 to ymm15 and of zmm0 to zmm15: no dirtier than before.
			got &= ~want & (1 << 2 | 1 << 6), want = 0;
		if (got != want) {
			faults++;
			if (what)
				printf("%s: %s is %#llx, want %#llx\n", what, names[i],
					(unsigned long long)got, (unsigned long long)want);
		}
	}
	for (int i = 0; look_at_stack && i < WORDS; i++) {
		uint64_t word = abi_stack[i];
		int known = word == abi_fill || word == 0 || word == 8 * args[LEN] || word == 8 * args[AAD_LEN];

		for (int j = 0; j < PRESERVED; j++)
			known |= word == before[j];
		if (!known) {
			faults++;
			if (what)
				printf("%s leaves %#llx on the stack\n", what, (unsigned long long)word);
		}
	}
	return faults;
}

static uint8_t text[4096], out[4096], sealed[4096], aad[4096], nonce[64], key[32], tag[16], first[16];
static _Alignas(8) uint8_t block[STITCHGCM_KEY_BLOCK_SIZE];

#define U(p) (uint64_t)(uintptr_t)(p)

struct lengths {
	uint64_t text, aad, nonce, tag;
};

// message seals twice, wants the same, and opens with a wrong tag and the right one.
static int message(void *seal, void *open, int direct, struct lengths n, unsigned environment)
{
	const char *what = violator.f ? NULL : "seal";
	uint64_t args[10] = { U(block), U(out), U(text), n.text, U(aad), n.aad, U(nonce), n.nonce, U(tag), n.tag };
	uint64_t result;
	int faults;

	enter(0);
	faults = call(what, seal, args, direct, &result);
	memcpy(sealed, out, n.text);
	memcpy(first, tag, n.tag);
	enter(environment);
	faults += call(what, seal, args, direct, &result);
	if (memcmp(sealed, out, n.text) || memcmp(first, tag, n.tag)) {
		faults++;
		if (what)
			printf("seal depends on registers or the stack's alignment\n");
	}
	args[2] = U(out);
	tag[(n.text + n.aad) % n.tag] ^= 1;
	for (int right = 0; right < 2; right++) {
		memcpy(out, sealed, n.text);
		faults += call(what ? "open" : NULL, open, args, direct, &result);
		if (result != (uint64_t)right) {
			faults++;
			if (what)
				printf("open returns %d\n", (int)result);
		}
		memcpy(tag, first, n.tag);
	}
	if (faults && what)
		printf("%d bytes, AAD %d, nonce %d, tag %d; environment %u\n", (int)n.text, (int)n.aad, (int)n.nonce,
			(int)n.tag, environment);
	return faults;
}

static uint8_t state[32], begun[32], behind[32];

// turns seals a text of whole turns twice, wants the same, and opens it.
static int turns(void *seal, void *open, uint64_t len, unsigned environment)
{
	const char *what = violator.f ? NULL : "seal_turns";
	uint64_t args[10] = { U(block), U(out), U(text), len, U(state) }, result;
	int faults;

	enter(0);
	memcpy(state, begun, sizeof state);
	faults = call(what, seal, args, 1, &result);
	memcpy(sealed, out, len);
	memcpy(behind, state, sizeof state);
	enter(environment);
	memcpy(state, begun, sizeof state);
	faults += call(what, seal, args, 1, &result);
	if (memcmp(sealed, out, len) || memcmp(behind, state, sizeof state)) {
		faults++;
		if (what)
			printf("seal_turns depends on registers or the stack's alignment\n");
	}
	args[2] = U(out);
	memcpy(state, begun, sizeof state);
	faults += call(what ? "open_turns" : NULL, open, args, 1, &result);
	if (memcmp(text, out, len) || memcmp(behind, state, sizeof state)) {
		faults++;
		if (what)
			printf("open_turns gives another text, or another state, than was sealed\n");
	}
	if (faults && what)
		printf("%d bytes in turns of %d; environment %u\n", (int)len, TURN, environment);
	return faults;
}

// sweep_turns seals and opens some turns in every environment.
static int sweep_turns(void *const f[5], int bits)
{
	int faults = 0;

	stitchgcm_init(ID, block, key, (uint64_t)bits / 8);
	memset(begun, 0x5a, 28);
	begun[29] = 1; // the counter
	for (uint64_t len = TURN; len <= 3 * TURN; len += TURN)
		for (unsigned e = 0; e < ENVIRONMENTS; e++)
			faults += turns(f[3], f[4], len, e);
	return faults;
}

static const uint64_t aads[] = { 0, 1, 13, 16, 20, 64, 65, 512, 528, 1100, 2100 };
static const uint64_t nonces[] = { 1, 16, 60 };
#define N(list) (sizeof list / sizeof list[0])

// next is the text length to be tried after n: all to 80 bytes, then those round
// multiples of a block, and beyond every threshold those round multiples of 256.
static uint64_t next(uint64_t n)
{
	uint64_t step = n < 80 ? 1 : n < 1200 ? 16 : 256;

	do
		n++;
	while ((n + 1) % step > 2);
	return n;
}

// sweep seals and opens texts of all lengths after nonces of both kinds, AAD, tags
// and environments taking turns. It ends at the first fault where one is wanted.
static int sweep(void *const f[5], int bits)
{
	int faults = 0;
	unsigned turn = 0;

	stitchgcm_init(ID, block, key, (uint64_t)bits / 8);
	for (uint64_t len = 0; len <= 2305; len = next(len)) {
		struct lengths n = { len, aads[turn % N(aads)], 12, 16 };

		faults += message((void *)stitchgcm_seal, (void *)stitchgcm_open, 0, n, turn % ENVIRONMENTS);
		for (int i = 0; i < 4; i++, turn++) {
			n = (struct lengths){ len, aads[turn % N(aads)], i % 2 ? nonces[turn % N(nonces)] : 12, 4 + turn % 13 };
			faults += message(f[1], f[2], 1, n, turn / 2 % ENVIRONMENTS); // all of them with both kinds of nonces
		}
		if (faults && violator.f)
			return faults;
	}
	return faults;
}

// planted returns the number of faults that go unnoticed.
static int planted(void *const f[5])
{
	static const struct {
		int arg;
		const char *name;
		uint64_t values[32]; // ends with two equal ones
	} classes[] = {
		{ LEN, "text", { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 63, 64, 65, 511, 512, 513,
			1023, 1024, 1025, 2303, 2304, 2305, 2305 } },
		{ AAD_LEN, "AAD", { 0, 1, 13, 16, 20, 64, 65, 512, 528, 1100, 2100, 2100 } },
		{ NONCE_LEN, "nonce", { 12, 1, 16, 60, 60 } },
		{ TAG_LEN, "tag", { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16 } },
	};
	int unnoticed = 0;

	for (int i = 0; abi_plants[i]; i++) {
		uint64_t args[10] = { 0 }, result, at_first = 0;
		int faults = 0;

		for (unsigned e = 0; e < ENVIRONMENTS; e++) {
			enter(e);
			faults += call(NULL, abi_plants[i], args, 1, &result);
			if (e == 0)
				at_first = result;
			faults += result != at_first;
		}
		if (!faults)
			printf("fault %d goes unnoticed\n", i), unnoticed++;
	}
	violator.f = abi_plants[0];
	for (unsigned i = 0; i < N(classes); i++)
		for (const uint64_t *v = classes[i].values; v == classes[i].values || v[0] != v[-1]; v++) {
			violator.arg = classes[i].arg, violator.value = *v;
			if (!sweep(f, 128))
				printf("a fault for %s of %d bytes goes unnoticed\n", classes[i].name, (int)*v), unnoticed++;
		}
	violator.arg = LEN;
	for (int n = 1; n <= 3; n++) {
		violator.value = (uint64_t)n * TURN;
		if (!sweep_turns(f, 128))
			printf("a fault for %d turns goes unnoticed\n", n), unnoticed++;
	}
	return unnoticed;
}

int main(int argc, char **argv)
{
#define ALL(bits) { K(init, bits), K(seal, bits), K(open, bits), K(seal_turns, bits), K(open_turns, bits) }
	static void *const f[3][5] = { ALL(128), ALL(192), ALL(256) };

	(void)argv;
#ifdef __x86_64__
	unsigned a, b, c, d;
	abi_has_xinuse = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a >> 2 & 1;
	abi_has_zmm = __builtin_cpu_supports("avx512f") != 0;
#endif
	if (argc > 1)
		return planted(f[0]) != 0;
	for (int k = 0; k < 3; k++) {
		uint64_t args[10] = { U(block), U(key) }, result;
		int faults = 0;

		for (unsigned e = 0; e < ENVIRONMENTS; e++) {
			enter(e);
			faults += call("init", f[k][0], args, 1, &result);
			memcpy(e ? out : sealed, block, 1280);
			if (e && memcmp(out, sealed, 1280))
				printf("init depends on registers or the stack's alignment\n"), faults++;
		}
		if (faults + sweep(f[k], 128 + 64 * k) + sweep_turns(f[k], 128 + 64 * k))
			return 1;
	}
	return 0;
}
