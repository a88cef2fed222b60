// SPDX-License-Identifier: ISC

package kernels

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
)

// armCycles are the cycles for 128 bytes that llvm-mca 19 may give the bulk
// loop at most, by key size.
var armCycles = map[string]map[int]float64{
	"neoverse-n1": {128: 178, 192: 210, 256: 242},
	"neoverse-n2": {128: 111, 192: 127, 256: 143},
	"neoverse-v1": {128: 57, 192: 65, 256: 73},
	"neoverse-v2": {128: 56, 192: 64, 256: 72},
}

// TestArm64Cycles estimates the bulk loops on four cores.
func TestArm64Cycles(t *testing.T) {
	mca, err := exec.LookPath("llvm-mca-19")
	if err != nil {
		t.Skip("llvm-mca-19 is not installed")
	}
	for _, p := range Eor3() {
		if p.Contract.Op == "init" {
			continue
		}
		loop := armLoop(p)
		for cpu, limits := range armCycles {
			cmd := exec.Command(mca, "-mtriple=aarch64-linux-gnu", "-mattr=+aes,+sha3", "-mcpu="+cpu, "-iterations=100")
			cmd.Stdin = strings.NewReader(loop)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("llvm-mca: %v", err)
			}
			_, s, _ := strings.Cut(string(out), "Total Cycles:")
			total, err := strconv.Atoi(strings.Fields(s)[0])
			if err != nil {
				t.Fatal(err)
			}
			cycles := float64(total) / 100 / (armTurn / 128)
			t.Logf("%s, %s: %.2f cycles for 128 bytes", p.Name, cpu, cycles)
			if limit := limits[p.Contract.Bits]; cycles > limit {
				t.Errorf("%s, %s: %.2f cycles for 128 bytes, more than %v", p.Name, cpu, cycles, limit)
			}
		}
	}
}

// armLoop returns the text of the bulk loop, without the jump back.
func armLoop(p *ir.Program) string {
	var s strings.Builder
	inside := false
	for _, i := range p.Code {
		switch {
		case i.Form == nil:
			inside = inside || i.Label == "bulk_turn"
		case inside && i.Form.Flow == ir.Branch:
			return s.String()
		case inside:
			fmt.Fprintln(&s, emit.Instruction(i, p))
		}
	}
	panic("no bulk loop")
}
