// SPDX-License-Identifier: ISC

package cost

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// Modeller is the command whose models of cores count cycles.
const Modeller = "llvm-mca-19"

// Cores are those that the bulk loops are modelled on, as Modeller names them.
var Cores = []string{"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}

// Cycles returns how many cycles the bulk loop of a seal or open program takes
// on a core for 128 bytes of text, by its model.
func Cycles(p *ir.Program, core string) (float64, error) {
	const turns = 100
	text, bytes := loop(p)
	cmd := exec.Command(Modeller, "-mtriple=aarch64-linux-gnu", "-mattr=+aes,+sha3", "-mcpu="+core, fmt.Sprint("-iterations=", turns))
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", Modeller, err)
	}
	_, after, _ := strings.Cut(string(out), "Total Cycles:")
	number, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	total, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", Modeller, err)
	}
	return float64(total) / turns * 128 / float64(bytes), nil
}

// loop returns the text of a program's bulk loop, but for the jump back, and
// the number of bytes that a turn of it writes.
func loop(p *ir.Program) (text string, bytes int) {
	var s strings.Builder
	l := kernels.BulkLoop(p)
	for _, i := range l.Code[:len(l.Code)-1] {
		if i.Form != nil {
			fmt.Fprintln(&s, emit.Instruction(i, p))
		}
	}
	return s.String(), l.Bytes
}
