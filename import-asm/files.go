// SPDX-License-Identifier: ISC

package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// A file is one generated file; its name is relative to the module's root.
type file struct {
	name string
	data []byte
}

// generate makes all generated files in memory.
func generate() ([]file, error) {
	all := kernels.All()
	files := []file{{"cshim/symbols.h", emit.Symbols()}, {"cshim/kernels.h", emit.Header(all...)}}
	byArch := map[string][][]*ir.Program{}
	for _, ps := range all {
		byArch[ps[0].ISA.Name] = append(byArch[ps[0].ISA.Name], ps)
	}
	for _, arch := range slices.Sorted(maps.Keys(byArch)) {
		files = append(files, file{"internal/direct/kernels_" + arch + ".go", emit.GoDispatch("direct", byArch[arch])})
	}
	for _, ps := range all {
		text, err := emit.GNU(ps)
		if err != nil {
			return nil, err
		}
		name := fileName(ps[0])
		files = append(files, file{"cshim/" + name + ".S", text})
		goText, err := emit.GoAssembly(ps)
		if err != nil {
			return nil, err
		}
		files = append(files,
			file{"internal/direct/" + name + ".s", goText},
			file{"internal/direct/" + name + ".go", emit.GoStub("direct", ps)})
	}
	return files, nil
}

// fileName returns the name of a kernel's file, such as vaes_avx512_amd64.
func fileName(p *ir.Program) string {
	return strings.ReplaceAll(p.Contract.Kernel, "-", "_") + "_" + p.ISA.Name
}
