// SPDX-License-Identifier: ISC

package direct

import "unsafe"

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

// SealFours seals messages, as many as four divides, under tags of tagLen bytes.
func SealFours(block *KeyBlock, p []Packet, tagLen int) { sealFours(block, raw(p), tagLen) }

// OpenFours opens messages, as many as four divides, at most 64. It returns a bit
// for each, the lowest for the last: 1 if the tag matched. Where it did not, Out
// holds what must be cleared.
func OpenFours(block *KeyBlock, p []Packet, tagLen int) uint64 {
	return openFours(block, raw(p), tagLen)
}

// raw returns the bytes of p.
func raw(p []Packet) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(Packet{})))
}

// Four messages that go together, one behind the other from a multiple of four,
// are alike: all are brief, with text of at most BriefText and AAD of at most
// BriefAAD bytes, or the first is not, and text/FoursTurn is the same for all and
// AAD at most FoursAAD bytes.
const (
	BriefText = 64
	BriefAAD  = 16
	FoursTurn = 256
	FoursAAD  = 64
)
