// SPDX-License-Identifier: ISC

package direct

// A Packet tells the programs for four messages where one of them is. Its
// layout is theirs.
type Packet struct {
	Nonce   [16]byte // of 12 bytes, and zeros
	Out, In *byte    // of Len bytes; Out receives the result
	Len     uint64
	AAD     *byte // never nil
	AADLen  uint64
	Tag     *byte  // written when sealing, read when opening
	LenBits uint64 // 8·Len
	AADBits uint64 // 8·AADLen
}

// The four messages of one turn are alike: text/FoursTurn is the same for all, and
// AAD is at most FoursAAD. Both are in bytes.
const (
	FoursTurn = 256
	FoursAAD  = 64
)
