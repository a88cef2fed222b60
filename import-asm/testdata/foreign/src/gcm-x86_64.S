// SPDX-License-Identifier: ISC
//
// A slow kernel with the ABI that import-asm takes: one block at a time, with
// conditions, macros and a function that nothing needs, for the tests.

#include "platform.h"
#if defined(__x86_64__) && \
	(PLATFORM_LEVEL >= 2 || defined(FORCE))

#define STEP 16

.text

/* void test_htable(uint8_t htable[256], const uint64_t h[2]): H divided by x,
   its halves in the order of the registers. */
.globl	test_htable
.type	test_htable,@function
.align	32
test_htable:
	PLATFORM_ENTRY
	movq (%rsi), %rax	# the high half
	movq 8(%rsi), %rdx
	movq %rax, %rcx; sarq $63, %rcx
	shldq $1, %rdx, %rax
	addq %rdx, %rdx
	movq $0xc200000000000000, %r8
	andq %rcx, %r8
	xorq %r8, %rax
	andl $1, %ecx
	xorq %rcx, %rdx
	movq %rdx, (%rdi)
	movq %rax, 8(%rdi)
	ret
.size	test_htable,.-test_htable

#ifndef __x86_64__
#error "this is for x86-64"
#elif PLATFORM_LEVEL == 99
	call nothing_of_this
#endif

.globl	not_needed
.type	not_needed,@function
not_needed:
	leaq .Lunused(%rip), %rax
	ret
.size	not_needed,.-not_needed
.align 16
.Lunused:
	.quad 1, 2

/* xmm0 times the entry in xmm1, reduced, to xmm0; changes xmm2 to xmm5. */
.type	multiply,@function
multiply:
	.cfi_startproc
	movdqa %xmm0, %xmm2
	movdqa %xmm0, %xmm3
	movdqa %xmm0, %xmm4
	pclmulqdq $0x00, %xmm1, %xmm0
	pclmulqdq $0x11, %xmm1, %xmm2
	pclmulqdq $0x01, %xmm1, %xmm3
	pclmulqdq $0x10, %xmm1, %xmm4
	pxor %xmm4, %xmm3
	movdqa .Lpoly(%rip), %xmm5
	pshufd $0x4e, %xmm0, %xmm4
	pclmulqdq $0x00, %xmm5, %xmm0
	pxor %xmm4, %xmm3
	pxor %xmm0, %xmm3
	pshufd $0x4e, %xmm3, %xmm4
	pclmulqdq $0x00, %xmm5, %xmm3
	pxor %xmm4, %xmm2
	pxor %xmm3, %xmm2
	movdqa %xmm2, %xmm0
	ret
	.cfi_endproc
.size	multiply,.-multiply

.macro	AES_BLOCK key, rounds
	movdqu (\key), %xmm6
	pxor %xmm6, %xmm7
	movl \rounds, %eax
	leaq STEP(\key), %r11
771:	movdqu (%r11), %xmm6
	addq $STEP, %r11
	decl %eax
	jz 772f
	aesenc %xmm6, %xmm7
	jmp 771b
772:	aesenclast %xmm6, %xmm7
.endm

/* (in, bits, out, Xi, cb, key, Htable) in rdi, rsi, rdx, rcx, r8, r9 and on the stack */
.macro	BULK decrypt
	movq 8(%rsp), %r10
	shrq $7, %rsi
	jz .Lend\@
	movdqu (%r10), %xmm1
	movdqa .Lswap(%rip), %xmm8
	movdqu (%rcx), %xmm9
	pshufb %xmm8, %xmm9
	movl 12(%r8), %r10d
	bswapl %r10d
.Lloop\@:
	movdqu (%r8), %xmm7
	AES_BLOCK %r9, 240(%r9)
	movdqu (%rdi), %xmm0
	movdqa %xmm0, %xmm10
	pxor %xmm7, %xmm0
	movdqu %xmm0, (%rdx)
.if \decrypt
	movdqa %xmm10, %xmm0
.endif
	pshufb %xmm8, %xmm0
	pxor %xmm9, %xmm0
	call multiply
	movdqa %xmm0, %xmm9
	incl %r10d
	movl %r10d, %eax
	bswapl %eax
	movl %eax, 12(%r8)
	addq $STEP, %rdi
	addq $STEP, %rdx
	decq %rsi
	jnz .Lloop\@
	pshufb %xmm8, %xmm9
	movdqu %xmm9, (%rcx)
.Lend\@:
	ret
.endm

.globl	test_encrypt
.type	test_encrypt,@function
test_encrypt:
	PLATFORM_ENTRY
	BULK 0
.size	test_encrypt,.-test_encrypt

.globl	test_decrypt
.hidden	test_decrypt
.type	test_decrypt,@function
test_decrypt:
	PLATFORM_ENTRY
	BULK 1
.size	test_decrypt,.-test_decrypt

.section	.rodata
.align	16
.Lpoly:
#if PLATFORM_LEVEL + 1 > 2 && !0
	.quad 0xc200000000000000, 0
#else
	.quad 0, 0
#endif
.Lswap:
	.byte 15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
.text
#endif
