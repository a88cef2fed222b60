// SPDX-License-Identifier: ISC

package dispatch

import (
	"os"
	"runtime"

	"golang.org/x/sys/cpu"
)

// Features returns the features of this processor that a kernel needs, as
// GODEBUG leaves them.
func Features() []Feature {
	if runtime.GOOS == "freebsd" { // where package cpu knows nothing
		return featuresIn(readISAR0(), os.Getenv("GODEBUG"))
	}
	return []Feature{
		{"aes", cpu.ARM64.HasAES},
		{"pmull", cpu.ARM64.HasPMULL},
		{"sha3", cpu.ARM64.HasSHA3},
	}
}

// readISAR0 returns the system register ID_AA64ISAR0_EL1. Programs may not read
// it, but kernels of operating systems answer in its place, with what all
// processors of the machine have.
func readISAR0() uint64

// featuresIn returns the features that the register tells of, as GODEBUG leaves
// them.
func featuresIn(isar0 uint64, godebug string) []Feature {
	aes, sha3 := isar0>>4&15, isar0>>32&15
	return []Feature{
		{"aes", aes >= 1 && !hidden(godebug, "aes")},
		{"pmull", aes >= 2 && !hidden(godebug, "pmull")},
		{"sha3", sha3 >= 1 && !hidden(godebug, "sha3")},
	}
}
