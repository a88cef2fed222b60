// SPDX-License-Identifier: ISC

// The traced program: it takes requests from its standard input, each a struct
// request and the bytes that it announces, runs them one by one in buffers that
// stay where they are, and answers with a struct answer, text and tag.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcm.h"
#include "kernels.h"

enum op { INIT, SEAL, OPEN, SEAL_TURNS, OPEN_TURNS };

struct request {
	uint64_t op;
	uint64_t fresh;  // whether a case begins
	uint64_t kernel; // to set up key blocks for
	uint64_t key, nonce, aad, text, tag; // bytes that follow, in this order; tag may be the state
};

struct answer {
	uint64_t result; // of open
	uint64_t kernel; // that the key block names
};

static uint8_t block[STITCHGCM_KEY_BLOCK_SIZE] __attribute__((aligned(64)));
static uint8_t key[32], nonce[4096], aad[8192], in[8192], out[8192], tag[32];

// The functions for turns of the kernel NAME, which the shim does not call.
#define SYMBOL(name, op, bits) STITCHGCM_SYMBOL(name##_##op##_##bits)
#define EXPANDED(name, op, bits) SYMBOL(name, op, bits)
#define K(op, bits) EXPANDED(NAME, op, bits)
static STITCHGCM_KERNEL void (*const turns[2][3])(const uint8_t *, uint8_t *, const uint8_t *, uint64_t, uint8_t *) = {
	{ K(seal_turns, 128), K(seal_turns, 192), K(seal_turns, 256) },
	{ K(open_turns, 128), K(open_turns, 192), K(open_turns, 256) },
};

// The markers, for the plugin.
__attribute__((noipa)) void trace_fresh(void) { }
__attribute__((noipa)) void trace_on(void) { }
__attribute__((noipa)) void trace_off(void) { }

static void take(void *p, uint64_t n, size_t room)
{
	if (n > room || fread(p, 1, n, stdin) != n)
		exit(2);
}

// run serves a request, traced. It is one function, called at one place, so that
// its own instructions and stack are the same for all.
__attribute__((noipa)) static uint64_t run(const struct request *r)
{
	uint64_t result = 0;

	trace_on();
	switch (r->op) {
	case INIT:
		stitchgcm_init((int)r->kernel, block, key, r->key);
		break;
	case SEAL:
		stitchgcm_seal(block, out, in, r->text, aad, r->aad, nonce, r->nonce, tag, r->tag);
		break;
	case OPEN:
		result = stitchgcm_open(block, out, in, r->text, aad, r->aad, nonce, r->nonce, tag, r->tag);
		break;
	case SEAL_TURNS:
	case OPEN_TURNS:
		turns[r->op == OPEN_TURNS][r->key / 8 - 2](block, out, in, r->text, tag);
		break;
	}
	trace_off();
	return result;
}

int main(void)
{
	struct request r;
	struct answer a;

	while (fread(&r, sizeof r, 1, stdin) == 1) {
		take(key, r.key, sizeof key);
		take(nonce, r.nonce, sizeof nonce);
		take(aad, r.aad, sizeof aad);
		take(in, r.text, sizeof in);
		take(tag, r.tag, sizeof tag);
		memset(out, 0xA5, sizeof out);
		if (r.op != INIT)
			stitchgcm_init((int)r.kernel, block, key, r.key);
		if (r.fresh)
			trace_fresh();
		a.result = run(&r);
		a.kernel = block[STITCHGCM_KERNEL_OFFSET];
		fwrite(&a, sizeof a, 1, stdout);
		fwrite(out, 1, r.text, stdout);
		fwrite(tag, 1, r.tag, stdout);
	}
	return 0;
}
