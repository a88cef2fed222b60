// SPDX-License-Identifier: ISC

package dispatch

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestFeaturesIn decodes the register, and compares what the one of this
// processor says with what package cpu does.
func TestFeaturesIn(t *testing.T) {
	for _, c := range []struct {
		isar0            uint64
		godebug          string
		aes, pmull, sha3 bool
	}{
		{0, "", false, false, false},
		{1 << 4, "", true, false, false},
		{2 << 4, "", true, true, false},
		{2<<4 | 1<<32, "", true, true, true},
		{^uint64(15<<4 | 15<<32), "", false, false, false},
		{2<<4 | 1<<32, "cpu.aes=off", false, true, true},
		{2<<4 | 1<<32, "cpu.pmull=off", true, false, true},
		{2<<4 | 1<<32, "cpu.sha3=off", true, true, false},
		{2<<4 | 1<<32, "cpu.all=off", false, false, false},
	} {
		want := []Feature{{"aes", c.aes}, {"pmull", c.pmull}, {"sha3", c.sha3}}
		if got := featuresIn(c.isar0, c.godebug); !slices.Equal(got, want) {
			t.Errorf("%#x with GODEBUG=%s: %v, want %v", c.isar0, c.godebug, got, want)
		}
	}
	if !cpu.ARM64.HasCPUID {
		t.Skip("the system does not answer for the register")
	}
	if got := featuresIn(readISAR0(), os.Getenv("GODEBUG")); !slices.Equal(got, Features()) {
		t.Errorf("the register says %v, package cpu %v", got, Features())
	}
}
