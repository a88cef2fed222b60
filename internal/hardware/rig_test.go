// SPDX-License-Identifier: ISC

package hardware

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// driver is the main program: it reads the number of a test and a state,
// runs the test on it, and writes the state back.
const driver = `#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

extern void (*const tests[])(void);
extern uint8_t state[4096], guard[4096];
void enter(void (*test)(void));

int main(void) {
	uint32_t n;
	if (mprotect(guard, sizeof guard, PROT_NONE) != 0)
		return 1;
	while (fread(&n, sizeof n, 1, stdin) == 1 && fread(state, sizeof state, 1, stdin) == 1) {
		enter(tests[n]);
		fwrite(state, sizeof state, 1, stdout);
		fflush(stdout);
	}
	return 0;
}
`

// assembly returns the tests, one an instruction, as GNU assembly text.
func (t *target) assembly(insts []ir.Inst) []byte {
	var w bytes.Buffer
	var all []string
	for _, i := range insts {
		for _, f := range features(i.Form) {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	slices.Sort(all)
	t.isa.Prologue(&w, all)
	fmt.Fprintf(&w, "\t.section .fixed, \"aw\", %%progbits\n\t.balign %d\n", page)
	fmt.Fprintf(&w, "\t.globl state, guard\nstate:\n\t.zero %d\nguard:\n\t.zero %d\n.Ldatum:\n", page, page)
	for _, x := range datum {
		fmt.Fprintf(&w, "\t.byte %d\n", x)
	}
	fmt.Fprintf(&w, "\t.text\n\t.globl enter\n%s", t.frame)
	for n, i := range insts {
		p := &ir.Program{Name: fmt.Sprintf("t%d", n), ISA: t.isa}
		text := emit.Instruction(i, p)
		if i.Form.Flow == ir.Return {
			text = "" // leave, where every test goes, ends with a return
		}
		io.WriteString(&w, t.body(p.Name, text, branches(i)))
	}
	fmt.Fprintf(&w, "\t.section .data.rel.ro, \"aw\", %%progbits\n\t.balign 8\n\t.globl tests\ntests:\n")
	for n := range insts {
		fmt.Fprintf(&w, "\t.quad t%d\n", n)
	}
	fmt.Fprintf(&w, "\t.section .note.GNU-stack, \"\", %%progbits\n")
	return w.Bytes()
}

// A rig is a running driver.
type rig struct {
	in  io.WriteCloser
	out io.Reader
	cmd *exec.Cmd
	err bytes.Buffer
}

// start builds the driver with tests of the instructions and starts it. It
// skips the test if something is missing here.
func (t *target) start(tb testing.TB, insts []ir.Inst) *rig {
	tb.Helper()
	if t.elsewhere != "" {
		tb.Skip(t.elsewhere)
	}
	if t.absent != "" {
		t.skip(tb, nil, "%s", t.absent)
	}
	for _, tool := range append(t.compile[:1:1], t.run[:min(len(t.run), 1)]...) {
		if _, err := exec.LookPath(tool); err != nil {
			t.skip(tb, nil, "there is no %s", tool)
		}
	}
	dir := tb.TempDir()
	main, tests, program := filepath.Join(dir, "driver.c"), filepath.Join(dir, "tests.s"), filepath.Join(dir, "driver")
	if err := errors.Join(os.WriteFile(main, []byte(driver), 0o600), os.WriteFile(tests, t.assembly(insts), 0o600)); err != nil {
		tb.Fatal(err)
	}
	args := append(slices.Clone(t.compile), main, tests, "-o", program, fmt.Sprintf("-Wl,--section-start=.fixed=%#x", address))
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %.3000s", err, out)
	}
	run := append(slices.Clone(t.run), program)
	r := &rig{cmd: exec.Command(run[0], run[1:]...)}
	r.cmd.Stderr = &r.err
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	if r.out, err = r.cmd.StdoutPipe(); err != nil {
		tb.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.in.Close(); r.cmd.Wait() })
	return r
}

// do runs test n on a state and returns the state after it.
func (r *rig) do(n int, before []byte) ([]byte, error) {
	record := binary.LittleEndian.AppendUint32(nil, uint32(n))
	_, err := r.in.Write(append(record, before...))
	after := make([]byte, page)
	if err == nil {
		_, err = io.ReadFull(r.out, after)
	}
	if err != nil {
		r.in.Close()
		return nil, fmt.Errorf("the program stopped: %v %s", r.cmd.Wait(), &r.err)
	}
	return after, nil
}
