// SPDX-License-Identifier: ISC

package dispatch

import "golang.org/x/sys/cpu"

// Features returns the features of this processor that a kernel needs, as
// GODEBUG leaves them. Where package cpu knows nothing of an operating system,
// unknown means no.
func Features() []Feature {
	return []Feature{
		{"aes", cpu.ARM64.HasAES},
		{"pmull", cpu.ARM64.HasPMULL},
		{"sha3", cpu.ARM64.HasSHA3},
	}
}
