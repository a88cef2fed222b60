// SPDX-License-Identifier: ISC

package objects

import (
	"debug/elf"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An instruction is one line of a disassembly.
type instruction struct {
	addr, size uint64 // bytes
	raw        string // as objdump shows it
	text       string // normalised, with @ where a target was
	target     uint64 // where it jumps, or what it addresses relative to itself
}

func (i instruction) mnemonic() string {
	m, _, _ := strings.Cut(i.text, " ")
	return m
}

// An image is the disassembled code of an object or program, with its data.
type image struct {
	arch    string
	file    *elf.File
	code    []instruction // in order of addresses
	symbols []elf.Symbol
}

var (
	codeLine  = regexp.MustCompile(`^ *([0-9a-f]+):\t(.*)$`)
	relocLine = regexp.MustCompile(`^\t\t\t([0-9a-f]+): (R_\w+)\t(.*)$`)
	jumpTo    = regexp.MustCompile(`\b([0-9a-f]+) <[^>]*>$`)
	ripTo     = regexp.MustCompile(`# ([0-9a-f]+) <.*$`)
	ripUse    = regexp.MustCompile(`\[rip[^\]]*\]`)
	rodata    = regexp.MustCompile(`^\.rodata(?:([+-])0x([0-9a-f]+))?$`)
)

// disassemble reads the code of an ELF file between two addresses; all of it
// if both are 0.
func disassemble(t *testing.T, cc, arch, name string, from, to uint64) *image {
	t.Helper()
	m := &image{arch: arch, file: open(t, name)}
	var err error
	if m.symbols, err = m.file.Symbols(); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-drz", "--no-show-raw-insn"}, targets[arch].objdump...)
	if to > 0 {
		args = append(args, fmt.Sprintf("--start-address=%#x", from), fmt.Sprintf("--stop-address=%#x", to))
	}
	for _, l := range strings.Split(run(t, binutil(t, cc, "objdump"), append(args, name)...), "\n") {
		if f := codeLine.FindStringSubmatch(l); f != nil {
			i := instruction{addr: hex(t, f[1]), raw: strings.Join(strings.Fields(f[2]), " ")}
			if n := len(m.code); n > 0 {
				m.code[n-1].size = i.addr - m.code[n-1].addr
			}
			i.text, i.target = resolve(t, arch, f[2])
			m.code = append(m.code, i)
		} else if f := relocLine.FindStringSubmatch(l); f != nil {
			m.relocate(t, hex(t, f[1]), f[2], f[3])
		}
	}
	for n := range m.code { // sizes are known now
		if i := &m.code[n]; strings.Contains(i.raw, " -> .rodata") {
			i.target += i.size
		}
	}
	return m
}

func open(t *testing.T, name string) *elf.File {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func hex(t *testing.T, s string) uint64 {
	t.Helper()
	x, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// resolve normalises an instruction and takes its target out.
func resolve(t *testing.T, arch, s string) (text string, target uint64) {
	t.Helper()
	if f := ripTo.FindStringSubmatch(s); f != nil && arch == "amd64" {
		target = hex(t, f[1])
		s = ripUse.ReplaceAllString(s[:strings.Index(s, "#")], "[@]")
	}
	s = strings.TrimSpace(comment.ReplaceAllString(s, ""))
	if f := jumpTo.FindStringSubmatchIndex(s); f != nil {
		target = hex(t, s[f[2]:f[3]])
		s = s[:f[0]] + "@"
	}
	return normal(arch, s), target
}

// relocate notes a relocation of the last instruction. The only kind that
// kernels need is the distance to a constant; any other leaves a text that
// equals no instruction.
func (m *image) relocate(t *testing.T, at uint64, kind, symbol string) {
	t.Helper()
	i := &m.code[len(m.code)-1]
	i.raw += " -> " + symbol
	f := rodata.FindStringSubmatch(symbol)
	if kind != "R_X86_64_PC32" || f == nil {
		i.text += " " + kind + " " + symbol
		return
	}
	// The linker puts in symbol + addend - at, and the processor adds the
	// end of the instruction, known once the next line is read.
	i.target = i.addr - at
	switch f[1] {
	case "+":
		i.target += hex(t, f[2])
	case "-":
		i.target -= hex(t, f[2])
	}
}

// function returns the code of a symbol.
func (m *image) function(name string) ([]instruction, error) {
	for _, s := range m.symbols {
		if s.Name != name || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		var code []instruction
		for _, i := range m.code {
			if i.addr >= s.Value && i.addr < s.Value+s.Size {
				code = append(code, i)
			}
		}
		return code, nil
	}
	return nil, fmt.Errorf("no function %s", name)
}

// constant returns n read-only bytes at an address: in an object, an offset
// in .rodata.
func (m *image) constant(at uint64, n int) []byte {
	for _, s := range m.file.Sections {
		if s.Name != ".rodata" || s.Flags&(elf.SHF_WRITE|elf.SHF_EXECINSTR) != 0 {
			continue
		}
		data, err := s.Data()
		if size := uint64(len(data)); err == nil && at >= s.Addr && at-s.Addr <= size && uint64(n) <= size-(at-s.Addr) {
			return data[at-s.Addr:][:n]
		}
	}
	return nil
}

// Spellings that differ between a program's text and a disassembly.
var (
	comment  = regexp.MustCompile(`\s*//.*$`)
	hexText  = regexp.MustCompile(`0x[0-9a-f]+`)
	inW      = regexp.MustCompile(`^\w+ w\d`)
	commutes = regexp.MustCompile(`^(vp(?:xor|and|or|addd|addq) [xy]mm\d+),([xy]mm\d+),([xy]mm\d+)$`)
	carries  = regexp.MustCompile(`^(vpclmul)([lh])q([lh])qdq (.*)$`)
	scalar   = regexp.MustCompile(`^(ld|st)ur `)
	bitTest  = regexp.MustCompile(`^(tbn?z) w`)
	shifted  = regexp.MustCompile(`^((?:add|sub|cmp)s? .*#)(\d+),lsl#12$`)
	register = regexp.MustCompile(`\{(v\d+\.16b)-(v\d+\.16b)\}`)
	carrySet = regexp.MustCompile(`(\.|,)cs\b`)
	carryNot = regexp.MustCompile(`(\.|,)cc\b`)
)

// normal brings an instruction to one spelling: small letters, no spaces in
// the operands, decimal numbers with their sign, and one of several names.
func normal(arch, s string) string {
	key := arch + " " + s
	if known, ok := spellings[key]; ok {
		return known
	}
	spellings[key] = spell(arch, s)
	return spellings[key]
}

// spellings holds what normal found, since kernels repeat themselves.
var spellings = map[string]string{}

func spell(arch, s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	mnemonic, operands, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	s = strings.TrimSpace(mnemonic + " " + strings.ReplaceAll(operands, " ", ""))
	// 32-bit operations, and all of amd64's immediates and displacements,
	// take numbers of 32 bits with a sign.
	short := arch == "amd64" || inW.MatchString(s)
	s = hexText.ReplaceAllStringFunc(s, func(h string) string {
		x, err := strconv.ParseUint(h[2:], 16, 64)
		if err != nil {
			return h
		}
		if short && x>>32 == 0 {
			return fmt.Sprint(int32(x))
		}
		return fmt.Sprint(int64(x))
	})
	if arch == "amd64" {
		if f := carries.FindStringSubmatch(s); f != nil {
			imm := map[string]int{"ll": 0x00, "hl": 0x01, "lh": 0x10, "hh": 0x11}[f[2]+f[3]]
			s = fmt.Sprintf("vpclmulqdq %s,%d", f[4], imm)
		}
		// Assemblers swap sources where that has a shorter code.
		if f := commutes.FindStringSubmatch(s); f != nil && f[2] > f[3] {
			s = f[1] + "," + f[3] + "," + f[2]
		}
		return s
	}
	if s == "bti c" {
		return "hint #34"
	}
	s = scalar.ReplaceAllString(s, "${1}r ")
	s = bitTest.ReplaceAllString(s, "$1 x")
	s = register.ReplaceAllString(s, "{$1,$2}")
	s = carrySet.ReplaceAllString(s, "${1}hs")
	s = carryNot.ReplaceAllString(s, "${1}lo")
	if f := shifted.FindStringSubmatch(s); f != nil {
		if x, err := strconv.Atoi(f[2]); err == nil {
			s = f[1] + fmt.Sprint(x<<12)
		}
	}
	return s
}
