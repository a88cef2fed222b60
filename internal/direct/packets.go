// SPDX-License-Identifier: ISC

package direct

import "unsafe"

// A Packet is one message for the programs that take four. Its layout is what they
// know of it, and that of the type that callers have. What is appended overlaps no
// other memory of the call, not even the nonce, unless it is where its text is.
type Packet struct {
	Dst   []byte // the result is appended, for which there is room
	Nonce []byte // of 12 bytes
	Text  []byte // with its tag when opening
	AAD   []byte
	Err   error // not used
}

// SealFours seals messages, as many as four divides and at most MostPackets, under
// tags of tagLen bytes.
func SealFours(block *KeyBlock, p []Packet, tagLen int) { sealFours(block, raw(p), tagLen) }

// OpenFours opens messages, likewise. It returns a bit for each, the lowest for the
// last: 1 if the tag matched. Where it did not, what was appended must be cleared.
func OpenFours(block *KeyBlock, p []Packet, tagLen int) uint64 {
	return openFours(block, raw(p), tagLen)
}

// raw returns the bytes of p.
func raw(p []Packet) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(Packet{})))
}

// MostPackets is how many packets one call takes.
const MostPackets = 64

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
