// SPDX-License-Identifier: ISC

package main

import "golang.org/x/sys/cpu"

func features() []feature {
	return []feature{
		{"aes", cpu.ARM64.HasAES},
		{"pmull", cpu.ARM64.HasPMULL},
		{"sha3", cpu.ARM64.HasSHA3},
	}
}
