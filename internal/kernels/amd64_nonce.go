// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// loadNonce loads the nonce of 12 bytes at r10 to x, and zeros behind it. It takes
// three words, because a nonce has often been written right before the call, as 4
// bytes that stay and a counter of 8, say: what is read across two writes that the
// processor has not yet brought to the cache waits for that, and so for the end of
// the call before.
func loadNonce(b *ir.Builder, x ir.Operand) {
	b.I("vmovd", x, Mem(ir.Nonce, 32, R10, 0))
	b.I("vpinsrd", x, x, Mem(ir.Nonce, 32, R10, 4), ir.Imm(1))
	b.I("vpinsrd", x, x, Mem(ir.Nonce, 32, R10, 8), ir.Imm(2))
}
