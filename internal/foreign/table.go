// SPDX-License-Identifier: ISC

package foreign

import (
	"fmt"
	"slices"
	"strings"
)

// table returns the C that tells cshim/foreign.c of the kernel.
func (m *Manifest) table() []byte {
	var w strings.Builder
	fmt.Fprintf(&w, "// Code generated from the manifest of %s; DO NOT EDIT.\n\n//go:build %s\n\n", m.Name, m.constraint())
	fmt.Fprintf(&w, "#pragma GCC visibility push(hidden)\n\n#include \"foreign.h\"\n#include \"gcm.h\"\n\n")
	bulks := m.functions()[1:] // the first one is Htable
	fmt.Fprintf(&w, "stitchgcm_foreign_htable_t %s%s;\n", m.prefix(), m.Htable)
	for _, f := range bulks {
		fmt.Fprintf(&w, "stitchgcm_foreign_bulk_t %s%s;\n", m.prefix(), f)
	}
	var kernels []string
	for _, k := range m.InPlaceOf {
		bit := "1 << " + kernelsOf[m.Architecture][k]
		if !slices.Contains(kernels, bit) {
			kernels = append(kernels, bit)
		}
	}
	words := 0
	if m.HashKey == "words" {
		words = 1
	}
	fmt.Fprintf(&w, "\nconst struct stitchgcm_foreign stitchgcm_foreign = {\n")
	fmt.Fprintf(&w, "\t.kernels = %s,\n\t.blocks = %d,\n\t.words = %d,\n\t.rounds_less = %d,\n",
		strings.Join(kernels, " | "), m.blocks(), words, m.RoundsLess)
	fmt.Fprintf(&w, "\t.htable = %s%s,\n", m.prefix(), m.Htable)
	for _, way := range []struct {
		name string
		of   map[string]string
	}{{"encrypt", m.Encrypt}, {"decrypt", m.Decrypt}} {
		fmt.Fprintf(&w, "\t.%s = {", way.name)
		for n, bits := range keyBits {
			if n > 0 {
				w.WriteString(", ")
			}
			if f := way.of[bits]; f != "" {
				w.WriteString(m.prefix() + f)
			} else {
				w.WriteString("0")
			}
		}
		fmt.Fprintf(&w, "},\n")
	}
	fmt.Fprintf(&w, "};\n\n#pragma GCC visibility pop\n")
	return []byte(w.String())
}

// constraint is where the package builds.
func (m *Manifest) constraint() string {
	return fmt.Sprintf("%s && cgo && (linux || darwin) && %s", Tag, m.Architecture)
}

// goPackage returns the Go file that makes cgo compile the folder.
func (m *Manifest) goPackage() []byte {
	return fmt.Appendf(nil, `// Code generated from the manifest of %s; DO NOT EDIT.

//go:build %s

// Package %s holds the foreign kernel %s.
package %s

import "C"
`, m.Name, m.constraint(), m.Name, m.Name, m.Name)
}

// slot returns the Go file that links the kernel.
func (m *Manifest) slot() []byte {
	return fmt.Appendf(nil, `// Code generated from the manifest of %s; DO NOT EDIT.

//go:build %s

package third_party

import _ "github.com/stitchgcm/gcm/third_party/%s"

// Kernel is the name of the foreign kernel.
const Kernel = "%s"
`, m.Name, m.constraint(), m.Name, m.Name)
}
