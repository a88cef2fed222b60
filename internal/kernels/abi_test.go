// SPDX-License-Identifier: ISC

package kernels

import (
	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// abis are the calling conventions by GOARCH: System V and AAPCS64.
var abis = map[string]abi{
	"amd64": {
		regs:   []ir.Reg{amd64.RDI.Reg, amd64.RSI.Reg, amd64.RDX.Reg, amd64.RCX.Reg, amd64.R8.Reg, amd64.R9.Reg},
		result: amd64.RAX.Reg, sp: amd64.RSP.Reg, ret: 8,
	},
}
