// SPDX-License-Identifier: ISC

package emit

// Prefix begins every symbol that the linker sees. It ends with the major version
// of the module, so that one program can hold two of them; v0 and v1 have one
// path, and are never in one program.
const Prefix = "stitchgcm_v0_"

// symbolMacro is the macro of the header that Symbols returns which puts Prefix
// before a name. Nothing but that header has it in another form.
const symbolMacro = "STITCHGCM_SYMBOL"

// Symbols returns the header with the names of symbols, for C and for assembly,
// and with what formats of objects differ in, for assembly.
func Symbols() []byte {
	return []byte(Marker + `
// SPDX-License-Identifier: ISC
//
// Names that the linker sees, and in assembly what formats of objects differ in.

#ifndef STITCHGCM_SYMBOLS_H
#define STITCHGCM_SYMBOLS_H

// Symbols carry the major version, so that one program can hold two of them.
#define ` + symbolMacro + `(name) ` + Prefix + `##name

#ifdef __ASSEMBLER__

// L makes a label that is no symbol, and constants begins the section of constants.
// function begins a function that other files of the program see, and nobody beyond
// it, but that PE/COFF cannot say so; end_function ends it.

#if defined(__APPLE__) // Mach-O

#define L(name) L##name

	.macro constants
	.section __TEXT,__const
	.endm

	.macro function symbol
	.balign 64
	.globl _\symbol
	.private_extern _\symbol
_\symbol:
	.endm

	.macro end_function symbol
	.endm

#elif defined(_WIN32) // PE/COFF

#define L(name) .L##name

	.macro constants
	.section .rdata, "dr"
	.endm

	.macro function symbol
	.balign 64
	.def \symbol
	.scl 2
	.type 32
	.endef
	.globl \symbol
\symbol:
	.endm

	.macro end_function symbol
	.endm

#else // ELF

#define L(name) .L##name

	.macro constants
	.section .rodata
	.endm

	.macro function symbol
	.balign 64
	.globl \symbol
	.hidden \symbol
	.type \symbol, %function
\symbol:
	.endm

	.macro end_function symbol
	.size \symbol, . - \symbol
	.endm

#endif
#endif
#endif
`)
}
