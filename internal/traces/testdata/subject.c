// SPDX-License-Identifier: ISC

// The traced program: it takes requests from its standard input, each a struct
// request and the bytes that it announces, runs them one by one in buffers that
// stay where they are, and answers with a struct answer, text and tag.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcm.h"

enum op { INIT, SEAL, OPEN };

struct request {
	uint64_t op;
	uint64_t fresh;  // whether a case begins
	uint64_t kernel; // to set up key blocks for
	uint64_t key, nonce, aad, text, tag; // bytes that follow, in this order
};

struct answer {
	uint64_t result; // of open
	uint64_t kernel; // that the key block names
};

static uint8_t block[STITCHGCM_KEY_BLOCK_SIZE] __attribute__((aligned(64)));
static uint8_t key[32], nonce[4096], aad[8192], in[8192], out[8192], tag[16];

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
