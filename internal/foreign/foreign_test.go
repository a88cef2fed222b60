// SPDX-License-Identifier: ISC

package foreign

import (
	"strings"
	"testing"
	"testing/fstest"
)

// manifest is one that is right.
const manifest = `{
	"name": "test", "architecture": "amd64", "inPlaceOf": ["aesni"], "files": ["a.S"],
	"defines": {"LEVEL": "2", "ENTRY": "endbr64; nop", "X": "Y", "Y": "X"}, "ignore": ["left_out.h"],
	"htable": "table", "hashKey": "bytes",
	"encrypt": {"128": "bulk"}, "decrypt": {"128": "bulk"}, "licence": "LICENCE"
}`

// both are the functions that it names.
const both = ".text\ntable: ret\n.size table, .-table\nbulk: nop\n ret\n.size bulk, .-bulk\n"

// module is the root of this module, as far as Import wants it.
var module = fstest.MapFS{"cshim/foreign.h": {Data: []byte("foreign")}, "cshim/gcm.h": {Data: []byte("gcm")}, "cshim/symbols.h": {Data: []byte("symbols")}}

// importText imports a tree with a.S of the given text.
func importText(manifest, text string) (files []File, err error) {
	tree := fstest.MapFS{"a.S": {Data: []byte(text)}, "LICENCE": {Data: []byte("free")}}
	_, files, err = Import([]byte(manifest), tree, module)
	return files, err
}

// TestConditions resolves conditions, macros and comments.
func TestConditions(t *testing.T) {
	m, err := ReadManifest([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a\n#if 1\nb\n#else\nc\n#endif\nd":                                                     "a b d",
		"#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif":                                   "b",
		"#if 0\n#if 1\na\n#else\nb\n#endif\n#error no\n#include <x>\n#endif":                   "",
		"#ifdef LEVEL\na\n#endif\n#ifndef LEVEL\nb\n#endif":                                    "a",
		"#if LEVEL>1&&!defined(NONE)\na\n#endif":                                               "a",
		"#if defined LEVEL && defined ( NONE ) || NONE\na\n#endif":                             "",
		"#if (LEVEL + 1) * 2 == 6 && 7 / 2 % 2 == 1 && -1 < 0 && ~0\na\n#endif":                "a",
		"#if 1 << 4 == 0x10UL && 16 >> 4 == 1 && (6 & 3) == 2 && (6 ^ 3 | 8) == 13\na\n#endif": "a",
		"#if LEVEL >= 3 || LEVEL <= 1 || LEVEL != 2\na\n#endif":                                "",
		"#if \\\n LEVEL == \\\n 2\na\n#endif":                                                  "a",
		"#if 1\n#elif 1/0\na\n#endif":                                                          "",
		"# define A b\nA\n#undef A\nA":                                                         "b A",
		"#define A B c\n#define B A\nA":                                                        "A c",
		"X ENTRY":                                                                              "X endbr64|nop",
		"a /* b\n c */ d // e\nf":                                                              "a|d f",
		`.ascii "/* ; // */" ; a`:                                                              `.ascii "/* ; // */"|a`,
		"# a comment\n#no directive\na # another\n":                                            "a",
		"#include \"left_out.h\"\n#include <left_out.h>\na":                                    "a",
	} {
		got, err := m.preprocess("a.S", text)
		var all []string
		for _, s := range got {
			all = append(all, s.text)
		}
		want = strings.ReplaceAll(strings.ReplaceAll(want, "|", " "), "  ", " ")
		if err != nil || strings.Join(all, " ") != want {
			t.Errorf("%q gives %q and %v, want %q", text, all, err, want)
		}
	}
}

// TestWrongSources has one sentence for each thing that is wrong with a file.
func TestWrongSources(t *testing.T) {
	for text, want := range map[string]string{
		"#if 1":                          "a.S:1: this condition has no #endif",
		"\n#endif":                       "a.S:2: #endif without #if",
		"#else":                          "a.S:1: #else without #if",
		"#if 0\n#else\n#else\n#endif":    "a.S:3: #else after #else",
		"#if 0\n#else\n#elif 1\n#endif":  "a.S:3: #elif after #else",
		"#if\n#endif":                    "a.S:1: #if : it ends too early",
		"#if 1 2\n#endif":                `a.S:1: #if 1 2: cannot read "2"`,
		"#if (1\n#endif":                 "a.S:1: #if (1: a parenthesis is not closed",
		"#if 1 $\n#endif":                `a.S:1: #if 1 $: cannot read "$"`,
		"#if *\n#endif":                  `a.S:1: #if *: cannot read "*"`,
		"#if 1/0\n#endif":                "a.S:1: #if 1/0: a division by zero",
		"#if HAS(x)\n#endif":             "a.S:1: #if HAS(x): HAS takes arguments, which is not supported",
		"#ifdef 1\n#endif":               "a.S:1: #ifdef 1 is no name of a macro",
		"#define f(x) x":                 "a.S:1: the macro f takes arguments, which is not supported",
		"#define 1":                      "a.S:1: #define 1 cannot be read",
		"#error too old":                 "a.S:1: #error too old",
		"#include <new.h>":               "a.S:1: #include <new.h> is not among those to ignore; what it defines belongs to defines",
		"\n/* x":                         "a.S:2: this comment has no end",
		".ascii \"x":                     "a.S:1: this string has no end",
		"a:\na:":                         "a.S:2: the label a was there before",
		".macro a\nb":                    "a.S:1: this .macro has no .endm",
		".endm":                          "a.S:1: .endm without .macro",
		".pushsection x":                 "a.S:1: the directive .pushsection is not supported",
		".incbin \"x\"":                  "a.S:1: the directive .incbin is not supported",
		"table: ret":                     "no file defines the function bulk",
		"table: ret\n.data\nbulk: ret":   "a.S: bulk is no function in the section .text",
		"table:\nbulk: ret\n.size table": "a.S:2: the function bulk begins within table",
		both + "call missing":            "", // behind the functions
		strings.Replace(both, "nop", "call missing", 1):                             "a.S:4: no file defines missing",
		strings.Replace(both, "nop", "leaq missing(%rip), %rax", 1):                 "a.S:4: no file defines missing",
		strings.Replace(both, "nop", "jz .Lmissing", 1):                             "a.S:4: no file defines .Lmissing",
		strings.Replace(both, "nop", "movq x(%rip), %rax", 1) + ".data\nx: .quad 0": "a.S:8: this is needed and lies in the section .data; only .text and .rodata are taken",
	} {
		files, err := importText(manifest, text)
		if got := errorText(err); got != want || (files == nil) != (want != "") {
			t.Errorf("%q: %d files, says %q, want %q", text, len(files), got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestWrongManifests has one sentence for each thing that is wrong with a manifest.
func TestWrongManifests(t *testing.T) {
	for _, c := range [][3]string{
		{`"test"`, `"Test"`, `name "Test" is not one of small letters, digits and _, or means something in Go`},
		{`"test"`, `"../up"`, `name "../up" is not one of small letters, digits and _, or means something in Go`},
		{`"test"`, `"func"`, `name "func" is not one of small letters, digits and _, or means something in Go`},
		{`"amd64"`, `"x86"`, `architecture "x86" is neither amd64 nor arm64`},
		{`["aesni"]`, `[]`, "inPlaceOf names no kernel"},
		{`"aesni"`, `"eor3"`, `inPlaceOf names "eor3", which is no kernel for amd64`},
		{`["a.S"]`, `[]`, "files names no file"},
		{`"a.S"`, `"../a.S"`, `"../a.S" is no file in the tree`},
		{`"a.S"`, `"b.S"`, "b.S of the tree cannot be read: open b.S: file does not exist"},
		{`"a.S"`, `"a.S", "a.S"`, "a.S and a.S would both give a"},
		{`"LICENCE"`, `""`, `"" is no file in the tree`},
		{`"LICENCE"`, `"none"`, "none of the tree cannot be read: open none: file does not exist"},
		{`"LEVEL"`, `"A B"`, `defines has "A B", which is no name of a macro`},
		{`"htable"`, `"blocks": 65, "htable"`, "blocks is 65, not 1 to 64"},
		{`"htable"`, `"roundsLess": 2, "htable"`, "roundsLess is 2, neither 0 nor 1"},
		{`"bytes"`, `"bits"`, `hashKey is "bits", neither words nor bytes`},
		{`"encrypt": {"128": "bulk"}`, `"encrypt": {}`, "encrypt names no function"},
		{`"encrypt": {"128"`, `"encrypt": {"129"`, `encrypt has key size "129", not 128, 192 or 256`},
		{`"decrypt": {"128"`, `"decrypt": {"256"`, "decrypt names no function for the key size 128"},
		{`"decrypt": {`, `"decrypt": {"256": "bulk", `, "encrypt names no function for the key size 256"},
		{`"table"`, `"a table"`, `"a table" is no name of a function`},
		{`"name"`, `"nam"`, `the manifest cannot be read: json: unknown field "nam"`},
		{`"LICENCE"` + "\n}", `"LICENCE"} {}`, "the manifest goes on after its end"},
	} {
		text := strings.Replace(manifest, c[0], c[1], 1)
		if files, err := importText(text, both); files != nil || errorText(err) != c[2] {
			t.Errorf("%s for %s: says %q, want %q", c[1], c[0], errorText(err), c[2])
		}
	}
	tree := fstest.MapFS{"a.S": {Data: []byte(both)}, "b.S": {Data: []byte("nop")}, "LICENCE": {}}
	text := strings.Replace(manifest, `"a.S"`, `"a.S", "b.S"`, 1)
	if _, _, err := Import([]byte(text), tree, module); errorText(err) != "b.S holds nothing that is needed" {
		t.Error(err)
	}
	tree["b.S"].Data = []byte("bulk: ret")
	if _, _, err := Import([]byte(text), tree, module); errorText(err) != "both a.S and b.S define bulk" && errorText(err) != "both b.S and a.S define bulk" {
		t.Error(err)
	}
	if _, _, err := Import([]byte(manifest), tree, fstest.MapFS{}); errorText(err) != "cshim/foreign.h of the module cannot be read: open cshim/foreign.h: file does not exist" {
		t.Error(err)
	}
}

// TestExtract takes what is needed, of two files, and nothing else.
func TestExtract(t *testing.T) {
	tree := fstest.MapFS{
		"a.S": {Data: []byte(`
			.arch_setting_is_code
			.macro step
				call helper
			.endm
			.globl table
			table: ret
			.size table, . - table
			.Lunused: .quad 1
			.globl bulk
			.type bulk, @function
			.cfi_startproc
			bulk:
				leaq .Lused(%rip), %rax
				step
				jmp shared@PLT
				.section .rodata
				.align 16
				.Lused: .quad unusedlabel - .Lused
				unusedlabel: .quad 2
				.previous
				ret
			.cfi_endproc
			.size bulk, . - bulk
			unused: ret
			.type helper, @function
			helper: ret`)},
		"b.S":     {Data: []byte(".type other, @function\nother: call bulk\n.size other, .-other\n.type shared, @function\nshared: ret\n")},
		"LICENCE": {Data: []byte("free")},
	}
	text := strings.Replace(manifest, `"a.S"`, `"a.S", "b.S"`, 1)
	_, files, err := Import([]byte(text), tree, module)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, f := range files {
		byName[f.Name] = string(f.Data)
	}
	for name, wants := range map[string][]string{
		"third_party/test/a_elf_amd64.S": {"//go:build stitchgcm_foreign && cgo && !darwin && !windows && amd64\n", "\t.hidden stitchgcm_v0_foreign_test_bulk\nstitchgcm_v0_foreign_test_bulk:\n\tleaq .Lused(%rip), %rax\n\tstep\n\tjmp stitchgcm_v0_foreign_test_shared@PLT\n\tret\n",
			"\t.size stitchgcm_v0_foreign_test_table, . - stitchgcm_v0_foreign_test_table\n", "\tcall stitchgcm_v0_foreign_test_helper\n",
			"\t.section .rodata\n\n\t.balign 64\n", ".Lused:\n\t.quad stitchgcm_v0_foreign_test_unusedlabel - .Lused\nstitchgcm_v0_foreign_test_unusedlabel:\n\t.quad 2\n", `.section .note.GNU-stack, "", %progbits`},
		"third_party/test/a_macho_amd64.S": {"//go:build stitchgcm_foreign && cgo && darwin && amd64\n", "\t.private_extern _stitchgcm_v0_foreign_test_bulk\n_stitchgcm_v0_foreign_test_bulk:\n", "\t.section __TEXT,__const\n", "\t.balign 16\nLused:\n",
			"leaq Lused(%rip), %rax"},
		"third_party/test/b_elf_amd64.S":   {"stitchgcm_v0_foreign_test_shared:\n\tret\n"},
		"LICENSES/LicenseRef-test.txt":     {"free"},
		"third_party/test/gcm.h":           {"gcm"},
		"third_party/test/symbols.h":       {"symbols"},
		"third_party/test/table.c":         {".encrypt = {stitchgcm_v0_foreign_test_bulk, 0, 0},", ".kernels = 1 << STITCHGCM_AESNI,"},
		"third_party/kernel_amd64.go":      {`import _ "github.com/stitchgcm/gcm/third_party/test"`},
		"third_party/test/lock":            {"(manifest)", "  a.S\n", "  b.S\n", "  LICENCE\n", "  third_party/kernel_amd64.go\n"},
		"third_party/test/package.go":      {"package test\n"},
		"third_party/test/b_macho_amd64.S": {"_stitchgcm_v0_foreign_test_shared:\n\tret\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(byName[name], want) {
				t.Errorf("%s has no %q:\n%s", name, want, byName[name])
			}
		}
		for _, no := range []string{".Lunused", "test_unused:", "test_other", ".cfi", ".size .L", ".type .L"} {
			if strings.Contains(byName[name], no) {
				t.Errorf("%s has %q:\n%s", name, no, byName[name])
			}
		}
	}
	if len(files) != 12 {
		t.Errorf("%d files", len(files))
	}
}

// TestVerify finds files that are not those of the lock, and locks that are none.
func TestVerify(t *testing.T) {
	files, err := importText(manifest, both)
	if err != nil {
		t.Fatal(err)
	}
	root, lock := fstest.MapFS{}, ""
	for _, f := range files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
		if strings.HasSuffix(f.Name, "/"+LockName) {
			lock = string(f.Data)
		}
	}
	if n, err := Verify([]byte(lock), root); n != len(files)-1 || err != nil {
		t.Errorf("%d files, %v", n, err)
	}
	const victim = "third_party/test/table.c"
	root[victim].Data = append(root[victim].Data, ' ')
	if _, err := Verify([]byte(lock), root); errorText(err) != victim+" is not what the lock says" {
		t.Error(err)
	}
	delete(root, victim)
	if _, err := Verify([]byte(lock), root); errorText(err) != victim+" cannot be read: open "+victim+": file does not exist" {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"":             "the lock names no file",
		"in 12 x":      `the lock has the line "in 12 x"`,
		"what is this": `the lock has the line "what is this"`,
	} {
		if _, err := Verify([]byte(text), root); errorText(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
