// SPDX-License-Identifier: ISC

package cost

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/require"
)

// mostCycles are those for 128 bytes that the models may give the bulk loops at
// most, by core and key size.
var mostCycles = map[string]map[string]map[int]float64{
	"eor3": {
		"neoverse-n1": {128: 178, 192: 210, 256: 242},
		"neoverse-n2": {128: 111, 192: 127, 256: 143},
		"neoverse-v1": {128: 57, 192: 65, 256: 73},
		"neoverse-v2": {128: 56, 192: 64, 256: 72},
	},
	"pmull": {
		"neoverse-n1": {128: 179, 192: 211, 256: 243},
		"neoverse-n2": {128: 121, 192: 137, 256: 153},
		"neoverse-v1": {128: 62, 192: 70, 256: 78},
		"neoverse-v2": {128: 61, 192: 69, 256: 77},
	},
}

// need skips a test without the tools for it, or fails it where GCM_REQUIRE
// names the kernel and the tools are those that all tests of it need.
func need(t *testing.T, kernel string, tools ...string) {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if kernel != "" && require.Kernel(kernel) {
				t.Fatalf("GCM_REQUIRE wants kernel %s, but %s is absent", kernel, tool)
			}
			t.Skipf("%s is absent", tool)
		}
	}
}

// TestCycles estimates the bulk loops.
func TestCycles(t *testing.T) {
	need(t, "", Modeller)
	for _, ps := range kernels.All() {
		for _, p := range ps {
			c := p.Contract
			if mostCycles[c.Kernel] == nil || c.Op == "init" {
				continue
			}
			for _, core := range Cores {
				n, err := Cycles(p, core)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s, %s: %.2f cycles for 128 bytes", p.Name, core, n)
				if most := mostCycles[c.Kernel][core][c.Bits]; n > most {
					t.Errorf("%s, %s: %.2f cycles for 128 bytes, more than %v", p.Name, core, n, most)
				}
			}
		}
	}
}

// mostInstructions are those that a call may take at most, by kernel and key
// size, at each of Sizes.
var mostInstructions = map[string]map[int][]int{
	"eor3": {
		128: {147, 184, 254, 575, 1219, 2864, 31537},
		192: {153, 194, 276, 645, 1356, 3219, 35766},
		256: {159, 204, 298, 715, 1493, 3574, 39995},
	},
	"pmull": {
		128: {151, 189, 268, 619, 1306, 3082, 34104},
		192: {157, 199, 290, 689, 1443, 3437, 38333},
		256: {163, 209, 312, 759, 1580, 3792, 42562},
	},
}

// TestCalls counts the instructions of calls.
func TestCalls(t *testing.T) {
	for kernel, byBits := range mostInstructions {
		need(t, kernel, Tools...)
		for bits, most := range byBits {
			t.Run(fmt.Sprintf("%s/%d", kernel, bits), func(t *testing.T) {
				counts, err := Calls("../..", kernel, bits)
				if err != nil {
					t.Fatal(err)
				}
				for i, n := range Sizes {
					for _, op := range []string{"seal", "open"} {
						c := Call{op, n}
						t.Logf("%s of %d bytes: %d instructions", op, n, counts[c])
						if counts[c] > most[i] || counts[c] == 0 {
							t.Errorf("%s of %d bytes: %d instructions, want at most %d", op, n, counts[c], most[i])
						}
					}
				}
			})
		}
	}
}
