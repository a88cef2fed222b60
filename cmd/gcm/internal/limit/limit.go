// SPDX-License-Identifier: ISC

// Package limit measures the port limit of this processor: how fast its AES
// and carry-less-multiply ports go when each runs alone, at the register
// width of a kernel.
//
// A kernel that keeps those ports busy all the time cannot seal a block of
// 16 bytes in less than the larger of two times: its 10, 12 or 14 AES rounds,
// and its three carry-less multiplies (Karatsuba).
package limit

import "time"

// MultipliesPerBlock is the number of 64-by-64-bit carry-less multiplies that
// Karatsuba's method takes for one 16-byte block of GHASH.
const MultipliesPerBlock = 3

// Measure times AES rounds and carry-less multiplies at the register width of
// the named kernel, each alone and at full throughput, for about d in all. It
// returns nanoseconds per 16-byte block: of one AES round and of one multiply,
// the time of an instruction divided by the number of blocks its register
// holds. ok is false where there is nothing to measure: an unknown kernel, a
// processor without the instructions, or a build without cgo.
func Measure(kernel string, d time.Duration) (nsPerAESRoundPerBlock, nsPerClmulPerBlock float64, ok bool) {
	l, ok := loopsOf(kernel)
	if !ok {
		return 0, 0, false
	}
	return l.time(l.aes, d/2), l.time(l.clmul, d/2), true
}

// NsPerBlock is the port limit in nanoseconds per 16-byte block for a key of
// the given bits, from what Measure returned.
func NsPerBlock(nsPerAESRound, nsPerClmul float64, bits int) float64 {
	rounds := float64(bits/32 + 6)
	return max(rounds*nsPerAESRound, MultipliesPerBlock*nsPerClmul)
}

// loops are the two timed loops of one register width. Each runs the given
// number of turns of perTurn independent instructions.
type loops struct {
	aes, clmul func(turns uint64)
	perTurn    int // instructions a turn
	lanes      int // 16-byte blocks a register
}

// time runs loop for about d and returns nanoseconds per instruction and block.
func (l loops) time(loop func(turns uint64), d time.Duration) float64 {
	const turns = 10_000
	loop(turns / 10) // wakes the wide units
	n, start := 0, time.Now()
	for {
		loop(turns)
		n++
		if t := time.Since(start); t >= d {
			return float64(t) / float64(n*turns*l.perTurn*l.lanes)
		}
	}
}
