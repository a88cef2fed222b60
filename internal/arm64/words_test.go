// SPDX-License-Identifier: ISC

package arm64

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/require"
)

// assembled returns what the GNU assembler makes of lines of text.
func assembled(t *testing.T, lines []string) []uint32 {
	t.Helper()
	cc := ""
	for _, name := range []string{"aarch64-linux-gnu-gcc", "gcc"} {
		out, err := exec.Command(name, "-dumpmachine").Output()
		if err == nil && strings.HasPrefix(string(out), "aarch64-") {
			cc = name
			break
		}
	}
	if cc == "" {
		if require.Kernel("eor3") || require.Kernel("pmull") {
			t.Fatal("GCM_REQUIRE wants a kernel for arm64, but there is no gcc for it")
		}
		t.Skip("no gcc for arm64")
	}
	source, object := filepath.Join(t.TempDir(), "words.s"), filepath.Join(t.TempDir(), "words.o")
	if err := os.WriteFile(source, []byte("\t"+strings.Join(lines, "\n\t")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-c", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	return words
}

// TestWords compares the encoder with the GNU assembler, for all forms that the
// encoder knows.
func TestWords(t *testing.T) {
	b := &ir.Builder{ISA: ISA}
	registers := []int{0, 1, 2, 5, 10, 15, 16, 21, 30}
	for _, n := range registers {
		x, v := X(n), V(n+1)
		b.I("mov", x, ir.Imm(0))
		b.I("mov", W(x), ir.Imm(0))
		for _, imm := range []int64{0, 1, 0x87, 0xff} {
			b.I("movi", As("4s", v), ir.Imm(imm))
		}
		for _, imm := range []int64{0, -1, 0xff, ^int64(0xff), 0xff00ff, -1 << 56} {
			b.I("movi", As("2d", v), ir.Imm(imm))
		}
		for _, m := range registers {
			b.I("cmhi", v, V(m), V((n*m+3)%32))
			for _, shift := range []int64{1, 2, 31, 32, 63, 64} {
				b.I("sshr", As("2d", v), As("2d", V(m)), ir.Imm(shift))
			}
			for _, c := range []struct {
				size  string
				bytes int64
			}{{"b", 1}, {"h", 2}} {
				width := int(8 * c.bytes)
				for _, mem := range []ir.Operand{
					Mem(ir.Text, width, X(m), 0), Mem(ir.Text, width, SP, 0), Mem(ir.Text, width, X(m), c.bytes*4095),
					Mem(ir.Text, width, X(m), c.bytes), Mem(ir.Text, width, X(m), -1), Mem(ir.Text, width, X(m), -256),
					Mem(ir.Text, width, X(m), 255), Post(ir.Text, width, X(m), c.bytes), Post(ir.Text, width, SP, -256),
					Post(ir.Text, width, X(m), 255), Pre(ir.Text, width, X(m), -1), Pre(ir.Text, width, SP, 255),
				} {
					b.I("ldr", As(c.size, v), mem)
					b.I("str", As(c.size, v), mem)
				}
			}
		}
	}
	var lines []string
	var have []uint32
	for _, i := range b.Code {
		w, ok := word(i)
		if !ok {
			t.Errorf("no word for %s", gnuText(i, nil))
		}
		lines, have = append(lines, gnuText(i, nil)), append(have, w)
	}
	want := assembled(t, lines)
	if len(want) != len(have) {
		t.Fatalf("%d words, want %d", len(have), len(want))
	}
	for n, l := range lines {
		if have[n] != want[n] {
			t.Errorf("%s is %08x, want %08x", l, have[n], want[n])
		}
	}
}

// TestNoWord wants no word for what Go's assembler has, and a panic for what no
// word can say.
func TestNoWord(t *testing.T) {
	b := &ir.Builder{ISA: ISA}
	b.I("mov", X(1), ir.Imm(1))
	b.I("mov", X(1), X(2))
	b.I("movi", V(1), ir.Imm(0))
	b.I("ldr", As("q", V(1)), Mem(ir.Text, 128, X(1), 0))
	b.I("ret")
	for _, i := range b.Code {
		if w, ok := word(i); ok {
			t.Errorf("%s is %08x", gnuText(i, nil), w)
		}
	}
	for want, f := range map[string]func(b *ir.Builder){
		"arm64: no vector immediate 0x100":                    func(b *ir.Builder) { b.I("movi", As("4s", V(1)), ir.Imm(256)) },
		"arm64: no vector immediate 0x1ff":                    func(b *ir.Builder) { b.I("movi", As("2d", V(1)), ir.Imm(0x1ff)) },
		"arm64: 256 bytes are too far for one load or store":  func(b *ir.Builder) { b.I("ldr", As("b", V(1)), Post(ir.Text, 8, X(1), 256)) },
		"arm64: 8193 bytes are too far for one load or store": func(b *ir.Builder) { b.I("str", As("h", V(1)), Mem(ir.Text, 16, X(1), 8193)) },
	} {
		b := &ir.Builder{ISA: ISA}
		f(b)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%s panics with %s, want %s", gnuText(b.Code[0], nil), got, want)
				}
			}()
			word(b.Code[0])
		}()
	}
}
