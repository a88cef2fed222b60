// SPDX-License-Identifier: ISC

package traces

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/require"
)

// A target is a kernel that is traced here, by its number in cshim/gcm.h, on a
// processor that has no more than it needs.
type target struct {
	kernel string
	number uint64
	host   platform
	cpu    string
}

// A platform is an architecture with the tools for it.
type platform struct{ arch, cc, qemu string }

var (
	amd64Linux = platform{"amd64", "x86_64-linux-gnu-gcc", "qemu-x86_64"}
	arm64Linux = platform{"arm64", "aarch64-linux-gnu-gcc", "qemu-aarch64"}
)

var traced = []target{
	{"aesni", 5, amd64Linux, "SandyBridge"},
	{"eor3", 2, arm64Linux, "max"},
	{"pmull", 3, arm64Linux, "cortex-a76"},
}

// A request is the head of what the subject takes; its fields are those of
// struct request in testdata/subject.c.
type request struct {
	Op, Fresh, Kernel          uint64
	Key, Nonce, AAD, Text, Tag uint64
}

// A subject is the program to be traced.
type subject struct {
	target
	dir     string            // where it lies, beside the plugin
	symbols map[string]uint64 // its functions' addresses
}

// needTools skips the test without the tools for a kernel, or fails it where
// GCM_REQUIRE names the kernel.
func (tg target) needTools(t *testing.T) {
	for _, tool := range []string{"cc", tg.host.cc, tg.host.qemu} {
		if _, err := exec.LookPath(tool); err != nil {
			if require.Kernel(tg.kernel) {
				t.Fatalf("GCM_REQUIRE wants kernel %s, but %s is absent", tg.kernel, tool)
			}
			t.Skipf("%s IS ABSENT: THE KERNEL %s IS NOT TRACED", tool, tg.kernel)
		}
	}
}

// build makes the plugin, and the subject with assembly.
func (tg target) build(t *testing.T, assembly ...string) *subject {
	s := &subject{target: tg, dir: t.TempDir(), symbols: map[string]uint64{}}
	command(t, "cc", "-O2", "-Wall", "-shared", "-fPIC", "-fvisibility=hidden", "-DQEMU_PLUGIN_VERSION="+tg.host.pluginVersion(t),
		"-o", filepath.Join(s.dir, "plugin.so"), "testdata/plugin.c")
	command(t, tg.host.cc, append([]string{"-O2", "-Wall", "-static", "-no-pie", "-I../../cshim", "-DNAME=" + tg.kernel,
		"-o", filepath.Join(s.dir, "subject"), "testdata/subject.c", "../../cshim/shim.c"}, assembly...)...)
	f, err := elf.Open(filepath.Join(s.dir, "subject"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, sym := range list {
		if elf.ST_TYPE(sym.Info) == elf.STT_FUNC {
			s.symbols[sym.Name] = sym.Value
		}
	}
	return s
}

// turn returns the bytes that a turn of the kernel's bulk loop takes.
func (tg target) turn() int { return kernels.Programs(tg.kernel)[0].Contract.Turn }

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

// pluginVersion returns the version of qemu's plugin interface to ask for: 1
// until qemu 8. Later ones, which were not tried here, want at least 2.
func (on platform) pluginVersion(t *testing.T) string {
	var major int
	if _, err := fmt.Sscanf(string(command(t, on.qemu, "--version")), on.qemu+" version %d", &major); err != nil {
		t.Fatal(err)
	}
	if major >= 9 {
		return "2"
	}
	return "1"
}

// kernelSymbol matches the kernels' functions.
var kernelSymbol = regexp.MustCompile(`^` + emit.Prefix + `\w+_(init|(seal|open)(_turns)?)_\d+$`)

// An access is an event as the plugin reports it; an instruction has size 0.
type access struct {
	pc, addr    uint64
	size, store int
}

// show describes an event by the function it is in.
func (s *subject) show(e access) string {
	switch {
	case e.pc == 0:
		return "the end"
	case e.size == 0:
		return s.name(e.pc)
	}
	return fmt.Sprintf("%s, %s of %d bytes at %#x", s.name(e.pc), []string{"load", "store"}[e.store], e.size, e.addr)
}

// name returns the function at an address.
func (s *subject) name(addr uint64) string {
	best, at := "?", uint64(0)
	for name, value := range s.symbols {
		if value <= addr && (value > at || value == at && name < best) && !strings.HasPrefix(name, "$") {
			best, at = name, value
		}
	}
	return fmt.Sprintf("%s+%#x", best, addr-at)
}

// entry is the symbol of the kernel's function for a situation.
func (s *subject) entry(sit situation) string {
	return fmt.Sprintf("%s%s_%s_%d", emit.Prefix, s.kernel, sit.program(), sit.bits)
}

// trace runs the calls of all situations in the subject, and returns for each
// situation where its traces differ, or nil, and the number of events in the
// first traces.
func (s *subject) trace(t *testing.T, all []situation) (wrong []error, events int) {
	var input bytes.Buffer
	var calls []call
	for _, sit := range all {
		for i, c := range sit.calls() {
			r := request{Kernel: s.number, Key: uint64(len(c.key)), Nonce: uint64(len(c.nonceBytes)), AAD: uint64(len(c.aadBytes)),
				Text: uint64(len(c.in)), Tag: uint64(len(c.tagBytes))}
			r.Op = map[string]uint64{"init": 0, "seal": 1, "open": 2, "seal_turns": 3, "open_turns": 4}[c.program()]
			if i == 0 {
				r.Fresh = 1
			}
			if err := binary.Write(&input, binary.LittleEndian, r); err != nil {
				t.Fatal(err)
			}
			for _, b := range [][]byte{c.key, c.nonceBytes, c.aadBytes, c.in, c.tagBytes} {
				input.Write(b)
			}
			calls = append(calls, c)
		}
	}
	report := filepath.Join(t.TempDir(), "report")
	plugin := fmt.Sprintf("%s,report=%s,fresh=%#x,on=%#x,off=%#x", filepath.Join(s.dir, "plugin.so"), report,
		s.symbols["trace_fresh"], s.symbols["trace_on"], s.symbols["trace_off"])
	for name, addr := range s.symbols {
		if kernelSymbol.MatchString(name) {
			plugin += fmt.Sprintf(",entry=%#x", addr)
		}
	}
	cmd := exec.Command(s.host.qemu, "-cpu", s.cpu, "-plugin", plugin, filepath.Join(s.dir, "subject"))
	var output, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &input, &output, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", s.host.qemu, err, &complaints)
	}
	for _, c := range calls {
		s.answer(t, &output, c)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	return s.read(t, text, all)
}

// answer checks what the subject says of a call.
func (s *subject) answer(t *testing.T, output io.Reader, c call) {
	t.Helper()
	var a struct{ Result, Kernel uint64 }
	out, tag := make([]byte, len(c.in)), make([]byte, len(c.tagBytes))
	for _, part := range []any{&a, out, tag} {
		if err := binary.Read(output, binary.LittleEndian, part); err != nil {
			t.Fatalf("%v: %v", c.situation, err)
		}
	}
	if a.Kernel != s.number {
		t.Fatalf("%v: the key block names kernel %d, not %s", c.situation, a.Kernel, s.kernel)
	}
	if err := c.verify(a.Result, out, tag); err != nil {
		t.Error(err)
	}
}

// read reads the plugin's report.
func (s *subject) read(t *testing.T, report []byte, all []situation) (wrong []error, events int) {
	wrong = make([]error, len(all))
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(report)); lines.Scan(); {
		var number, traces, length, differences int
		var entered uint64
		if _, err := fmt.Sscanf(lines.Text(), "case %d %d %d %d %v", &number, &traces, &length, &differences, &entered); err == nil {
			switch {
			case number != n || number >= len(all):
				t.Fatalf("case %d where %d is due", number, n)
			case traces != secrets || length == 0:
				t.Fatalf("%v: %d traces of %d events", all[n], traces, length)
			case entered != s.symbols[s.entry(all[n])]:
				t.Errorf("%v: %s ran, not %s", all[n], s.name(entered), s.entry(all[n]))
			case (differences != 0) != (wrong[n] != nil):
				t.Fatalf("%v: %d differences, but %v", all[n], differences, wrong[n])
			}
			n, events = n+1, events+length
			continue
		}
		var call, at int
		var e [2]access
		if _, err := fmt.Sscanf(lines.Text(), "difference %d %d %d %v %v %d %d %v %v %d %d", &number, &call, &at,
			&e[0].pc, &e[0].addr, &e[0].size, &e[0].store,
			&e[1].pc, &e[1].addr, &e[1].size, &e[1].store); err != nil || number >= len(all) {
			t.Fatalf("report line %q: %v", lines.Text(), err)
		}
		wrong[number] = fmt.Errorf("%v: the trace depends on a secret: event %d of secret 0 is %s, of secret %d %s",
			all[number], at, s.show(e[0]), call, s.show(e[1]))
	}
	if n != len(all) {
		t.Fatalf("%d cases reported of %d", n, len(all))
	}
	return wrong, events
}

// TestQEMU traces the assembled kernels, and the C shim before them.
func TestQEMU(t *testing.T) {
	for _, tg := range traced {
		t.Run(tg.kernel, func(t *testing.T) { tg.traceAll(t) })
	}
}

func (tg target) traceAll(t *testing.T) {
	tg.needTools(t)
	s := tg.build(t, tg.assembly(t)...)
	for _, bits := range []int{128, 192, 256} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			all := situations(bits, tg.turn(), !testing.Short())
			wrong, events := s.trace(t, all)
			for _, err := range wrong {
				if err != nil {
					t.Error(err)
				}
			}
			t.Logf("%d situations, %d secrets each, %d events", len(all), secrets, events)
		})
	}
}

// assembly returns the files of the kernels for an architecture: the shim names
// all of them.
func (tg target) assembly(t *testing.T) []string {
	files, err := filepath.Glob("../../cshim/*_" + tg.host.arch + ".S")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestQEMUCatches plants leaks into the assembled programs.
func TestQEMUCatches(t *testing.T) {
	for _, tg := range traced {
		t.Run(tg.kernel, func(t *testing.T) { tg.catch(t) })
	}
}

func (tg target) catch(t *testing.T) {
	tg.needTools(t)
	for _, l := range leaks {
		var leaky []*ir.Program
		for _, ps := range kernels.All() {
			for _, p := range ps {
				if p.Contract.Kernel == tg.kernel {
					leaky = append(leaky, l.plant(p))
				}
			}
		}
		text, err := emit.GNU(leaky)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "leaky.S")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		others := slices.DeleteFunc(tg.assembly(t), func(name string) bool {
			return filepath.Base(name) == tg.kernel+"_"+tg.host.arch+".S"
		})
		s := tg.build(t, append(others, file)...)
		for _, bits := range []int{128, 192, 256} {
			all := plantedSituations(bits, tg.turn())
			wrong, _ := s.trace(t, all)
			for i, err := range wrong {
				if err == nil || !strings.Contains(err.Error(), s.entry(all[i])) {
					t.Errorf("%v: the planted %v is not caught: %v", all[i], l, err)
				}
			}
		}
	}
}
