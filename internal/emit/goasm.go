// SPDX-License-Identifier: ISC

package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// GoAssembly returns the programs, all of one kernel, as a file for the Go
// assembler.
func GoAssembly(ps []*ir.Program) ([]byte, error) {
	var w bytes.Buffer
	c := ps[0].Contract
	fmt.Fprintf(&w, "%s\n// SPDX-License-Identifier: ISC\n\n", Marker)
	fmt.Fprintf(&w, "// AES-GCM kernel %s.\n// Needs %s.\n\n#include \"textflag.h\"\n", c.Kernel, strings.Join(c.Features, ", "))
	data, err := sharedData(ps)
	if err != nil {
		return nil, err
	}
	for _, d := range data {
		if len(d.Bytes)%8 != 0 {
			return nil, fmt.Errorf("emit: constant %s of %d bytes, not a multiple of 8", d.Name, len(d.Bytes))
		}
		w.WriteByte('\n')
		for i := 0; i < len(d.Bytes); i += 8 {
			fmt.Fprintf(&w, "DATA %s<>+%d(SB)/8, $0x%016x\n", d.Name, i, binary.LittleEndian.Uint64(d.Bytes[i:]))
		}
		fmt.Fprintf(&w, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", d.Name, len(d.Bytes))
	}
	for _, p := range ps {
		goFunction(&w, p.ForGo())
	}
	return w.Bytes(), nil
}

func goFunction(w *bytes.Buffer, p *ir.Program) {
	c := p.Contract
	size := 8 * len(c.Args)
	if c.Result != "" {
		size += 8
	}
	fmt.Fprintf(w, "\n// func %s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", GoPrototype(p), GoName(p), c.StackBytes, size)
	for _, i := range p.Code {
		if i.Form == nil {
			fmt.Fprintf(w, "\n%s:\n", i.Label)
			continue
		}
		fmt.Fprintf(w, "\t%-60s // %s\n", p.ISA.GoText(i, p), i.Origin)
	}
}

// GoStub returns the Go file that declares the functions of GoAssembly.
func GoStub(pkg string, ps []*ir.Program) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n// SPDX-License-Identifier: ISC\n\npackage %s\n", Marker, pkg)
	for _, p := range ps {
		fmt.Fprintf(&w, "\n// %s: %s.\n//\n//go:noescape\nfunc %s\n", GoName(p), p.Contract.Summary, GoPrototype(p))
	}
	return w.Bytes()
}

// GoName returns the Go name of a program's function: vaes_avx512_seal_128 is
// vaesAvx512Seal128.
func GoName(p *ir.Program) string { return ir.Camel(p.Name) }

// GoPrototype returns the Go declaration of a program's function, without
// the word func.
func GoPrototype(p *ir.Program) string {
	var args []string
	for _, a := range p.Contract.Args {
		typ := "*byte"
		if a.Perm == "" {
			typ = "uint64"
		}
		args = append(args, ir.Camel(a.Name)+" "+typ)
	}
	s := fmt.Sprintf("%s(%s)", GoName(p), strings.Join(args, ", "))
	if p.Contract.Result != "" {
		s += " uint64"
	}
	return s
}
