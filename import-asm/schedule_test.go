// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestSchedules prints the loops of every kernel. Every instruction comes once,
// with a cycle, a port and an origin, and no port is busy for more than all of the time.
func TestSchedules(t *testing.T) {
	line := regexp.MustCompile(`^ *\d+  (\S+) +\S.*  \S`)
	busy := regexp.MustCompile(`^\S+ +busy in .* (\d+) %$`)
	for _, kernel := range kernels.Names() {
		ps := kernels.Programs(kernel)
		for _, bits := range []int{128, 192, 256} {
			var out bytes.Buffer
			if err := printSchedules(&out, kernel, bits); err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, p := range ps {
				if p.Contract.Bits != bits || !p.Contract.Whole() {
					continue
				}
				if !strings.Contains(out.String(), p.Name+": one turn of ") {
					t.Errorf("%s %d: no loop of %s", kernel, bits, p.Name)
				}
				for _, i := range kernels.BulkLoop(p).Code {
					if i.Form != nil {
						want++
					}
				}
			}
			instructions, ports := 0, 0
			for l := range strings.Lines(out.String()) {
				l = strings.TrimSuffix(l, "\n")
				if line.MatchString(l) {
					instructions++
				}
				if m := busy.FindStringSubmatch(l); m != nil {
					ports++
					if percent, _ := strconv.Atoi(m[1]); percent < 1 || percent > 100 {
						t.Errorf("%s %d: %s", kernel, bits, l)
					}
				}
			}
			if instructions != want || ports < 4 {
				t.Errorf("%s %d: %d instructions and %d ports, want %d instructions", kernel, bits, instructions, ports, want)
			}
		}
	}
}

// TestScheduleCommand prints a loop through the command, for 128 bits where
// nothing else is asked for.
func TestScheduleCommand(t *testing.T) {
	tr := newTree(t)
	stdout, stderr, status := tr.run(".", "-schedule", "vaes-avx512")
	if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "vaes_avx512_seal_128: one turn of 64 blocks") {
		t.Errorf("status %d, says %q and %q", status, stdout, stderr)
	}
	if stdout, _, _ := tr.run(".", "-schedule", "eor3", "-bits", "256"); !strings.Contains(stdout, "eor3_open_256: one turn of 16 blocks") {
		t.Errorf("says %q", stdout)
	}
}
