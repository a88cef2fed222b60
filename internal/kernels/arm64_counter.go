// SPDX-License-Identifier: ISC

package kernels

import (
	. "github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
)

// keyMem is a memory operand in the key block.
func keyMem(width int, disp int64) ir.Operand { return Mem(ir.KeyBlock, width, xKey, disp) }

// fuse appends aese and aesmc as a pair, which processors run as one.
func fuse(b *armBuilder, state, key ir.Operand) {
	b.I("aese", state, key)
	b.Code[len(b.Code)-1].Glue = true
	b.I("aesmc", state, state)
}

// armRoundKey is the register of a round key outside of the bulk loop.
func armRoundKey(r int) ir.Operand { return V(8 + r) }

// armLoadKeys loads the round keys.
func armLoadKeys(b *armBuilder, bits int) {
	b.Origin("round keys")
	rounds := roundsFor(bits)
	for r := 0; r < rounds; r += 2 {
		b.I("ldp", As("q", armRoundKey(r)), As("q", armRoundKey(r+1)), keyMem(256, int64(16*r)))
	}
	b.I("ldr", As("q", armRoundKey(rounds)), keyMem(128, int64(16*rounds)))
}

// armRounds encrypts counter blocks but for the last round key. Those of a brief
// message, which armNextBlocks makes, begin with round 1.
func armRounds(b *armBuilder, bits int, brief bool, name string, states ...ir.Operand) {
	last := roundsFor(bits) - 1
	for r := range last {
		key := armRoundKey(r)
		switch {
		case brief && r == 0:
			continue
		case brief && r == 1:
			key = aBrief
		}
		for i, s := range states {
			b.Origin("%s %d, round %d", name, i, r)
			fuse(b, s, key)
		}
	}
	for i, s := range states {
		b.Origin("%s %d, round %d", name, i, last)
		b.I("aese", s, armRoundKey(last))
	}
}

// armBrief prepares the counter blocks of a brief message, with a nonce of 12
// bytes and counters so small that only their last byte is not zero. In round 0
// that byte goes to column 0 of the state alone, whatever the nonce: init has
// tabled by what each counter changes that column. So round 0 is computed once,
// for the counter 0, and a block begins with a column, zeros beside it.
func armBrief(b *armBuilder) {
	b.Origin("nonce, counter 0")
	b.I("ldr", As("d", aBrief), Post(ir.Nonce, 64, xNonce, 8))
	b.I("ld1", LoadLane("s", aBrief, 2), Mem(ir.Nonce, 32, xNonce, 0))
	b.Origin("round 0")
	fuse(b, aBrief, armRoundKey(0))
	b.Origin("round key 1")
	b.I("eor", aBrief, aBrief, armRoundKey(1))
	b.I("add", xColumns, xKey, ir.Imm(armColumns))
}

// armNextBlocks makes the next counter blocks; for a brief message, what round
// 1 begins with.
func armNextBlocks(b *armBuilder, brief bool, states ...ir.Operand) {
	if !brief {
		for i, s := range states {
			b.Origin("CB %d", i)
			b.I("rev32", s, aCtr)
			b.I("add", As("4s", aCtr), As("4s", aCtr), As("4s", aOne))
		}
		return
	}
	b.Origin("columns for counters")
	if len(states) == 1 {
		b.I("ldr", As("s", states[0]), Post(ir.KeyBlock, 32, xColumns, 4))
		return
	}
	for i := 0; i < len(states); i += 2 {
		b.I("ldp", As("s", states[i]), As("s", states[i+1]), Post(ir.KeyBlock, 64, xColumns, 8))
	}
}

// armBulkKey is the register of a round key in the bulk loop: 1 and 2, 3 and
// 4, and so on go through v8 and v9, v10 and v11 in turn.
func armBulkKey(r int) ir.Operand { return V(8 + (r+3)%4) }

// armAhead is by how much the counter of the first block of a turn is ahead of a
// multiple of 16. No block of a text has the counters before: 0 and that of J0.
const armAhead = 2

// armStart begins blocks n and n+1 of a turn of the bulk loop, which has 16, and
// goes on to those of the turn behind, with round 0. aBase has the multiple of 16: a
// counter block is a constant of the key block, round key 0 included, xor aBase.
func armStart(b *armBuilder, n int) {
	i, c := n%8, int64(n+armAhead)%16
	n %= 16
	b.Origin("CB %d, %d", n, n+1)
	b.I("ldp", As("q", V(i)), As("q", V(i+1)), keyMem(256, armCounters+16*c))
	for j := range 2 {
		b.Origin("AES block %d, round 0", n+j)
		fuse(b, V(i+j), aBase)
	}
	if c == 14 {
		b.Origin("next multiple of 16")
		b.I("add", W(xCounter), W(xCounter), ir.Imm(16))
		armSetBase(b)
	}
}

// armSetBase puts the counter in xCounter into aBase.
func armSetBase(b *armBuilder) {
	b.I("rev", W(xTmp), W(xCounter))
	b.I("mov", Lane("s", aBase, 3), W(xTmp))
}

// armStartTurn begins blocks 0 to 7 of a turn of the bulk loop.
func armStartTurn(b *armBuilder) {
	for n := 0; n < 8; n += 2 {
		armStart(b, n)
	}
}

// armCounterTurn is the counter-mode stream of a turn of the bulk loop: 16
// blocks, of which the first 8 have had round 0. As it ends a block it begins
// the one 8 blocks behind, so that there is always work for the AES pipes.
func armCounterTurn(k *armKernel, bits int) []ir.Inst {
	b := k.builder()
	rounds := roundsFor(bits)
	for first := 0; first < 16; first += 8 {
		for r := 1; r < rounds; r++ {
			if r%2 == 1 {
				b.Origin("round keys %d, %d", r, r+1)
				b.I("ldp", As("q", armBulkKey(r)), As("q", armBulkKey(r+1)), keyMem(256, int64(16*r)))
			}
			for i := range 8 {
				b.Origin("AES block %d, round %d", first+i, r)
				if r < rounds-1 {
					fuse(b, V(i), armBulkKey(r))
				} else {
					b.I("aese", V(i), armBulkKey(r))
				}
			}
		}
		for i := 0; i < 8; i += 2 {
			n := first + i
			b.Origin("text of blocks %d, %d", n, n+1)
			b.I("ldp", As("q", V(14)), As("q", V(15)), Mem(ir.Text, 256, xIn, int64(16*n)))
			for j := range 2 {
				b.Origin("AES block %d, round key %d, xor text", n+j, rounds)
				b.add2(V(i+j), V(14+j), armBulkKey(rounds))
			}
			b.Origin("text of blocks %d, %d", n, n+1)
			b.I("stp", As("q", V(i)), As("q", V(i+1)), Mem(ir.Text, 256, xOut, int64(16*n)))
			armStart(b, n+8)
		}
	}
	return b.Code
}
