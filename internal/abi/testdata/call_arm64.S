// SPDX-License-Identifier: ISC

// uint64_t abi_call(void *f, const uint64_t args[10], const uint64_t before[], uint64_t after[])
//
// calls f with the preserved registers x18 to x29 and d8 to d15 as in before,
// and stores in after what they are then, followed by FPCR and the stack
// pointer's drift. The stack pointer is abi_shift bytes lower than otherwise, and
// all other vector registers and upper halves are copies of abi_dirty.

	.macro preserved op
	\op x18, x19, [x9]
	\op x20, x21, [x9, #16]
	\op x22, x23, [x9, #32]
	\op x24, x25, [x9, #48]
	\op x26, x27, [x9, #64]
	\op x28, x29, [x9, #80]
	\op d8, d9, [x9, #96]
	\op d10, d11, [x9, #112]
	\op d12, d13, [x9, #128]
	\op d14, d15, [x9, #144]
	.endm

	.text
	.balign 16
	.globl abi_call
abi_call:
	sub sp, sp, #208
	add x9, sp, #16
	preserved stp
	stp x3, x30, [sp, #176]
	mov x16, x0
	mov x17, x1
	adrp x10, frame
	mov x11, sp
	str x11, [x10, :lo12:frame]
	adrp x10, abi_shift
	ldr x10, [x10, :lo12:abi_shift]
	sub sp, sp, x10
	ldp x10, x11, [x17, #64]
	stp x10, x11, [sp]
	mov x9, x2
	preserved ldp
	adrp x10, abi_dirty
	ldr x10, [x10, :lo12:abi_dirty]
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	dup v\r\().2d, x10
	.endr
	.irp r, 8, 9, 10, 11, 12, 13, 14, 15
	mov v\r\().d[1], x10
	.endr
	adrp x10, abi_fill
	ldr x10, [x10, :lo12:abi_fill]
	sub x11, sp, #2048
	mov x12, sp
0:	str x10, [x11], #8
	cmp x11, x12
	b.lo 0b
	adrp x10, sp_before
	str x12, [x10, :lo12:sp_before]
	ldp x0, x1, [x17]
	ldp x2, x3, [x17, #16]
	ldp x4, x5, [x17, #32]
	ldp x6, x7, [x17, #48]
	blr x16
	mov x11, sp
	adrp x10, sp_before
	ldr x12, [x10, :lo12:sp_before]
	mov sp, x12
	adrp x9, frame
	ldr x9, [x9, :lo12:frame]
	ldr x9, [x9, #176]
	preserved stp
	mrs x10, fpcr
	sub x11, x11, x12
	stp x10, x11, [x9, #160]
	msr fpcr, xzr
	sub x10, sp, #2048
	adrp x11, abi_stack
	add x11, x11, :lo12:abi_stack
	mov x12, #256
1:	ldr x13, [x10], #8
	str x13, [x11], #8
	subs x12, x12, #1
	b.ne 1b
	adrp x9, frame
	ldr x9, [x9, :lo12:frame]
	mov sp, x9
	add x9, sp, #16
	preserved ldp
	ldr x30, [sp, #184]
	add sp, sp, #208
	ret

// The functions below break one promise each.
	.macro plant
	.section .data.rel.ro, "aw"
	.quad 1f
	.text
1:
	.endm

	.section .data.rel.ro, "aw"
	.balign 8
	.globl abi_plants
abi_plants:
	.irp r, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
	plant
	add x\r, x\r, #1
	ret
	.endr
	.irp r, 8, 9, 10, 11, 12, 13, 14, 15
	plant
	movi v\r\().16b, #1
	ret
	.endr
	plant // rounding in FPCR
	mov x0, #0xc00000
	msr fpcr, x0
	ret
	plant // the stack pointer
	sub sp, sp, #16
	ret
	plant // something left on the stack
	mov x0, #5
	str x0, [sp, #-64]
	ret
	plant // a result that depends on the alignment of the stack
	mov x0, sp
	and x0, x0, #48
	ret
	plant // a result that depends on the upper half of a register
	mov x0, v9.d[1]
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
