// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stitchgcm/gcm/internal/reference"
)

// form is another way to seal and open than Seal and Open. Each must make the
// same of a message.
type form struct {
	name string
	seal func(a *AEAD, nonce, text, aad []byte) []byte
	open func(a *AEAD, nonce, sealed, aad []byte) ([]byte, error)
}

var forms = []form{
	{"detached",
		func(a *AEAD, nonce, text, aad []byte) []byte {
			tag := make([]byte, a.Overhead())
			return append(a.SealDetached(nil, tag, nonce, text, aad), tag...)
		},
		func(a *AEAD, nonce, sealed, aad []byte) ([]byte, error) {
			text, tag := split(a, sealed)
			return a.OpenDetached(nil, tag, nonce, text, aad)
		}},
	{"gather",
		func(a *AEAD, nonce, text, aad []byte) []byte {
			return a.SealGather(nil, nonce, cut(text), aad)
		},
		func(a *AEAD, nonce, sealed, aad []byte) ([]byte, error) {
			return a.OpenGather(nil, nonce, cut(sealed), aad)
		}},
	{"pieces",
		func(a *AEAD, nonce, text, aad []byte) (sealed []byte) {
			s := a.NewSealer(nonce, aad)
			for _, p := range cut(text) {
				sealed = s.Seal(sealed, p)
			}
			return s.Tag(sealed)
		},
		func(a *AEAD, nonce, sealed, aad []byte) ([]byte, error) {
			text, tag := split(a, sealed)
			o := a.NewOpener(nonce, aad)
			for _, p := range cut(text) {
				if n, err := o.Write(p); n != len(p) || err != nil {
					return nil, fmt.Errorf("Write of %d bytes gives %d, %w", len(p), n, err)
				}
			}
			return o.Open(nil, tag)
		}},
	{"unverified pieces in place",
		func(a *AEAD, nonce, text, aad []byte) []byte {
			out := bytes.Clone(text)
			s := a.NewSealer(nonce, aad)
			for _, p := range cut(out) {
				s.Seal(p[:0], p)
			}
			return s.Tag(out)
		},
		func(a *AEAD, nonce, sealed, aad []byte) ([]byte, error) {
			text, tag := split(a, sealed)
			out := bytes.Clone(text)
			o := a.NewUnverifiedOpener(nonce, aad)
			for _, p := range cut(out) {
				if _, err := o.OpenUnverified(p[:0], p); err != nil {
					return nil, err
				}
			}
			if err := o.Verify(tag); err != nil {
				return nil, err
			}
			return out, nil
		}},
}

// split parts a message from its tag; there may be less than a tag.
func split(a *AEAD, sealed []byte) (text, tag []byte) {
	n := max(0, len(sealed)-a.Overhead())
	return sealed[:n], sealed[n:]
}

// cut returns the pieces of b: of 0 to 40 bytes, some of 300, one of 5000, and
// the rest.
func cut(b []byte) (pieces [][]byte) {
	for i := 0; i < 60; i++ {
		n := int(pool[len(b)%1000+i]) % 41
		switch {
		case n == 40:
			n = 300
		case i == 30:
			n = 5000
		}
		n = min(n, len(b))
		pieces, b = append(pieces, b[:n:n]), b[n:]
	}
	return append(pieces, b)
}

// check wants of a form what Seal makes, and that it opens, but no forgery.
func (f form) check(t *testing.T, a *AEAD, nonce, text, aad []byte) {
	t.Helper()
	want := a.Seal(nil, nonce, text, aad)
	where := fmt.Sprintf("%s: text of %d, AAD of %d, nonce of %d, tag of %d bytes", f.name, len(text), len(aad), len(nonce), a.Overhead())
	if got := f.seal(a, nonce, text, aad); !bytes.Equal(got, want) {
		t.Fatalf("%s: sealing differs", where)
	}
	if got, err := f.open(a, nonce, want, aad); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%s: opening differs: %v", where, err)
	}
	forge := func(what string, sealed, aad []byte) {
		t.Helper()
		if got, err := f.open(a, nonce, sealed, aad); got != nil || err == nil || err.Error() != "cipher: message authentication failed" {
			t.Fatalf("%s: %s opens to %d bytes, %v", where, what, len(got), err)
		}
	}
	bit := int(pool[len(text)%1000]) | int(pool[len(aad)%1000])<<8
	forge("another bit", flip(want, bit%(8*len(want))), aad)
	forge("a bit of the tag", flip(want, 8*len(text)+bit%(8*a.Overhead())), aad)
	forge("a message one byte short", want[:len(want)-1], aad)
	forge("less than a tag", want[:a.Overhead()-1], aad)
	forge("nothing", nil, aad)
	forge("a message one byte long", append(bytes.Clone(want), 0), aad)
	forge("longer AAD", want, append(bytes.Clone(aad), 0))
	if len(aad) > 0 {
		forge("other AAD", want, flip(aad, bit%(8*len(aad))))
	}
}

// TestForms tries the other forms at many lengths, nonce sizes and tag sizes.
func TestForms(t *testing.T) {
	sizes := []int{0, 1, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257, 1350, 4079, 4080, 4081, 4095,
		4096, 4097, 4111, 4112, 4113, 8191, 8192, 8193, 12305, 20000, 70000}
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for _, f := range forms {
			for _, nonceSize := range []int{1, 12, 16, 31, 5000} {
				for tagSize := 12; tagSize <= 16; tagSize++ {
					a := make1(t, key, Options{NonceSize: nonceSize, TagSize: tagSize, Kernel: kernel})
					for i, n := range sizes {
						if (nonceSize != 12 || tagSize != 16) && i%5 != tagSize%5 {
							continue
						}
						m := []int{0, 13, 16, 32, 4096, 9999}[(i+tagSize)%6]
						f.check(t, a, pool[n:][:nonceSize], pool[i:][:n], pool[n+1:][:m])
					}
				}
			}
		}
	})
}

// TestFormsShort tries the other forms at every length of text and AAD up to 70
// bytes, and with every nonce of up to 33.
func TestFormsShort(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		key := randomBytes(32)
		for _, f := range forms {
			a := make1(t, key, Options{Kernel: kernel})
			for n := range 71 {
				for m := range 71 {
					if testing.Short() && (n+m)%3 != 0 {
						continue
					}
					f.check(t, a, pool[n:][:12], pool[m:][:n], pool[n:][:m])
				}
			}
			for size := 1; size <= 33; size++ {
				a := make1(t, key, Options{NonceSize: size, Kernel: kernel})
				f.check(t, a, pool[:size], pool[size:][:50], pool[:size])
			}
		}
	})
}

// TestFormsCounter lets the counter wrap at every place of a message.
func TestFormsCounter(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		key := randomBytes(24)
		a := make1(t, key, Options{NonceSize: 16, Kernel: kernel})
		for _, f := range forms {
			for before := range uint32(20) {
				j0 := [16]byte(pool)
				for i := range 4 {
					j0[12+i] = byte(^before >> (24 - 8*i))
				}
				nonce := reference.NonceFor(key, j0)
				f.check(t, a, nonce[:], pool[:325], pool[:7])
			}
		}
	})
}

// TestFormsWycheproof runs Project Wycheproof through the other forms.
func TestFormsWycheproof(t *testing.T) {
	w := readWycheproof(t)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, f := range forms {
			ran := 0
			for _, g := range w.TestGroups {
				if g.IVSize == 0 {
					continue // as TestWycheproof says
				}
				for _, c := range g.Tests {
					ran++
					a := make1(t, c.Key, Options{NonceSize: g.IVSize / 8, TagSize: g.TagSize / 8, Kernel: kernel})
					sealed := append(bytes.Clone(c.CT), c.Tag...)
					got, err := f.open(a, c.IV, sealed, c.AAD)
					if c.Result == "invalid" {
						if err == nil || got != nil {
							t.Errorf("%s, case %d (%s): a forgery is taken", f.name, c.TCID, c.Comment)
						}
						continue
					}
					if err != nil || !bytes.Equal(got, c.Msg) {
						t.Errorf("%s, case %d (%s): opening gives %x, %v", f.name, c.TCID, c.Comment, got, err)
					}
					if got := f.seal(a, c.IV, c.Msg, c.AAD); !bytes.Equal(got, sealed) {
						t.Errorf("%s, case %d (%s): sealing gives %x, want %x", f.name, c.TCID, c.Comment, got, sealed)
					}
				}
			}
			if ran < 200 {
				t.Errorf("%s: %d cases ran, want more than 200", f.name, ran)
			}
		}
	})
}

// TestFormsNonce offers nonces of the wrong size, and AEADs that New did not make.
func TestFormsNonce(t *testing.T) {
	calls := map[string]func(a *AEAD, nonce []byte){
		"SealDetached":        func(a *AEAD, n []byte) { a.SealDetached(nil, make([]byte, 16), n, nil, nil) },
		"OpenDetached":        func(a *AEAD, n []byte) { a.OpenDetached(nil, make([]byte, 16), n, nil, nil) },
		"SealGather":          func(a *AEAD, n []byte) { a.SealGather(nil, n, nil, nil) },
		"OpenGather":          func(a *AEAD, n []byte) { a.OpenGather(nil, n, nil, nil) },
		"NewSealer":           func(a *AEAD, n []byte) { a.NewSealer(n, nil) },
		"NewOpener":           func(a *AEAD, n []byte) { a.NewOpener(n, nil) },
		"NewUnverifiedOpener": func(a *AEAD, n []byte) { a.NewUnverifiedOpener(n, nil) },
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, make([]byte, 16), Options{Kernel: kernel})
		for name, f := range calls {
			for _, size := range []int{0, 11, 13, 16} {
				const want = "crypto/cipher: incorrect nonce length given to GCM"
				if got := catch(func() { f(a, make([]byte, size)) }); got != want {
					t.Errorf("nonce of %d bytes: %s panics with %q, want %q", size, name, got, want)
				}
			}
			const want = "gcm: this AEAD was not made by New or NewWithOptions"
			for _, size := range []int{0, 12} {
				if got := catch(func() { f(new(AEAD), make([]byte, size)) }); got != want {
					t.Errorf("%s of no AEAD panics with %q, want %q", name, got, want)
				}
			}
		}
	})
}

// FuzzForms compares the other forms with Seal and Open on every kernel.
//
//	go test -fuzz FuzzForms
func FuzzForms(f *testing.F) {
	f.Add(pool[:16], pool[:12], pool[:20], pool[:100], uint8(16))
	f.Add(pool[:32], pool[:33], pool[:64], pool[:2100], uint8(12))
	f.Add(pool[:24], pool[:1], []byte{}, []byte{}, uint8(15))
	f.Fuzz(func(t *testing.T, key, nonce, aad, text []byte, tagSize uint8) {
		key = append(bytes.Clone(key), make([]byte, 16)...)
		key = key[:min(len(key)/8*8, 32)]
		if len(nonce) == 0 {
			return
		}
		for _, kernel := range Kernels() {
			a := make1(t, key, Options{NonceSize: len(nonce), TagSize: 12 + int(tagSize)%5, Kernel: kernel})
			for _, form := range forms {
				form.check(t, a, nonce, text, aad)
			}
		}
	})
}
