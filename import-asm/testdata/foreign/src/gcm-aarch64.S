// SPDX-License-Identifier: ISC
//
// A slow kernel with the ABI that import-asm takes: one block at a time, with
// conditions, macros and a function that nothing needs, for the tests.

#include "platform.h"
#ifdef __aarch64__
#if PLATFORM_LEVEL > 1 || defined FORCE

#define STEP #16
.arch armv8-a+crypto
.text

/* void test_htable(uint8_t htable[256], const uint64_t h[2]): H divided by x,
   its halves in the order of the registers. */
.globl	test_htable
.type	test_htable,%function
.align	5
test_htable:
	PLATFORM_ENTRY
	ldp x2, x3, [x1]
	asr x4, x2, #63
	extr x2, x2, x3, #63
	lsl x3, x3, #1
	mov x5, #0xc200000000000000
	and x5, x5, x4
	eor x2, x2, x5
	and x4, x4, #1
	eor x3, x3, x4
	stp x3, x2, [x0]
	ret
.size	test_htable,.-test_htable

.globl	not_needed
.type	not_needed,%function
not_needed:
	bl nothing_of_this
	ret
.size	not_needed,.-not_needed

poly	.req	v5
product	.req	v0

/* v0 times the entry in v1, reduced, to v0; changes v2 to v5. */
.type	multiply,%function
multiply:
	adrp x16, .Lpoly
	ldr q5, [x16, #:lo12:.Lpoly]
	ext v4.16b, product.16b, product.16b, #8
	pmull v3.1q, v4.1d, v1.1d
	pmull2 v2.1q, v4.2d, v1.2d
	eor v3.16b, v3.16b, v2.16b
	pmull2 v2.1q, v0.2d, v1.2d
	pmull v0.1q, v0.1d, v1.1d
	ext v4.16b, v0.16b, v0.16b, #8
	pmull v0.1q, v0.1d, poly.1d
	eor v3.16b, v3.16b, v4.16b
	eor v3.16b, v3.16b, v0.16b
	ext v4.16b, v3.16b, v3.16b, #8
	pmull v3.1q, v3.1d, poly.1d
	eor v2.16b, v2.16b, v4.16b
	eor v0.16b, v2.16b, v3.16b
	ret
.size	multiply,.-multiply

/* (in, bits, out, Xi, cb, key, Htable) in x0 to x6 */
.macro	BULK decrypt
	lsr x1, x1, #7
	cbz x1, .Lend\@
	mov x15, x30
	ldr q1, [x6]
	ldr q16, [x3]
	rev64 v16.16b, v16.16b
	ext v16.16b, v16.16b, v16.16b, #8
	ldr w9, [x4, #12]
	rev w9, w9
.Lloop\@:
	ldr q7, [x4]
	ldr w10, [x5, #240]
	sub w10, w10, #1
	mov x11, x5
771:	ldr q6, [x11], STEP
	aese v7.16b, v6.16b
	subs w10, w10, #1
	b.mi 772f
	aesmc v7.16b, v7.16b
	b 771b
772:	ldr q6, [x11]
	eor v7.16b, v7.16b, v6.16b
	ldr q17, [x0], STEP
	eor v0.16b, v17.16b, v7.16b
	str q0, [x2], STEP
.if \decrypt
	mov v0.16b, v17.16b
.endif
	rev64 v0.16b, v0.16b
	ext v0.16b, v0.16b, v0.16b, #8
	eor v0.16b, v0.16b, v16.16b
	bl multiply
	mov v16.16b, v0.16b
	add w9, w9, #1
	rev w10, w9
	str w10, [x4, #12]
	subs x1, x1, #1
	b.ne .Lloop\@
	rev64 v16.16b, v16.16b
	ext v16.16b, v16.16b, v16.16b, #8
	str q16, [x3]
	mov x30, x15
.Lend\@:
	ret
.endm

.globl	test_encrypt
.type	test_encrypt,%function
test_encrypt:
	PLATFORM_ENTRY
	BULK 0
.size	test_encrypt,.-test_encrypt

.globl	test_decrypt
.type	test_decrypt,%function
test_decrypt:
	PLATFORM_ENTRY
	BULK 1
.size	test_decrypt,.-test_decrypt

.section	.rodata
.align	4
.Lpoly:
	.quad 0xc200000000000000, 0
.text
#else
#error "this level is too low"
#endif
#endif
