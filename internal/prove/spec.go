// SPDX-License-Identifier: ISC

package prove

import "github.com/stitchgcm/gcm/internal/value"

// This file is the specification: FIPS 197 and SP 800-38D on symbols. It uses
// nothing but the S-box, MixColumns, exclusive or and polynomials in H.

// A block is 16 bytes in the order of the standards.
type block = Vec

// A spec knows one key.
type spec struct {
	s    *Symbols
	keys []block // round keys 0 to Nr
}

// cipher is Cipher of FIPS 197, 5.1.
func (k *spec) cipher(in block) block {
	state := k.xor(in, k.keys[0])
	last := len(k.keys) - 1
	for r := 1; r <= last; r++ {
		state = shiftRows(k.s.bytes(k.s.SubBytes(state)))
		if r < last {
			state = k.s.bytes(k.s.MixColumns(state))
		}
		state = k.xor(state, k.keys[r])
	}
	return state
}

// shiftRows moves row r of the column-major state left by r (FIPS 197, 5.1.2).
func shiftRows(in block) block {
	out := make(block, 16)
	for col := range 4 {
		for row := range 4 {
			out[4*col+row] = in[4*((col+row)%4)+row]
		}
	}
	return out
}

// expandKey is KeyExpansion of FIPS 197, 5.2: the round keys of a key of 16,
// 24 or 32 bytes.
func expandKey(s *Symbols, key Vec) (keys []block) {
	nk := len(key) / 4
	rounds := nk + 6
	words := make([]Vec, 4*(rounds+1))
	rcon := byte(1)
	for i := range words {
		if i < nk {
			words[i] = key[4*i : 4*i+4]
			continue
		}
		t := words[i-1]
		switch {
		case i%nk == 0:
			t = s.bytes(s.SubBytes(Vec{t[1], t[2], t[3], t[0]}))
			t = Vec{t[0].plus(Byte{c: rcon}), t[1], t[2], t[3]}
			rcon = rcon<<1 ^ rcon>>7*0x1b
		case nk > 6 && i%nk == 4:
			t = s.bytes(s.SubBytes(t))
		}
		words[i] = s.bytes(s.Xor(words[i-nk], t))
	}
	for r := range rounds + 1 {
		var b block
		for _, w := range words[4*r : 4*r+4] {
			b = append(b, w...)
		}
		keys = append(keys, b)
	}
	return keys
}

func (k *spec) xor(a, b Vec) Vec { return k.s.bytes(k.s.Xor(a, b)) }

// inc returns the counter block with n added to its last 32 bits, which are
// big-endian (SP 800-38D, 6.2).
func (k *spec) inc(cb block, n int) block {
	word := value.Reverse(k.s, cb[12:])
	word = k.s.Add(simplify(k.s.bytes(word)), k.s.Const(32, uint64(n)))
	return append(append(block{}, cb[:12]...), k.s.bytes(value.Reverse(k.s, word))...)
}

// gctr is GCTR of SP 800-38D, 6.5: text xor key stream, from counter block cb.
func (k *spec) gctr(cb block, text Vec) (out Vec) {
	for i := 0; i < len(text); i += 16 {
		part := text[i:min(i+16, len(text))]
		stream := k.cipher(k.inc(cb, i/16))
		out = append(out, k.xor(part, stream[:len(part)])...)
	}
	return out
}

// absorb continues GHASH of SP 800-38D, 6.4, over bytes, padded with zeros to
// whole blocks: y becomes (y + block)·H for each. Here y is a polynomial in H.
func (k *spec) absorb(y poly, text Vec) poly {
	for i := 0; i < len(text); i += 16 {
		b := make(block, 16)
		copy(b, text[i:min(i+16, len(text))])
		next := poly{}
		k.s.addLinear(next, k.s.reverse(b))
		next.plus(y, 0)
		y = poly{}
		y.plus(next, 1)
	}
	return y
}

// reverse returns 16 bytes in reverse order: a block as the integer whose bit
// 127-i is the coefficient of x^i.
func (s *Symbols) reverse(v Vec) Vec { return s.bytes(value.Reverse(s, v)) }
