// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"
	"strings"
)

// An equivalent is a mutant that the proof accepts since it does the same, for
// a reason that no rule knows: see trial.reason. Each * in what stands for
// anything. An entry holds for every mutant of the kernel's programs that reads
// so, and is tried with each; one that the proof refuses for any, or that no
// program has, is an error.
type equivalent struct{ kernel, what, reason string }

var equivalents = slices.Concat(
	scheduleEquivalents("vaes-avx512"), vaesEquivalents,
	scheduleEquivalents("vaes-avx2"), avxEquivalents("vaes-avx2"), vaesAVX2Equivalents,
	scheduleEquivalents("aesni"), avxEquivalents("aesni"), aesniEquivalents,
	armEquivalents("eor3"), armEquivalents("pmull"))

// scheduleEquivalents are those of the key schedule that the kernels for amd64
// share.
func scheduleEquivalents(kernel string) (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{kernel, what, reason}) }
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
	return list
}

var vaesEquivalents = func() (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{"vaes-avx512", what, reason}) }
	add("*: mask: vmovdqu8 zmm*{k1}{z}, [rdx* (text of blocks *) #*: becomes vmovdqu8 zmm*{k1}, [rdx*",
		"what stands outside the text is neither stored nor hashed: both mask it again")
	add("*_open_*: mask: vmovdqu8 xmm13{k1}{z}, [r11] (compare the tag) #1: becomes vmovdqu8 xmm13{k1}, [r11]",
		"the difference of the tags is masked again")
	add("*_fours_*: mask: vmovdqu8 zmm1*{k1}{z}, [r8* (rest of message *) #*: becomes vmovdqu8 zmm1*{k1}, [r8*",
		"what stands outside the text is neither stored nor hashed: both mask it again")
	for p := range 4 {
		text, k := 4+p, 3+p
		for from, reason := range map[string]string{
			"[rcx]":                 "what stands outside the text is neither stored nor hashed: both mask it again",
			fmt.Sprintf("zmm%d", p): "the register held the text, and is zero outside of it",
		} {
			add(fmt.Sprintf("*_seal_fours_*: mask: vmovdqu8 zmm%d{k%d}{z}, %s (text of message %d) #1: becomes vmovdqu8 zmm%d{k%d}, %s",
				text, k, from, p, text, k, from), reason)
		}
	}
	add("*_fours_*: target: jbe fours_tail_1 (bytes of the longest rest) #1: becomes jbe fours_tail_2", "two registers take what one takes")
	add("*_open_fours_*: order: and r10, 0xff (GHASH of the rest of message *) #*: comes after the next", "bzhi reads no more than 8 bits")
	add("*_fours_*: immediate: vshufi64x2 zmm*, zmm*, zmm*, 0x44 (J0 of each message, round 0) #*: becomes *",
		"all lanes of either operand are the same")
	const anyPath = "the path of other messages takes brief ones too"
	add("*_fours_*: missing: jbe brief (choose the path) #1: is missing", anyPath)
	add("*_open_fours_*: register: add r8, rcx (choose the path) #1: becomes add r8, rdx", anyPath)
	for _, what := range []string{
		"immediate: cmp r8, 0x40 (choose the path) #1: becomes cmp r8, 0",
		"immediate: cmp r9, 0x10 (choose the path) #1: becomes cmp r9, 0",
		"mnemonic: ja fours (choose the path) #1: becomes jne fours",
		"mnemonic: ja fours (choose the path) #1: becomes jae fours",
		"mnemonic: jbe brief (choose the path) #1: becomes je brief",
		"mnemonic: jbe brief (choose the path) #1: becomes jb brief",
	} {
		add("*_fours_*: "+what, anyPath)
	}
	add("*_seal_fours_*: order: vmovdqu8 [r9*]{k1}, zmm* (rest of message *) #*: comes after the next",
		"the next clears what the same mask keeps from the store")
	for _, n := range []string{"1", "2", "3"} {
		add("*_open_*: missing: add rdx, rcx (tail of "+n+" registers) #*: is missing", "only behind a part of 64 blocks text follows, and its tail has 4 registers")
	}
	for _, n := range []string{"#1", "#4"} { // the second register of a rest
		add("*_seal_fours_*: order: cmovb r10, r11 (GHASH of the rest of message *) "+n+": comes after the next",
			"where nothing is left of a text any powers do, and those read instead are in the key block too")
	}
	add("*: missing: vpxorq zmm26, zmm26, zmm21 (GHASH the length of the nonce) #1: is missing",
		"the upper half of that block is zero, and so is its product")
	add("*: immediate: vpclmulqdq xmm21, xmm15, [rdi + 1392], 0x11 (GHASH the length of the nonce) #1: becomes vpclmulqdq xmm21, xmm15, [rdi + 1392], 1",
		"the upper half of that block is zero, and so is its product")
	add("*: mask: vmovdqu8 *mm11{k1}{z}, [rdx* (text of register *) #*: becomes vmovdqu8 *mm11{k1}, [rdx*",
		"what stands outside the text is neither stored nor hashed: both mask it again")
	add("*: mask: vmovdqu8 xmm11{k1}{z}, [r8] (AAD) #1: becomes vmovdqu8 xmm11{k1}, [r8]",
		"the register has been cleared for the sake of no AAD")
	add("*: order: vpxor xmm15, xmm15, xmm15 (leave no secret *) #1: comes after the next", "either clears the upper half")
	add("*: mnemonic: ja brief_* (registers of text) #1: becomes jae *", noTail)
	for _, what := range []string{
		"immediate: cmp rcx, 0x10 (registers of text) #1: becomes cmp rcx, 0",
		"mnemonic: ja brief_more (registers of text) #1: becomes jne brief_more",
		"order: ja brief_more (registers of text) #1: comes after the next",
	} {
		add("*: "+what, "what is behind the text in a wider register is masked")
	}
	add("*: missing: je brief_empty (registers of text) #1: is missing", noTail)
	add("*: missing: je brief_lead (AAD) #1: is missing",
		"the code for AAD, given none, loads nothing under its mask and leaves the zeros that were there")
	for _, constant := range []string{".Lbswap + 16", ".Lbswap + 32", ".Lpoly + 16"} {
		name, _, _ := strings.Cut(constant, " ")
		add("*: address: v* *mm*, *[rip + "+name+"]* (*) #*: becomes v* *mm*, *[rip + "+constant+"]*", "all lanes of the constant are the same")
	}
	add("*: missing: je dispatch (AAD) #1: is missing",
		"the code for AAD, given none, loads nothing under its mask and leaves the zeros that were there")
	add("*_init_*: immediate: vshufi64x2 zmm0, zmm6, zmm5, 0x44 (H^2 to H^4) #1: becomes vshufi64x2 zmm0, zmm6, zmm5, 0x46",
		"lanes 0 and 2 of zmm6 are both H^4")
	for _, z := range []string{"xmm23", "xmm31"} {
		wipe := "vpxorq " + z + ", " + z + ", " + z + " (leave no secret in a register) #1: "
		add("*: missing: "+wipe+"is missing", publicConstant)
		for _, op := range []string{"init", "seal", "turns", "fours"} { // open is cut where it clears the output
			add("*_"+op+"_*: mnemonic: "+wipe+"becomes *", publicConstant)
		}
		add("*: register: "+wipe+"becomes vpxorq *, "+z+", "+z, publicConstant)
	}
	for _, kind := range []string{"missing: * is missing", "mnemonic: * becomes *", "register: * becomes vpxorq *, xmm28, xmm28"} {
		what := strings.Replace(kind, "*", "vpxorq xmm28, xmm28, xmm28 (leave no secret in a register) #1:", 1)
		add("*_turns_*: "+what, "the register holds zeros since the first turn")
	}
	add("*_init_*: base: vpxorq xmm27, xmm27, [rdi] (H, round 0) #1: becomes vpxorq xmm27, xmm27, [rsi]", roundKeys)
	for _, n := range []string{"0", "1", "2"} {
		add("*_seal_*: missing: add rdx, rcx (GHASH of register "+n+") #*: is missing", noText)
		add("*_seal_*: mnemonic: add rdx, rcx (GHASH of register "+n+") #*: becomes cmov*", noText)
	}
	add("*: mnemonic: jne *_register (*: four blocks) #1: becomes ja *",
		"the bytes go down to zero by 64, so that they are above zero where they are not zero")
	add("*: mnemonic: jbe *_tail (*) #*: becomes jb *", noTail)
	add("*: mnemonic: ja *_group (*) #*: becomes jae *", noTail)
	return list
}()

// indices is the reason for a byte of the indices by which vaes-avx512 moves leading
// blocks to the last lanes, and lengths to their block. There are too many for the
// table.
func indices(m *Mutant) string {
	var b int
	if _, err := fmt.Sscanf(m.Change, "byte %d", &b); err != nil {
		return ""
	}
	switch m.Where {
	case "quad_numbers":
		switch {
		case b%8 > 0:
			return "only the lowest three bits of an index count"
		case b < 64:
			return "an index below 8 takes a lane behind the blocks that lead, which is zero"
		}
	case "lengths":
		switch {
		case b%8 > 0:
			return "only the lowest four bits of an index count"
		case b >= 32:
			return "only the first four words are used"
		}
	}
	return ""
}

// publicConstant is the reason for registers that are cleared without need.
const publicConstant = "the register holds a constant, which is public"

// noText is the reason for a pointer to the input that is left where it is.
const noText = "no text follows"

// noTail is the reason for taking 16 full blocks as such and not as a tail.
const noTail = "a tail of no bytes stores nothing and adds nothing"

// avxEquivalents are those of the two kernels for amd64 without AVX-512.
func avxEquivalents(kernel string) (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{kernel, what, reason}) }
	const (
		fewer   = "fewer than 16 bytes are left there"
		zeros   = "all bytes are zero"
		zero    = "the upper half of that block is zero, and so is its product"
		counter = "the counter is zero, and so are the bytes that lead"
		last    = "no block follows that the counter would be for"
		masked  = "the bytes behind are cleared afterwards"
	)
	for _, n := range []string{"1", "2", "4", "8"} {
		add("*: immediate: test *, "+n+" (*) #*: becomes test *, 0x1"+n, fewer)
	}
	add("*: target: jmp aad_loaded (aad: the last 1 to 16 bytes) #1: becomes jmp aad_load*", "of 16 bytes there are no 1, 2, 4 or 8 over")
	add("*: target: je short_end (next block) #1: becomes je text_stored*", "of no bytes, none are stored")
	add("*_seal_*: target: je short_end (next block) #1: becomes je text_load*", "of no bytes, none are loaded, hashed or stored")
	add("*_init_*: base: vpxor xmm0, xmm0, [rdi] (H, round 0) #1: becomes vpxor xmm0, xmm0, [rsi]", roundKeys)
	add("*_init_256: base: vaesenc xmm0, xmm0, [rdi + 16] (H, round 1) #1: becomes vaesenc xmm0, xmm0, [rsi + 16]", roundKeys)
	add("*: mnemonic: jne tag_short (tag = GHASH xor EK0) #1: becomes jb tag_short", "a tag has at most 16 bytes")
	add("*: mnemonic: jne *_block (*: one block) #1: becomes ja *", "the bytes go down to zero by 16, so that they are above zero where they are not zero")
	add("*: missing: vpxor xmm12, xmm12, xmm12 (GHASH of the aad) #1: is missing", "it has been cleared for the sake of no AAD")
	for _, kind := range []string{"immediate", "mnemonic", "missing"} {
		add("*_open_*: "+kind+": vpsrldq xmm0, xmm0, * (wrong tag: clear the output) #1: *", zeros)
		add("*_open_*: "+kind+": add rsi, 1 (wrong tag: clear the output) #1: *", "nothing reads the pointer")
	}
	add("*_open_*: immediate: vpextr* [rsi], xmm0, 0 (wrong tag: clear the output) #1: becomes *", zeros)
	add("*: missing: mov r11d, eax (prepare the bulk loop) #1: is missing", counter)
	add("*: order: mov r11d, eax (prepare the bulk loop) #1: *", counter)
	add("*: missing: bswap r11d (prepare the bulk loop) #1: is missing", counter)
	add("*: order: add rax, 0x10 (*) #1: comes after the next", "it makes no difference which comes first, the sum or the difference")
	for _, junk := range []struct{ op, x, origin string }{{"open", "xmm1", "tag of less than 16 bytes"}, {"seal", "xmm4", "the last 1 to 15 bytes of text"}} {
		clear := "vpxor " + junk.x + ", " + junk.x + ", " + junk.x + " (" + junk.origin + ") #1: "
		add("*_"+junk.op+"_*: missing: "+clear+"*", masked)
		for _, mnemonic := range []string{"vaes", "vpa", "vpunpck"} {
			add("*_"+junk.op+"_*: mnemonic: "+clear+"becomes "+mnemonic+"*", masked)
		}
		add("*_"+junk.op+"_*: register: "+clear+"becomes vpxor "+junk.x+", *", masked)
	}
	add("*: constant: mask: byte 0 is *", "none of 1 to 15 bytes reaches it")
	add("*: constant: mask: byte 31 is *", "none of 1 to 15 bytes reaches it")
	for _, n := range []string{"28", "29", "30"} {
		add("*_open_*: constant: mask: byte "+n+" is *", "none of 4 to 15 bytes reaches it")
	}
	for _, kind := range []string{"missing", "mnemonic"} {
		add("*: "+kind+": vpaddd *mm15, *mm15, [rip + .Lones] (CB) #2: *", last)
	}
	for _, c := range []string{"counters", "bswap", "poly", "next", "step", "mask", "rcon"} {
		add("*: base: vpaddd *mm15, *mm15, [rip + .Lones] (CB) #2: becomes *[rip + .L"+c+"]", last)
	}
	const length = " (GHASH the length of the nonce) #1: "
	for _, imm := range []string{"1", "0x11"} {
		add("*: immediate: vpclmulqdq xmm9, xmm3, [rdi + 784], "+imm+length+"becomes vpclmulqdq xmm9, xmm3, [rdi + 784], *1", zero)
		add("*: address: vpclmulqdq xmm9, xmm3, [rdi + 784], "+imm+length+"*", zero)
	}
	for _, sum := range []string{"11", "12"} {
		add("*: missing: vpxor *mm"+sum+", *mm"+sum+", *mm9"+length+"is missing", zero)
		add("*: mnemonic: vpxor *mm"+sum+", *mm"+sum+", *mm9"+length+"becomes vpaddd *", zero)
	}
	add("*: register: vpxor *mm12, *mm12, *mm9"+length+"becomes vpxor *mm13, *mm12, *mm9", zero)
	return list
}

// What init does more than it must.
const (
	squares = "the middle products of a square cancel, so that there is nothing to carry"
	loaded  = "the register holds that power already"
)

var vaesAVX2Equivalents = func() (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{"vaes-avx2", what, reason}) }
	add("*: order: vpxor xmm15, xmm15, xmm15 (leave no secret *) #1: comes after the next", "either clears the upper half")
	add("*_init_*: mnemonic: vpxor xmm11, xmm11, xmm13 (reduce the low quarter) #1: becomes vpaddd *", squares)
	add("*_init_*: missing: vmovdqu ymm2, [rdi + 768] (H^6) #1: is missing", loaded)
	add("*_init_*: order: vmovdqu ymm2, [rdi + 768] (H^6) #1: comes after the next", loaded)
	add("*_init_*: register: vmovdqu ymm2, [rdi + 768] (H^6) #1: becomes vmovdqu ymm3, *", loaded)
	add("*: address: v* xmm*, xmm*, [rip + .Lbswap] (*) #*: becomes v* xmm*, xmm*, [rip + .Lbswap + 16]", "both halves of the constant are the same")
	add("*: address: v* xmm*, xmm*, [rip + .Lpoly]* (*) #*: becomes v* xmm*, xmm*, [rip + .Lpoly + 16]*", "both halves of the constant are the same")
	return list
}()

var aesniEquivalents = func() (list []equivalent) {
	add := func(what, reason string) { list = append(list, equivalent{"aesni", what, reason}) }
	const (
		same = "both are the same power"
		one  = "with one block in a register all three constants are 1"
	)
	for _, n := range []string{"2", "4", "8", "16", "32"} {
		product := "vpclmulqdq xmm*, xmm2, xmm1, * (H^" + n + ") #1: "
		add("*_init_*: swap: "+product+"*", same)
		add("*_init_*: register: "+product+"becomes vpclmulqdq xmm*, xmm2, xmm2, *", same)
	}
	for _, n := range []string{"1", "3", "7", "15", "31"} {
		add("*_init_*: mnemonic: vpxor xmm11, xmm11, xmm13 (reduce the low quarter) #"+n+": becomes vpaddd *", squares)
	}
	add("*_init_*: missing: vmovdqu xmm1, [rdi + 784] (H^1 in every lane) #1: is missing", loaded)
	add("*_init_*: missing: vmovdqu xmm2, [rdi + 784] (H^3) #1: is missing", loaded)
	add("*_init_*: order: vmovdqu xmm2, [rdi + 784] (H^3) #1: comes after the next", loaded)
	add("*: address: vpxor xmm6, xmm15, [r8] (CB of block 30, round 0) #*: becomes vpxor xmm6, xmm15, [r8 + 1]",
		"the constants for counters begin with 31 bytes of zeros")
	ones := []string{"step", "next", "ones"}
	for i, was := range ones {
		for _, now := range []string{ones[(i+1)%3], ones[(i+2)%3]} {
			add("*: base: vpaddd xmm15, xmm15, [rip + .L"+was+"] (*) #*: becomes vpaddd xmm15, xmm15, [rip + .L"+now+"]", one)
		}
	}
	return list
}()

// roundKeys is the reason for loads of round keys from the key.
const roundKeys = "the first round keys are the key, which the second argument points to"

// armEquivalents are those of the two kernels that share their frame.
func armEquivalents(kernel string) []equivalent {
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
		{kernel, "*: address: str b0, [x1], #1 (the last 1 to 15 bytes of text) #2: becomes str b0, [x1], #2", noText},
		{kernel, "*: target: cbz x10, text_end (four blocks of text) #1: becomes cbz x10, text_stored4", "of no bytes, none are stored"},
		{kernel, "*: mnemonic: b.eq bulk (choose the path) #1: becomes b.hs bulk",
			"the bytes left of a nonce of 12 bytes are 12, and of another 0: it has been hashed"},
		{kernel, "*: mnemonic: rev w12, w17 (prepare the bulk loop) #1: becomes mov w12, w17", "the counter is zero"},
		{kernel, "*: immediate: add x12, x10, #15 (power of H for the first block) #2: becomes add x12, x10, #1*",
			"the part has 256 bytes; the sum is only divided by 16"},
		{kernel, "*: order: add x*, x*, x10 (*the last 1 to 15 bytes*) #1: comes after the next", "it makes no difference which is added first"},
		{kernel, "*: register: ext v0.16b, v27.16b, v27.16b, #8 (GHASH Xi, halves) #*: becomes ext v0.16b, v27.16b, v*",
			"nothing uses the upper half"},
		{kernel, "*_open_*: immediate: ext v0.16b, v0.16b, v0.16b, #* (wrong tag: clear the output) #1: becomes *", "all bytes are zero"},
		{kernel, "*_open_*: missing: ext v0.16b, v0.16b, v0.16b, #* (wrong tag: clear the output) #1: *", "all bytes are zero"},
		{kernel, "*: register: ext v4.16b, v4.16b, v4.16b, #* (the last 1 to 15 bytes of text) #1: becomes ext v4.16b, v*.16b, v4.16b, #*",
			"the bytes from the first source are those that the next load replaces"},
		{kernel, "*: register: ext v0.16b, v0.16b, v0.16b, #* (the last 1 to 15 bytes of text) #1: becomes ext v0.16b, v0.16b, *",
			"the bytes from the second source are behind those that are to be stored"},
		{kernel, "*_init_*: register: movi v5.2d, #0 (leave no secret in a register) #1: becomes movi v*.2d, #0", publicConstant},
		{kernel, "*_open_*: order: str *0, [x16], #* (wrong tag: clear the output) #1: comes after the next", "all bytes are zero"},
		{kernel, "*_seal_*: immediate: movi v4.2d, #0 (the last 1 to 15 bytes of text) #*: becomes *",
			"the mask clears what stands behind the text"},
		{kernel, "*_seal_*: missing: movi v4.2d, #0 (the last 1 to 15 bytes of text) #*: is missing",
			"the mask clears what stands behind the text"},
	}
	for _, v := range []string{"v5", "v6", "v7"} {
		list = append(list, equivalent{kernel,
			"*_init_*: missing: movi " + v + ".2d, #0 (leave no secret in a register) #1: is missing", publicConstant})
	}
	return list
}
