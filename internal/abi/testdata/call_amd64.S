// SPDX-License-Identifier: ISC

// uint64_t abi_call(void *f, const uint64_t args[10], const uint64_t before[], uint64_t after[])
//
// calls f with the preserved registers as in before, and stores in after what
// they are then, followed by MXCSR, the x87 control word, the flag DF, the
// stack pointer's drift and, if abi_has_xinuse, the vector state in use. The
// stack pointer is abi_shift bytes lower than otherwise; vector registers hold
// zeros or, if abi_dirty, ones, as far as abi_has_zmm says that there are any.

	.intel_syntax noprefix
	.text
	.globl abi_call
abi_call:
	push rbx
	push rbp
	push r12
	push r13
	push r14
	push r15
	push rcx
	mov [rip + frame], rsp
	sub rsp, [rip + abi_shift]
	mov r11, rdi
	mov r10, rsi
	mov rbx, [rdx]
	mov rbp, [rdx + 8]
	mov r12, [rdx + 16]
	mov r13, [rdx + 24]
	mov r14, [rdx + 32]
	mov r15, [rdx + 40]
	push [r10 + 72]
	push [r10 + 64]
	push [r10 + 56]
	push [r10 + 48]
	mov rax, [rip + abi_fill]
	lea rcx, [rsp - 2048]
0:	mov [rcx], rax
	add rcx, 8
	cmp rcx, rsp
	jb 0b
	mov rdi, [r10]
	mov rsi, [r10 + 8]
	mov rdx, [r10 + 16]
	mov rcx, [r10 + 24]
	mov r8, [r10 + 32]
	mov r9, [r10 + 40]
	mov [rip + sp_before], rsp
	vzeroall
	cmp qword ptr [rip + abi_dirty], 0
	je 1f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vcmptrueps ymm\r, ymm\r, ymm\r
	.endr
	cmp byte ptr [rip + abi_has_zmm], 0
	je 1f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpternlogd zmm\r, zmm\r, zmm\r, 0xff
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	kxnorw k\r, k\r, k\r
	.endr
1:	call r11
	mov r10, rsp
	mov rsp, [rip + sp_before]
	mov r8, rax
	mov r9, [rip + frame]
	mov r9, [r9]
	mov [r9], rbx
	mov [r9 + 8], rbp
	mov [r9 + 16], r12
	mov [r9 + 24], r13
	mov [r9 + 32], r14
	mov [r9 + 40], r15
	xor eax, eax
	mov [r9 + 48], rax
	mov [r9 + 56], rax
	mov [r9 + 80], rax
	stmxcsr [r9 + 48]
	fnstcw [r9 + 56]
	sub r10, rsp
	mov [r9 + 72], r10
	cmp byte ptr [rip + abi_has_xinuse], 0
	je 1f
	mov ecx, 1
	xgetbv
	mov [r9 + 80], rax
1:	lea rsi, [rsp - 2048]
	lea rdi, [rip + abi_stack]
	mov ecx, 255 // all but the return address
2:	mov rax, [rsi]
	mov [rdi], rax
	lea rsi, [rsi + 8]
	lea rdi, [rdi + 8]
	lea ecx, [ecx - 1]
	jrcxz 3f
	jmp 2b
3:	pushfq
	pop rax
	and eax, 0x400
	mov [r9 + 64], rax
	cld
	vzeroupper
	mov rax, r8
	mov rsp, [rip + frame]
	pop rcx
	pop r15
	pop r14
	pop r13
	pop r12
	pop rbp
	pop rbx
	ret

// The functions below break one promise each.
	.macro plant name
	.section .data.rel.ro, "aw"
	.quad 1f
	.text
1:
	.endm

	.section .data.rel.ro, "aw"
	.balign 8
	.globl abi_plants
abi_plants:
	plant
	inc rbx
	ret
	plant
	inc rbp
	ret
	plant
	inc r12
	ret
	plant
	inc r13
	ret
	plant
	inc r14
	ret
	plant
	inc r15
	ret
	plant // rounding in MXCSR
	mov dword ptr [rsp - 8], 0x3f80
	ldmxcsr [rsp - 8]
	ret
	plant // rounding of the x87
	mov dword ptr [rsp - 8], 0xf7f
	fldcw [rsp - 8]
	ret
	plant // DF
	std
	ret
	plant // the stack pointer
	pop rax
	push rax
	push rax
	ret
	plant // no vzeroupper
	vcmptrueps ymm3, ymm3, ymm3
	ret
	plant // something left on the stack
	mov qword ptr [rsp - 64], 5
	ret
	plant // a result that depends on the alignment of the stack
	mov rax, rsp
	and eax, 48
	ret
	plant // a result that depends on the upper half of a register
	vextractf128 xmm0, ymm7, 1
	vmovq rax, xmm0
	ret
	.section .data.rel.ro, "aw"
	.quad 0

	.bss
	.balign 8
sp_before:
	.skip 8
frame:
	.skip 8
	.section .note.GNU-stack, "", %progbits
