// SPDX-License-Identifier: ISC

// Package kernels holds the kernels: for each a counter-mode stream, a GHASH
// stream, and the frame round them that takes the arguments, the AAD, short
// messages, the tail and the tag. Names are those of SP 800-38D; the algebra
// behind the tables and the reduction is derived in docs/ALGORITHMS.md.
package kernels

import (
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// roundsFor returns the number of AES rounds for a key of that many bits.
func roundsFor(bits int) int { return 6 + bits/32 }

// ids are what key blocks call the kernels; cshim/gcm.h has the same.
var ids = map[string]int{"vaes-avx512": 1, "eor3": 2, "pmull": 3, "vaes-avx2": 4, "aesni": 5}

// newContract returns what all kernels promise for an operation.
func newContract(kernel, op string, bits int) *ir.Contract {
	c := &ir.Contract{Kernel: kernel, ID: ids[kernel], Op: op, Bits: bits}
	ptr := func(name, perm, size string, space ir.Space, means string) ir.Arg {
		typ := "const uint8_t *"
		if perm != "r" {
			typ = "uint8_t *"
		}
		return ir.Arg{Name: name, Type: typ, Perm: perm, Size: size, Space: space, Means: means}
	}
	num := func(name, means string) ir.Arg { return ir.Arg{Name: name, Type: "uint64_t ", Means: means} }
	if op == "init" {
		c.Summary = fmt.Sprintf("set up the key block for a %d-bit key", bits)
		c.Args = []ir.Arg{
			ptr("block", "w", "the fields below", ir.KeyBlock, "key block, at any 8-byte boundary"),
			ptr("key", "r", fmt.Sprint(bits/8), ir.KeyBlock, "AES key"),
		}
		return c
	}
	block := ptr("block", "r", "the fields below", ir.KeyBlock, "key block made by init")
	switch op {
	case "seal_turns", "open_turns":
		c.Summary = fmt.Sprintf("encrypt and hash whole turns of a text under a %d-bit key (SP 800-38D, 6.4 and 6.5)", bits)
		if op == "open_turns" {
			c.Summary = fmt.Sprintf("hash and decrypt whole turns of a text under a %d-bit key (SP 800-38D, 6.4 and 6.5)", bits)
		}
		c.Args = []ir.Arg{
			block,
			ptr("out", "w", "len", ir.Text, "result; in itself, or apart from it"),
			ptr("in", "r", "len", ir.Text, "text"),
			num("len", "bytes of text: one turn or more, and nothing else"),
			ptr("state", "rw", "32", ir.State, "Xi, then the counter block of the first turn, whose counter is 2 more than a multiple of the blocks in a turn"),
		}
		return c
	case "seal_fours", "open_fours":
		c.Summary = fmt.Sprintf("encrypt and authenticate messages, four at a time, under a %d-bit key (SP 800-38D, 7.1)", bits)
		if op == "open_fours" {
			c.Summary = fmt.Sprintf("decrypt and verify messages, four at a time, under a %d-bit key (SP 800-38D, 7.2)", bits)
			c.Result = "a bit for each message, the lowest for the last: 1 if its tag is right; else what was appended to it must be cleared"
		}
		c.Args = []ir.Arg{
			block,
			ptr("packets", "rw", "packets_len", ir.Packets, "where the messages are, 112 bytes for each: docs/ALGORITHMS.md"),
			num("packets_len", "bytes of that: a multiple of 448, at least 448 and at most 7168"),
			num("tag_len", "bytes of every tag, 4 to 16"),
		}
		return c
	}
	tagPerm, tagMeans := "w", "where the tag goes"
	c.Summary = fmt.Sprintf("encrypt and authenticate one message under a %d-bit key (SP 800-38D, 7.1)", bits)
	if op == "open" {
		tagPerm, tagMeans = "r", "the tag to be compared"
		c.Summary = fmt.Sprintf("decrypt and verify one message under a %d-bit key (SP 800-38D, 7.2)", bits)
		c.Result = "1 if the tag is right; else 0, and out holds zeros"
	}
	c.Args = []ir.Arg{
		block,
		ptr("out", "w", "len", ir.Text, "result; in itself, or apart from it"),
		ptr("in", "r", "len", ir.Text, "text"),
		num("len", "bytes of text, at most 2^36-32"),
		ptr("aad", "r", "aad_len", ir.AAD, "additional authenticated data"),
		num("aad_len", "bytes of it, at most 2^61-1"),
		ptr("nonce", "r", "nonce_len", ir.Nonce, "nonce"),
		num("nonce_len", "bytes of it, at least 1"),
		ptr("tag", tagPerm, "tag_len", ir.Tag, tagMeans),
		num("tag_len", "bytes of it, 4 to 16"),
	}
	return c
}

// merge stitches streams. It panics where they clash: kernels are fixed
// programs, so that is a mistake in their source.
func merge(m *stitch.Model, streams ...stitch.Stream) []ir.Inst {
	code, err := stitch.Merge(m, streams...)
	if err != nil {
		panic(err)
	}
	return code
}

// table has a row for each kernel.
var table = []struct {
	name     string
	programs func() []*ir.Program
	model    *stitch.Model // that its code is stitched for
}{
	{"vaes-avx512", VaesAVX512, vaesModel},
	{"vaes-avx2", VaesAVX2, avxModel},
	{"aesni", Aesni, avxModel},
	{"eor3", Eor3, armModel},
	{"pmull", Pmull, armModel},
}

// All returns the programs of every kernel, one slice a kernel.
func All() (all [][]*ir.Program) {
	for _, k := range table {
		all = append(all, k.programs())
	}
	return all
}

// Programs returns the programs of the kernel of that name, or nil where there is
// none.
func Programs(name string) []*ir.Program {
	for _, k := range table {
		if k.name == name {
			return k.programs()
		}
	}
	return nil
}

// Names returns the names of all kernels, in the order of All.
func Names() (names []string) {
	for _, k := range table {
		names = append(names, k.name)
	}
	return names
}
