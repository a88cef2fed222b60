// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/stitchgcm/gcm/internal/direct"
)

// hash is GHASH of data that comes in pieces, by a kernel, which decrypts the
// data for nothing: docs/ALGORITHMS.md, 11.
type hash struct {
	block *direct.KeyBlock
	turn  int           // bytes that a turn of the kernel takes, a power of 2
	state [32]byte      // Xi, and a counter block, which does not matter
	buf   [maxTurn]byte // the bytes since, fewer than a turn
	n     int           // how many they are
}

// zeros stay so.
var zeros [max(maxTurn, chunkSize)]byte

// begin starts a hash.
func (h *hash) begin(block *direct.KeyBlock) {
	h.block, h.turn = block, direct.Turn(block)
}

// write hashes p.
func (h *hash) write(p []byte) {
	for len(p) > 0 {
		var n int
		if h.n == 0 && len(p) >= h.turn {
			n = min(len(p)&-h.turn, len(h.buf))
			h.run(h.buf[:n], p[:n])
		} else {
			n = copy(h.buf[h.n:h.turn], p)
			if h.n += n; h.n == h.turn {
				h.absorb()
			}
		}
		p = p[n:]
	}
}

// pad fills up the last block with zeros.
func (h *hash) pad() { h.write(zeros[:-h.n&15]) }

// absorb hashes the blocks in buf, of which there may be any number, behind as
// many blocks of zeros as make up a turn. Those do nothing to an Xi of 0, and so
// Xi is added to the first block behind them.
func (h *hash) absorb() {
	if h.n == 0 {
		return
	}
	p := h.buf[:h.turn]
	at := h.turn - h.n
	copy(p[at:], p[:h.n])
	clear(p[:at])
	subtle.XORBytes(p[at:], p[at:at+16], h.state[:16])
	clear(h.state[:16])
	h.run(p, p)
	h.n = 0
}

// run hashes whole turns and leaves what is to be kept from others in out, which
// is as long as in.
func (h *hash) run(out, in []byte) {
	binary.BigEndian.PutUint32(h.state[28:], firstCounter) // any that begins a turn
	direct.OpenTurns(h.block, out, in, h.state[:])
}

// sum pads, hashes two lengths, given in bytes, as numbers of bits, and returns
// the hash.
func (h *hash) sum(aadLen, textLen uint64) element {
	h.pad()
	lengths := lengthBlock(aadLen, textLen)
	h.write(lengths[:])
	h.absorb()
	return element(h.state[:16])
}

func (h *hash) wipe() { *h = hash{} }

// lengthBlock is the last block of what is hashed, for lengths in bytes.
func lengthBlock(aadLen, textLen uint64) (b element) {
	binary.BigEndian.PutUint64(b[:8], aadLen*8)
	binary.BigEndian.PutUint64(b[8:], textLen*8)
	return b
}
