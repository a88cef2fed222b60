// SPDX-License-Identifier: ISC

package prove

import "slices"

// An equivalent is a mutant that the proof accepts since it does the same, for
// a reason that no rule knows: see trial.reason. Each * in what stands for
// anything. An entry holds for every mutant of the kernel's programs that reads
// so, and is tried with each; one that the proof refuses for any, or that no
// program has, is an error.
type equivalent struct{ kernel, what, reason string }

var equivalents = slices.Concat(vaesEquivalents, armEquivalents("eor3"), armEquivalents("pmull"),
	[]equivalent{{"pmull", "*_init_128: register: movi v5.2d, #0 (leave no secret in a register) #1: becomes movi v27.2d, #0", publicConstant}})

var vaesEquivalents = func() (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{"vaes-avx512", what, reason}) }
	const (
		rotated   = "the shuffle that follows takes the last column alone"
		half      = "the last two of the six words are in the lower half of a register: nothing uses the upper"
		becomes   = "vpshufd xmm3, xmm0, 0xff (words *) #1: becomes vpshufd xmm3, xmm0, "
		rotated1  = "_init_192: immediate: vpshufd xmm3, xmm1, 0x55 (words *) #1: becomes vpshufd xmm3, xmm1, "
		rotated0  = "_init_128: immediate: vpshufd xmm3, xmm0, 0xff (round key *) #1: becomes vpshufd xmm3, xmm0, "
		rotated01 = "_init_256: immediate: vpshufd xmm3, xmm1, 0xff (round key *) #1: becomes vpshufd xmm3, xmm1, "
	)
	for _, x := range []string{"0xf*", "0xe*"} {
		add("*"+rotated0+x, rotated)
		add("*"+rotated01+x, rotated)
	}
	add("*"+rotated1+"0x5*", rotated)
	add("*"+rotated1+"0x45", rotated)
	add("*_init_192: immediate: "+becomes+"0x7f", half)
	add("*_init_192: immediate: "+becomes+"0xef", half)
	add("*: mask: vmovdqu8 zmm*{k1}{z}, [rdx* (text of blocks *) #*: becomes vmovdqu8 zmm*{k1}, [rdx*",
		"what stands outside the text is neither stored nor hashed: both mask it again")
	add("*_open_*: mask: vmovdqu8 xmm13{k1}{z}, [r11] (compare the tag) #1: becomes vmovdqu8 xmm13{k1}, [r11]",
		"the difference of the tags is masked again")
	add("*: missing: vpxorq zmm26, zmm26, zmm21 (GHASH the length of the nonce) #1: is missing",
		"the upper half of that block is zero, and so is its product")
	add("*: missing: je dispatch (AAD) #1: is missing",
		"the code for AAD, given none, loads nothing under its mask and leaves the zeros that were there")
	add("*: immediate: vshufi64x2 zmm27, zmm19, zmm27, 0x40 (the first turn lacks *) #1: becomes vshufi64x2 zmm27, zmm19, zmm27, 0x4*",
		"all lanes of zmm19 are zero")
	add("*_init_*: immediate: vshufi64x2 zmm0, zmm6, zmm5, 0x44 (H^2 to H^4) #1: becomes vshufi64x2 zmm0, zmm6, zmm5, 0x46",
		"lanes 0 and 2 of zmm6 are both H^4")
	for _, z := range []string{"xmm23", "xmm31"} {
		wipe := "vpxorq " + z + ", " + z + ", " + z + " (leave no secret in a register) #1: "
		add("*: missing: "+wipe+"is missing", publicConstant)
		add("*: mnemonic: "+wipe+"becomes *", publicConstant)
		add("*: register: "+wipe+"becomes vpxorq *, "+z+", "+z, publicConstant)
	}
	add("*: mnemonic: jbe *_tail (*) #*: becomes jb *", noTail)
	add("*: mnemonic: ja *_group (*) #*: becomes jae *", noTail)
	return list
}()

// publicConstant is the reason for registers that are cleared without need.
const publicConstant = "the register holds a constant, which is public"

// noTail is the reason for taking 16 full blocks as such and not as a tail.
const noTail = "a tail of no bytes stores nothing and adds nothing"

// armEquivalents are those of the two kernels that share their frame.
func armEquivalents(kernel string) []equivalent {
	const roundKeys = "the first round keys are the key, which x1 points to"
	list := []equivalent{
		{kernel, "*_init_*: base: ldr q1, [x0] (H, round 0) #1: becomes ldr q1, [x1]", roundKeys},
		{kernel, "*_init_*: base: ldr q0, [x0] (counter blocks xor round key 0) #1: becomes ldr q0, [x1]", roundKeys},
		{kernel, "*_init_256: base: ldr q1, [x0, #16] (H, round 1) #1: becomes ldr q1, [x1, #16]", roundKeys},
		{kernel, "*_init_*: mnemonic: b.ne counters (counter blocks xor round key 0) #1: becomes b.hi counters",
			"the count goes down to zero by ones, so that it is above zero where it is not zero"},
		{kernel, "*_init_*: mnemonic: b.ne columns (columns for counters) #1: becomes b.hi columns",
			"the count goes down to zero by ones, so that it is above zero where it is not zero"},
		{kernel, "*: swap: ldp q*, q*, [x*, #512] (leave no secret in a register) #1: *", publicConstant},
		{kernel, "*: address: ldp q*, q*, [x*, #512] (leave no secret in a register) #1: becomes ldp q*, q*, [x*, #513]", publicConstant},
		{kernel, "*: address: ldp q*, q*, [x*, #512] (leave no secret in a register) #1: becomes ldp q*, q*, [x*, #544]", publicConstant},
		{kernel, "*: address: str b0, [x1], #1 (the last 1 to 15 bytes of text) #2: becomes str b0, [x1], #2", "no text follows"},
		{kernel, "*: target: cbz x10, text_end (four blocks of text) #1: becomes cbz x10, text_stored4", "of no bytes, none are stored"},
		{kernel, "*: mnemonic: b.eq bulk (choose the path) #1: becomes b.hs bulk",
			"the bytes left of a nonce of 12 bytes are 12, and of another 0: it has been hashed"},
		{kernel, "*: mnemonic: rev w12, w17 (prepare the bulk loop) #1: becomes mov w12, w17", "the counter is zero"},
		{kernel, "*: immediate: add x12, x10, #15 (power of H for the first block) #2: becomes add x12, x10, #14",
			"the part has 256 bytes; the sum is only divided by 16"},
		{kernel, "*: register: ext v0.16b, v27.16b, v27.16b, #8 (GHASH Xi, halves) #*: becomes ext v0.16b, v27.16b, v*",
			"nothing uses the upper half"},
		{kernel, "*_open_*: immediate: ext v0.16b, v0.16b, v0.16b, #* (wrong tag: clear the output) #1: becomes *", "all bytes are zero"},
		{kernel, "*_open_*: missing: ext v0.16b, v0.16b, v0.16b, #* (wrong tag: clear the output) #1: *", "all bytes are zero"},
		{kernel, "*: register: ext v4.16b, v4.16b, v4.16b, #* (the last 1 to 15 bytes of text) #1: becomes ext v4.16b, v*.16b, v4.16b, #*",
			"the bytes from the first source are those that the next load replaces"},
		{kernel, "*: register: ext v0.16b, v0.16b, v0.16b, #* (the last 1 to 15 bytes of text) #1: becomes ext v0.16b, v0.16b, *",
			"the bytes from the second source are behind those that are to be stored"},
		{kernel, "*_seal_*: immediate: movi v4.2d, #0 (the last 1 to 15 bytes of text) #1: becomes *",
			"the mask clears what stands behind the text"},
	}
	for _, v := range []string{"v5", "v6", "v7"} {
		list = append(list, equivalent{kernel,
			"*_init_*: missing: movi " + v + ".2d, #0 (leave no secret in a register) #1: is missing", publicConstant})
	}
	return list
}
