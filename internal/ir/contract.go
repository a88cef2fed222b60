// SPDX-License-Identifier: ISC

package ir

import (
	"fmt"
	"strings"
)

// An Arg is one argument of a kernel: 8 bytes, a pointer or a number.
type Arg struct {
	Name string // as in the C prototype
	Type string // C type
	// Perm is "r", "w" or "rw" for pointers, "" for numbers.
	Perm string
	// Size is the number of bytes behind a pointer: a number or the name of
	// another argument.
	Size  string
	Space Space
	Means string
}

// A Contract states what a kernel takes and gives. The banner, the C header,
// the Go stub and the ABI test are made from it.
type Contract struct {
	Kernel   string // as users name it, such as vaes-avx512
	ID       int    // as key blocks name it, 1 to 255
	Op       string // init, seal or open, or these for turns of one message or for four messages
	Bits     int    // key size
	Turn     int    // bytes of text that a turn of the bulk loop takes
	Summary  string
	Args     []Arg
	Result   string   // meaning of the returned uint64; "" for void
	Features []string // as processor manuals name them
	KeyBlock []Field
	// Clobbers says which registers change and what stays in them.
	Clobbers string
	// StackBytes is what the kernel takes below the stack pointer.
	StackBytes int
}

// Rounds returns the number of AES rounds.
func (c *Contract) Rounds() int { return 6 + c.Bits/32 }

// Whole reports whether a call seals or opens one whole message.
func (c *Contract) Whole() bool { return c.Op == "seal" || c.Op == "open" }

// Opens reports whether the text that a call takes is ciphertext.
func (c *Contract) Opens() bool { return strings.HasPrefix(c.Op, "open") }

// A Field is a part of the key block.
type Field struct {
	Offset, Size int // bytes
	Means        string
}

// GoArg returns argument i, or behind the last the result, as Go's assembler
// names it in the caller's frame.
func (c *Contract) GoArg(i int) string {
	if i == len(c.Args) {
		return fmt.Sprintf("ret+%d(FP)", 8*i)
	}
	return fmt.Sprintf("%s+%d(FP)", Camel(c.Args[i].Name), 8*i)
}

// Camel returns a name with underscores in Go's style: aad_len is aadLen.
func Camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}
