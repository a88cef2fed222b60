// SPDX-License-Identifier: ISC

package value

import (
	"crypto/aes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

var c = Concrete{}

// number returns v as an integer, by way of its bytes, and checks that no bit
// above the width is set.
func number(t *testing.T, v Value) *big.Int {
	t.Helper()
	x := new(big.Int)
	limbs, ok := c.Known(v)
	if !ok {
		t.Fatal("a concrete value is not known")
	}
	for i, l := range limbs {
		x.Or(x, new(big.Int).Lsh(new(big.Int).SetUint64(l), uint(64*i)))
	}
	if x.BitLen() > v.Width() {
		t.Fatalf("%d bits in a value of %d", x.BitLen(), v.Width())
	}
	return x
}

// random returns a value in which runs of equal bits are likely.
func random(rng *rand.Rand, width int) Value {
	words := make([]uint64, maxLimbs)
	for i := range words {
		words[i] = []uint64{0, ^uint64(0), rng.Uint64(), 1 << rng.IntN(64)}[rng.IntN(4)]
	}
	return c.Const(width, words...)
}

func pow2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

func low(x *big.Int, width int) *big.Int { return new(big.Int).Mod(x, pow2(width)) }

// TestNumbers compares each operation with arithmetic on integers, at every
// width.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := 1; width <= 512; width++ {
		a, b := random(rng, width), random(rng, width)
		if rng.IntN(4) == 0 {
			b = a
		}
		x, y := number(t, a), number(t, b)
		n := rng.IntN(width + 1)
		bit := func(b bool) *big.Int {
			if b {
				return big.NewInt(1)
			}
			return new(big.Int)
		}
		for name, r := range map[string]struct {
			got   Value
			want  *big.Int
			width int
		}{
			"Xor":    {c.Xor(a, b), new(big.Int).Xor(x, y), width},
			"And":    {c.And(a, b), new(big.Int).And(x, y), width},
			"Or":     {Or(c, a, b), new(big.Int).Or(x, y), width},
			"Not":    {Not(c, a), new(big.Int).Sub(new(big.Int).Sub(pow2(width), big.NewInt(1)), x), width},
			"Ones":   {Ones(c, width), new(big.Int).Sub(pow2(width), big.NewInt(1)), width},
			"Add":    {c.Add(a, b), low(new(big.Int).Add(x, y), width), width},
			"Sub":    {Sub(c, a, b), low(new(big.Int).Sub(x, y), width), width},
			"Shl":    {Shl(c, a, n), low(new(big.Int).Lsh(x, uint(n)), width), width},
			"Shr":    {Shr(c, a, n), new(big.Int).Rsh(x, uint(n)), width},
			"Rotr":   {Rotr(c, a, n), low(new(big.Int).Or(new(big.Int).Rsh(x, uint(n)), new(big.Int).Lsh(x, uint(width-n))), width), width},
			"IsZero": {c.IsZero(a), bit(x.Sign() == 0), 1},
			"Less":   {c.Less(a, b), bit(x.Cmp(y) < 0), 1},
			"yes":    {c.Select(c.Const(1, 1), a, b), x, width},
			"no":     {c.Select(c.Const(1, 0), a, b), y, width},
			"Extend": {Extend(c, a, 512), x, 512},
			"narrow": {Extend(c, a, max(1, n)), low(x, max(1, n)), max(1, n)},
		} {
			if r.got.Width() != r.width || number(t, r.got).Cmp(r.want) != 0 {
				t.Errorf("%s of %x and %x, %d bits, %d: %x of %d bits, want %x", name, x, y, width, n, number(t, r.got), r.got.Width(), r.want)
			}
		}
	}
}

// TestPieces cuts values everywhere and joins the pieces.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 512; width++ {
		v := random(rng, width)
		var parts []Value
		for at := 0; at < width; {
			n := 1 + rng.IntN(width-at)
			p := c.Slice(v, at, n)
			if want := low(new(big.Int).Rsh(number(t, v), uint(at)), n); p.Width() != n || number(t, p).Cmp(want) != 0 {
				t.Fatalf("bits %d to %d of %x: %x", at, at+n-1, number(t, v), number(t, p))
			}
			parts = append(parts, p)
			at += n
		}
		if got := c.Concat(parts...); got.Width() != width || number(t, got).Cmp(number(t, v)) != 0 {
			t.Fatalf("%d pieces of %x join to %x", len(parts), number(t, v), number(t, got))
		}
	}
	bytes := make([]byte, 64)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	for n := 1; n <= 64; n++ {
		v := FromBytes(bytes[:n])
		if got := v.Bytes(); string(got) != string(bytes[:n]) || v.Width() != 8*n {
			t.Errorf("%x comes back as %x", bytes[:n], got)
		}
		from := make([]int, n)
		want := make([]byte, n)
		for i := range from {
			if from[i] = rng.IntN(n+1) - 1; from[i] >= 0 {
				want[i] = bytes[from[i]]
			}
		}
		if got := c.Bytes(v, from).(*Bits).Bytes(); string(got) != string(want) {
			t.Errorf("bytes %v of %x are %x", from, bytes[:n], got)
		}
		for i, b := range Reverse(c, v).(*Bits).Bytes() {
			if b != bytes[n-1-i] {
				t.Errorf("%x reversed has %x at %d", bytes[:n], b, i)
			}
		}
	}
	if FromUint64(1<<63|5).Uint64() != 1<<63|5 {
		t.Error("a number does not come back")
	}
}

// TestClmul multiplies polynomials bit by bit.
func TestClmul(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for width := 1; width <= 64; width++ {
		for range 20 {
			a, b := random(rng, width), random(rng, width)
			x, y, want := number(t, a), number(t, b), new(big.Int)
			for i := range width {
				if y.Bit(i) == 1 {
					want.Xor(want, new(big.Int).Lsh(x, uint(i)))
				}
			}
			if got := c.Clmul(a, b); got.Width() != 2*width || number(t, got).Cmp(want) != 0 {
				t.Errorf("%x times %x is %x, want %x", x, y, number(t, got), want)
			}
		}
	}
}

// TestMap applies a function to lanes.
func TestMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, lane := range []int{8, 32, 64, 128, 512} {
		a, b := random(rng, 512), random(rng, 512)
		got := Map(c, lane, func(l ...Value) Value { return c.Add(l[0], l[1]) }, a, b)
		for at := 0; at < 512; at += lane {
			if want := c.Add(c.Slice(a, at, lane), c.Slice(b, at, lane)); number(t, c.Slice(got, at, lane)).Cmp(number(t, want)) != 0 {
				t.Errorf("the lane of %d bits at %d is wrong", lane, at)
			}
		}
	}
}

// TestAES encrypts blocks by rounds and compares with crypto/aes.
func TestAES(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		key, text, want := make([]byte, 16), make([]byte, 16), make([]byte, 16)
		for i := range key {
			key[i], text[i] = byte(rng.Uint32()), byte(rng.Uint32())
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		block.Encrypt(want, text)

		k, rcon := Value(FromBytes(key)), uint64(1)
		s := c.Xor(FromBytes(text), k)
		for round := 1; round <= 10; round++ {
			// The next round key (FIPS 197, 5.2), word by word.
			last := Rotr(c, c.SubBytes(c.Slice(k, 96, 32)), 8)
			w := c.Xor(last, c.Const(32, rcon))
			var words []Value
			for i := range 4 {
				w = c.Xor(w, c.Slice(k, 32*i, 32))
				words = append(words, w)
			}
			k = c.Concat(words...)
			if rcon <<= 1; rcon > 0xff {
				rcon ^= 0x11b
			}
			if s = SubShift(c, s); round < 10 {
				s = c.MixColumns(s)
			}
			s = c.Xor(s, k)
		}
		if got := s.(*Bits).Bytes(); string(got) != string(want) {
			t.Errorf("key %x, text %x: %x, want %x", key, text, got, want)
		}
	}
}

// TestWidths checks that operands which do not fit are refused.
func TestWidths(t *testing.T) {
	a, b := c.Const(8, 1), c.Const(9, 1)
	for name, f := range map[string]func(){
		"Xor":              func() { c.Xor(a, b) },
		"And":              func() { c.And(a, b) },
		"Add":              func() { c.Add(a, b) },
		"Clmul":            func() { c.Clmul(a, b) },
		"Clmul of 65 bits": func() { c.Clmul(c.Const(65), c.Const(65)) },
		"Less":             func() { c.Less(a, b) },
		"Slice past end":   func() { c.Slice(a, 1, 8) },
		"Slice before":     func() { c.Slice(a, -1, 2) },
		"Slice of nothing": func() { c.Slice(a, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if e := recover(); e == nil || fmt.Sprint(e)[:6] != "value:" {
					t.Errorf("panics with %v", e)
				}
			}()
			f()
		})
	}
}
