// SPDX-License-Identifier: ISC

package gcm

import "golang.org/x/sys/cpu"

// detectProcessor fills in the features of arm64. Package cpu asks Linux for
// its hwcaps, Darwin and OpenBSD through sysctl, NetBSD and FreeBSD for the ID
// registers, and Windows; elsewhere it knows nothing, and unknown means no.
func (f *features) detectProcessor() {
	f.aes = cpu.ARM64.HasAES
	f.pmull = cpu.ARM64.HasPMULL
	f.sha3 = cpu.ARM64.HasSHA3
}
