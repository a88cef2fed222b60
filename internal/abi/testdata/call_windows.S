// SPDX-License-Identifier: ISC

// uint64_t windows_call(void *f, const uint64_t args[10], const uint64_t before[28], uint64_t after[32])
//
// is called by System V's convention and calls f by Windows's: registers for four
// arguments, the others on the stack above a shadow space of 32 bytes. rbx, rbp,
// r12 to r15, rdi, rsi and xmm6 to xmm15 are as in before, and stored in after as
// they are then, followed by the drift of the stack pointer, two words above the
// arguments, which f must leave, and the flag DF.

	.intel_syntax noprefix
	.text
	.globl windows_call
windows_call:
	push rbx
	push rbp
	push r12
	push r13
	push r14
	push r15
	push rcx
	mov [rip + frame], rsp
	sub rsp, 96
	mov r11, rdi
	mov r10, rsi
	mov rax, 0x5c5c5c5c5c5c5c5c
	.irp at, 0, 8, 16, 24, 80, 88
	mov [rsp + \at], rax
	.endr
	.irp at, 32, 40, 48, 56, 64, 72
	mov rax, [r10 + \at]
	mov [rsp + \at], rax
	.endr
	mov rax, rdx
	mov rcx, [r10]
	mov rdx, [r10 + 8]
	mov r8, [r10 + 16]
	mov r9, [r10 + 24]
	mov rbx, [rax]
	mov rbp, [rax + 8]
	mov r12, [rax + 16]
	mov r13, [rax + 24]
	mov r14, [rax + 32]
	mov r15, [rax + 40]
	mov rdi, [rax + 48]
	mov rsi, [rax + 56]
	.irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu xmm\n, [rax + 64 + 16 * (\n - 6)]
	.endr
	call r11
	mov r11, rsp
	mov rsp, [rip + frame]
	pop r10
	mov [r10], rbx
	mov [r10 + 8], rbp
	mov [r10 + 16], r12
	mov [r10 + 24], r13
	mov [r10 + 32], r14
	mov [r10 + 40], r15
	mov [r10 + 48], rdi
	mov [r10 + 56], rsi
	.irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu [r10 + 64 + 16 * (\n - 6)], xmm\n
	.endr
	lea rcx, [rsp - 104]
	sub rcx, r11
	mov [r10 + 224], rcx
	mov rcx, [rsp - 16]
	mov [r10 + 240], rcx
	mov rcx, [rsp - 24]
	mov [r10 + 232], rcx
	pushfq
	pop rcx
	and ecx, 0x400
	mov [r10 + 248], rcx
	cld
	pop r15
	pop r14
	pop r13
	pop r12
	pop rbp
	pop rbx
	ret

// The functions below break one promise each.
	.macro plant
	.data
	.quad 1f
	.text
1:
	.endm

	.data
	.balign 8
	.globl windows_plants
windows_plants:
	.irp r, rbx, rbp, r12, r13, r14, r15, rdi, rsi
	plant
	inc \r
	ret
	.endr
	.irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	plant // one half, then the other
	pslldq xmm\n, 8
	ret
	plant
	psrldq xmm\n, 8
	ret
	.endr
	plant // the stack pointer
	pop rax
	push rax
	push rax
	ret
	plant // above the arguments
	mov [rsp + 88], rsp
	ret
	plant
	mov [rsp + 96], rsp
	ret
	plant // DF
	std
	ret
	.data
	.quad 0

	.bss
	.balign 8
frame:
	.skip 8
#ifdef __ELF__
	.section .note.GNU-stack, "", %progbits
#endif
