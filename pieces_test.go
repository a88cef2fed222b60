// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/reference"
)

// TestPiecesRandom cuts messages at random, also between AAD of any length and
// the text, and keeps what dst holds in front.
func TestPiecesRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	messages := 300
	if testing.Short() {
		messages = 60
	}
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for range messages {
			nonceSize := []int{12, 12, 1 + random.IntN(40)}[random.IntN(3)]
			a := make1(t, key, Options{NonceSize: nonceSize, TagSize: 12 + random.IntN(5), Kernel: kernel})
			nonce, aad := pool[random.IntN(999):][:nonceSize], pool[:random.IntN(5000)]
			text := pool[random.IntN(999):][:random.IntN(9000)]
			want := a.Seal(nil, nonce, text, aad)

			s, o := a.NewSealer(nonce, aad), a.NewUnverifiedOpener(nonce, aad)
			sealed, opened := []byte("head"), []byte("head")
			for rest := text; len(rest) > 0; {
				n := min(len(rest), random.IntN(1<<random.IntN(13)))
				sealed = s.Seal(sealed, rest[:n])
				var err error
				if opened, err = o.OpenUnverified(opened, sealed[len(sealed)-n:]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			sealed = s.Tag(sealed)
			if string(sealed[:4]) != "head" || !bytes.Equal(sealed[4:], want) {
				t.Fatalf("text of %d, AAD of %d bytes: the Sealer differs", len(text), len(aad))
			}
			if err := o.Verify(want[len(text):]); err != nil || string(opened[:4]) != "head" || !bytes.Equal(opened[4:], text) {
				t.Fatalf("text of %d, AAD of %d bytes: the UnverifiedOpener differs: %v", len(text), len(aad), err)
			}
		}
	})
}

// TestPiecesOverlap slides the output of a piece over its input.
func TestPiecesOverlap(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		nonce := randomBytes(12)
		const n = 37
		for shift := -60; shift <= 60; shift++ {
			want := ""
			if shift > -n && shift < n && shift != 0 {
				want = overlapInput
			}
			b := randomBytes(300)
			if got := catch(func() { a.NewSealer(nonce, nil).Seal(b[100+shift:100+shift], b[100:][:n]) }); got != want {
				t.Errorf("shift %d: Seal panics with %q, want %q", shift, got, want)
			}
			if got := catch(func() { a.NewUnverifiedOpener(nonce, nil).OpenUnverified(b[100+shift:100+shift], b[100:][:n]) }); got != want {
				t.Errorf("shift %d: OpenUnverified panics with %q, want %q", shift, got, want)
			}
		}
	})
}

// TestPiecesEnded uses what has come to its end, or was never begun.
func TestPiecesEnded(t *testing.T) {
	a := make1(t, make([]byte, 16), Options{Kernel: Kernels()[0]})
	nonce := make([]byte, 12)
	sealer := a.NewSealer(nonce, nil)
	tag := sealer.Tag(nil)
	opener := a.NewOpener(nonce, nil)
	if _, err := opener.Open(nil, make([]byte, 16)); err != errOpen {
		t.Errorf("a tag of zeros gives %v", err)
	}
	unverified := a.NewUnverifiedOpener(nonce, nil)
	if err := unverified.Verify(tag); err != nil {
		t.Error(err)
	}
	const (
		ofSealer     = "gcm: this Sealer was not made by NewSealer, or has given its tag"
		ofOpener     = "gcm: this Opener was not made by NewOpener, or has opened its message"
		ofUnverified = "gcm: this UnverifiedOpener was not made by NewUnverifiedOpener, or has verified its message"
	)
	for _, c := range []struct {
		name, want string
		f          func()
	}{
		{"Seal after Tag", ofSealer, func() { sealer.Seal(nil, nil) }},
		{"Tag after Tag", ofSealer, func() { sealer.Tag(nil) }},
		{"Seal of no Sealer", ofSealer, func() { new(Sealer).Seal(nil, nil) }},
		{"Tag of no Sealer", ofSealer, func() { new(Sealer).Tag(nil) }},
		{"Write after Open", ofOpener, func() { opener.Write(nil) }},
		{"Open after Open", ofOpener, func() { opener.Open(nil, tag) }},
		{"Write to no Opener", ofOpener, func() { new(Opener).Write(nil) }},
		{"Open of no Opener", ofOpener, func() { new(Opener).Open(nil, tag) }},
		{"OpenUnverified after Verify", ofUnverified, func() { unverified.OpenUnverified(nil, nil) }},
		{"Verify after Verify", ofUnverified, func() { unverified.Verify(tag) }},
		{"OpenUnverified of no UnverifiedOpener", ofUnverified, func() { new(UnverifiedOpener).OpenUnverified(nil, nil) }},
		{"Verify of no UnverifiedOpener", ofUnverified, func() { new(UnverifiedOpener).Verify(tag) }},
	} {
		if got := catch(c.f); got != c.want {
			t.Errorf("%s panics with %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPiecesTooLarge lets a message that has nearly reached the limit reach it.
func TestPiecesTooLarge(t *testing.T) {
	a := make1(t, make([]byte, 16), Options{Kernel: Kernels()[0]})
	nonce := make([]byte, 12)
	s, o := a.NewSealer(nonce, nil), a.NewUnverifiedOpener(nonce, nil)
	s.m.textLen, o.m.textLen = maxTextSize-10, maxTextSize-10
	if got := s.Seal(nil, make([]byte, 10)); len(got) != 10 {
		t.Errorf("the last 10 bytes give %x", got)
	}
	if got := catch(func() { s.Seal(nil, []byte{1}) }); got != tooLarge {
		t.Errorf("one byte too many: Seal panics with %q, want %q", got, tooLarge)
	}
	if got := catch(func() { s.Seal(nil, nil) }); got != "" {
		t.Errorf("no byte too many: Seal panics with %q", got)
	}
	const want = "gcm: message too large: want at most 2³⁶ - 32 bytes"
	if got, err := o.OpenUnverified(nil, make([]byte, 11)); got != nil || err == nil || err.Error() != want {
		t.Errorf("one byte too many: OpenUnverified gives %x, %v; want %s", got, err, want)
	}
	if got, err := o.OpenUnverified(nil, make([]byte, 10)); len(got) != 10 || err != nil {
		t.Errorf("the last 10 bytes give %x, %v", got, err)
	}
}

// TestPiecesKeepNothing changes nonce, AAD and pieces once they have been taken.
func TestPiecesKeepNothing(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, nonceSize := range []int{12, 20} {
			a := make1(t, make([]byte, 16), Options{NonceSize: nonceSize, Kernel: kernel})
			nonce, aad, text := randomBytes(nonceSize), randomBytes(10), randomBytes(50)
			want := a.Seal(nil, nonce, text, aad)
			sealed := bytes.Clone(want)
			s, o, u := a.NewSealer(nonce, aad), a.NewOpener(nonce, aad), a.NewUnverifiedOpener(nonce, aad)
			clear(nonce)
			clear(aad)
			got := s.Seal(nil, text)
			clear(text)
			if got = s.Tag(got); !bytes.Equal(got, want) {
				t.Error("the Sealer kept what it was given")
			}
			o.Write(sealed[:50])
			plain, _ := u.OpenUnverified(nil, sealed[:50])
			clear(sealed[:50])
			if err := u.Verify(sealed[50:]); err != nil || !bytes.Equal(plain, randomBytes(50)) {
				t.Errorf("the UnverifiedOpener kept what it was given: %v", err)
			}
			if got, err := o.Open(nil, sealed[50:]); err != nil || !bytes.Equal(got, randomBytes(50)) {
				t.Errorf("the Opener kept what it was given: %v", err)
			}
		}
	})
}

// TestPiecesLeaveNothing looks for key stream, text and hashes in what is left of
// a message.
func TestPiecesLeaveNothing(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, nonceSize := range []int{12, 20} {
			a := make1(t, make([]byte, 16), Options{NonceSize: nonceSize, Kernel: kernel})
			for _, n := range []int{0, 5, maxTurn - 32, 5000} {
				s, o := a.NewSealer(pool[:nonceSize], pool[:50]), a.NewUnverifiedOpener(pool[:nonceSize], pool[:50])
				s.Seal(nil, pool[:n])
				o.OpenUnverified(nil, pool[:n])
				for _, m := range []*message{&s.m, &o.m} {
					var h hasher
					c := m.counted
					if c != nil {
						h = c.hash
					}
					m.tag()
					if *m != (message{}) || c != nil && *c != (counted{}) {
						t.Errorf("nonce of %d, text of %d bytes: something is left of the message", nonceSize, n)
					}
					switch h := h.(type) {
					case *hash:
						if *h != (hash{}) {
							t.Errorf("nonce of %d, text of %d bytes: something is left of the hash", nonceSize, n)
						}
					case *genericHash:
						if h.full != nil || h.key != (element{}) || h.w != (element{}) || h.ofZeros != (element{}) || h.buf != [chunkSize]byte{} {
							t.Errorf("nonce of %d, text of %d bytes: something is left of the hash", nonceSize, n)
						}
					}
				}
			}
		}
	})
}

// TestOpenerWriter copies a message to an Opener as io.Copy does, and opens it
// into a buffer with and without room, right and forged.
func TestOpenerWriter(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(32), Options{Kernel: kernel})
		nonce, text, aad := randomBytes(12), randomBytes(60_000), randomBytes(7)
		sealed := a.Seal(nil, nonce, text, aad)
		read := func() *Opener {
			o := a.NewOpener(nonce, aad)
			if n, err := io.Copy(o, io.LimitReader(bytes.NewReader(sealed), int64(len(text)))); n != int64(len(text)) || err != nil {
				t.Fatalf("copied %d bytes, %v", n, err)
			}
			return o
		}
		if got, err := read().Open([]byte("head"), sealed[len(text):]); err != nil || string(got[:4]) != "head" || !bytes.Equal(got[4:], text) {
			t.Errorf("Open differs: %v", err)
		}
		out := bytes.Clone(text)
		got, err := read().Open(out[:0], flip(sealed[len(text):], 3))
		if got != nil || !errors.Is(err, errOpen) || !bytes.Equal(out, make([]byte, len(text))) {
			t.Errorf("a forgery gives %d bytes, %v", len(got), err)
		}
	})
}

// TestFormsAllocations counts allocations: none where dst has room.
func TestFormsAllocations(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if raceEnabled {
			return // sync.Pool drops things at random under the race detector, and what it is told of escapes
		}
		for _, tagSize := range []int{12, 16} {
			a := make1(t, randomBytes(16), Options{TagSize: tagSize, Kernel: kernel})
			for _, n := range []int{0, 16, 1350, 20000} {
				nonce, text, aad, tag := randomBytes(12), randomBytes(n), randomBytes(20), make([]byte, tagSize)
				sealed := a.Seal(nil, nonce, text, aad)
				buf := make([]byte, len(sealed))
				check := func(what string, f func()) {
					t.Helper()
					if got := testing.AllocsPerRun(50, f); got != 0 {
						t.Errorf("%d bytes: %s allocates %v times", n, what, got)
					}
				}
				s, o := a.NewSealer(nonce, aad), a.NewUnverifiedOpener(nonce, aad)
				check("SealDetached", func() { a.SealDetached(buf[:0], tag, nonce, text, aad) })
				check("OpenDetached", func() { a.OpenDetached(buf[:0], sealed[n:], nonce, sealed[:n], aad) })
				check("SealGather", func() { a.SealGather(buf[:0], nonce, [][]byte{text[:n/3], text[n/3:]}, aad) })
				check("OpenGather", func() { a.OpenGather(buf[:0], nonce, [][]byte{sealed[:n/3], sealed[n/3:]}, aad) })
				check("Seal of a piece", func() { s.Seal(buf[:0], text) })
				check("OpenUnverified", func() { o.OpenUnverified(buf[:0], text) })
			}
		}
	})
}

// TestMultiply compares products with those in the tags of the reference, and
// tries the laws of a field.
func TestMultiply(t *testing.T) {
	one, x, top := element{0x80}, element{0x40}, element{15: 1}
	if got, want := multiply(top, x), (element{0xe1}); got != want {
		t.Errorf("x¹²⁷ · x is %x, want %x", got, want)
	}
	for i := range 200 {
		a, b, c := element(pool[16*i:]), element(pool[16*i+7:]), element(pool[16*i+13:])
		ab := multiply(a, b)
		if multiply(a, one) != a || multiply(one, a) != a || multiply(a, element{}) != (element{}) {
			t.Fatalf("%x: one or zero fails", a)
		}
		if ab != multiply(b, a) || multiply(ab, c) != multiply(a, multiply(b, c)) || multiply(a, add(b, c)) != add(ab, multiply(a, c)) {
			t.Fatalf("%x, %x, %x: a law fails", a, b, c)
		}
	}
	// A block of AAD has the tag (A · H ⊕ L) · H ⊕ EK0.
	key, nonce := randomBytes(16), randomBytes(12)
	a := make1(t, key, Options{Kernel: dispatch.Generic})
	var h element
	a.cipherBlock().Encrypt(h[:], h[:])
	ek0 := element(reference.Seal(key, nonce, nil, nil, 16))
	block := element(pool)
	want := element(reference.Seal(key, nonce, block[:], nil, 16))
	if got := add(multiply(add(multiply(block, h), element{7: 128}), h), ek0); got != want {
		t.Errorf("a tag by multiplication is %x, want %x", got, want)
	}
}

// TestKeyBlockBeginsWithKey checks what cipherBlock relies on.
func TestKeyBlockBeginsWithKey(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a := make1(t, key, Options{Kernel: kernel})
		if kernel != dispatch.Generic && !bytes.Equal(a.block[:len(key)], key) {
			t.Error("the key block begins with something else")
		}
	})
}
