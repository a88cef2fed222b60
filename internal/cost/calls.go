// SPDX-License-Identifier: ISC

package cost

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Sizes are the bytes of text in the calls counted, which have 13 bytes of
// additional data, a nonce of 12 and a tag of 16.
var Sizes = []int{0, 16, 64, 256, 512, 1350, 16384}

// A Call is a whole call of stitchgcm_seal or stitchgcm_open.
type Call struct {
	Op   string // seal or open
	Size int    // bytes of text
}

// Tools are the commands that Calls needs.
var Tools = []string{"aarch64-linux-gnu-gcc", "qemu-aarch64"}

//go:embed counted/counted.c
var counted []byte

// Calls returns the number of instructions from the first of the C function to
// the return of the kernel, for each call with a key of that many bits. It runs
// them on qemu, one instruction at a time. root is the module's directory.
func Calls(root, kernel string, bits int) (map[Call]int, error) {
	dir, err := os.MkdirTemp("", "cost")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, program, log := filepath.Join(dir, "counted.c"), filepath.Join(dir, "counted"), filepath.Join(dir, "log")
	if err := os.WriteFile(source, counted, 0o666); err != nil {
		return nil, err
	}
	shim := filepath.Join(root, "cshim")
	assembly, err := filepath.Glob(filepath.Join(shim, "*_arm64.S"))
	if err != nil {
		return nil, err
	}
	args := append([]string{"-O2", "-static", "-no-pie", "-I", shim, "-DKERNEL_ID=STITCHGCM_" + strings.ToUpper(kernel), fmt.Sprint("-DBITS=", bits),
		"-DSIZES=" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(Sizes)), ","), "[]"), "-o", program, source,
		filepath.Join(shim, "shim.c")}, assembly...)
	for _, c := range [][]string{
		append([]string{Tools[0]}, args...),
		{Tools[1], "-cpu", "max", "-d", "exec,nochain", "-D", log, program},
	} {
		cmd := exec.Command(c[0], c[1:]...)
		// One instruction at a time, as older and newer versions of qemu name it.
		cmd.Env = append(os.Environ(), "QEMU_SINGLESTEP=1", "QEMU_ONE_INSN_PER_TB=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", c[0], err, out)
		}
	}
	return read(log)
}

// read counts the instructions of each call in a log, which has a line for each
// that ends with the name of its function.
func read(log string) (map[Call]int, error) {
	f, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Call
	for _, n := range Sizes {
		all = append(all, Call{"seal", n}, Call{"open", n})
	}
	counts := map[Call]int{}
	next := 0 // of all
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name := lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:]
		switch {
		case name == "next_call":
			if n := counts[all[min(next, len(all)-1)]]; n > 0 {
				next++
			}
		case strings.HasPrefix(name, "stitchgcm_") && !strings.Contains(name, "_init"):
			if next == len(all) {
				return nil, errors.New("more calls than were asked for")
			}
			counts[all[next]]++
		}
	}
	if next != len(all) && lines.Err() == nil {
		return nil, fmt.Errorf("%d calls of %d were counted", next, len(all))
	}
	return counts, lines.Err()
}
