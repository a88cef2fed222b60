// SPDX-License-Identifier: ISC

package emit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// GoDispatch returns the Go file that calls the functions of GoAssembly by the
// kernel and the rounds in a key block: all kernels of one architecture.
func GoDispatch(pkg string, all [][]*ir.Program) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n// SPDX-License-Identifier: ISC\n\npackage %s\n", Marker, pkg)
	fmt.Fprintf(&w, "\n// ID returns what key blocks call a kernel, or 0 for none of this architecture.\n"+
		"func ID(kernel string) byte {\n\tswitch kernel {\n")
	for _, ps := range all {
		fmt.Fprintf(&w, "\tcase %q:\n\t\treturn %d\n", ps[0].Contract.Kernel, ps[0].Contract.ID)
	}
	fmt.Fprintf(&w, "\t}\n\treturn 0\n}\n")
	fmt.Fprintf(&w, "\n// Turn returns the bytes of text that a turn of the kernel's bulk loop takes.\n"+
		"func Turn(block *KeyBlock) int {\n\tswitch block[kernelOffset] {\n")
	for _, ps := range all {
		fmt.Fprintf(&w, "\tcase %d: // %s\n\t\treturn %d\n", ps[0].Contract.ID, ps[0].Contract.Kernel, ps[0].Contract.Turn)
	}
	fmt.Fprintf(&w, "\tdefault:\n\t\tpanic(noKernel)\n\t}\n}\n")
	fmt.Fprintf(&w, "\n// Fours reports whether the kernel has SealFours and OpenFours.\n"+
		"func Fours(block *KeyBlock) bool {\n\tswitch block[kernelOffset] {\n")
	for _, ps := range all {
		if slices.ContainsFunc(ps, func(p *ir.Program) bool { return strings.HasSuffix(p.Contract.Op, "_fours") }) {
			fmt.Fprintf(&w, "\tcase %d: // %s\n\t\treturn true\n", ps[0].Contract.ID, ps[0].Contract.Kernel)
		}
	}
	fmt.Fprintf(&w, "\t}\n\treturn false\n}\n")
	for _, f := range []struct{ op, doc, signature string }{
		{"init", "expand fills the key block, for the kernel and the rounds that it names.",
			"expand(block *KeyBlock, key []byte)"},
		{"seal", "Seal encrypts in to out, which is as long, and writes the tag, of 4 to 16\n// bytes.",
			"Seal(block *KeyBlock, out, in, aad, nonce, tag []byte)"},
		{"open", "Open decrypts in to out, which is as long, and reports whether the tag, of 4\n// to 16 bytes, matched; where it did not, out holds zeros.",
			"Open(block *KeyBlock, out, in, aad, nonce, tag []byte) bool"},
		{"seal_turns", "SealTurns encrypts in, which is some turns long, to out, which is as long, and\n// hashes that: state is Xi, then the counter block of the first turn, and is\n// those of the turn behind. The counter of a turn is 2 more than a multiple of\n// the blocks in it.",
			"SealTurns(block *KeyBlock, out, in, state []byte)"},
		{"open_turns", "OpenTurns decrypts, likewise, and hashes in.",
			"OpenTurns(block *KeyBlock, out, in, state []byte)"},
		{"seal_fours", "sealFours seals the messages of packets, a multiple of four.",
			"sealFours(block *KeyBlock, packets []byte, tagLen int)"},
		{"open_fours", "openFours opens them, and returns a bit for each, the lowest for the last: 1\n// where the tag matched.",
			"openFours(block *KeyBlock, packets []byte, tagLen int) uint64"},
	} {
		fmt.Fprintf(&w, "\n// %s\nfunc %s {\n\tswitch at(block) {\n", f.doc, f.signature)
		for _, ps := range all {
			for _, p := range ps {
				if c := p.Contract; c.Op == f.op {
					fmt.Fprintf(&w, "\tcase %d<<8 | %d: // %s, %d-bit keys\n\t\t%s\n", c.ID, c.Rounds(), c.Kernel, c.Bits, goCall(p))
				}
			}
		}
		fmt.Fprintf(&w, "\tdefault:\n\t\tpanic(noKernel)\n\t}\n}\n")
	}
	return w.Bytes()
}

// goCall returns the statement that calls a program's function with a key block
// and slices: a pointer is where a slice begins, and a number how long the slice
// is whose contract names it, or an argument of its own.
func goCall(p *ir.Program) string {
	c := p.Contract
	sized := map[string]string{} // the slice that has the length of that name
	args := []string{"&block[0]"}
	for _, a := range c.Args[1:] {
		name := ir.Camel(a.Name)
		if a.Perm == "" {
			if slice, ok := sized[a.Name]; ok {
				args = append(args, fmt.Sprintf("uint64(len(%s))", slice))
			} else {
				args = append(args, fmt.Sprintf("uint64(%s)", ir.Camel(a.Name)))
			}
			continue
		}
		sized[a.Size] = name
		args = append(args, fmt.Sprintf("start(%s)", name))
	}
	call := fmt.Sprintf("%s(%s)", GoName(p), strings.Join(args, ", "))
	switch {
	case c.Result == "":
	case c.Op == "open_fours":
		return "return " + call
	default:
		return "return " + call + " != 0"
	}
	return call
}
