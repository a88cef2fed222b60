// SPDX-License-Identifier: ISC

package kernels

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestIDs wants a number of its own for each kernel, and the same in the C
// header.
func TestIDs(t *testing.T) {
	header, err := os.ReadFile("../../cshim/gcm.h")
	if err != nil {
		t.Fatal(err)
	}
	inC := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\tSTITCHGCM_(\w+) = (\d+),`).FindAllStringSubmatch(string(header), -1) {
		inC[strings.ReplaceAll(strings.ToLower(m[1]), "_", "-")], _ = strconv.Atoi(m[2])
	}
	delete(inC, "none")
	owner := map[int]string{}
	for _, ps := range All() {
		c := ps[0].Contract
		if c.ID < 1 || c.ID > 255 || owner[c.ID] != "" {
			t.Errorf("kernel %s has the number %d, which is that of kernel %q", c.Kernel, c.ID, owner[c.ID])
		}
		owner[c.ID] = c.Kernel
		if inC[c.Kernel] != c.ID {
			t.Errorf("kernel %s is %d, but %d in gcm.h", c.Kernel, c.ID, inC[c.Kernel])
		}
		delete(inC, c.Kernel)
	}
	for name := range inC {
		t.Errorf("gcm.h names kernel %s, which is none", name)
	}
}
