// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/cipher"
	"fmt"
	"slices"
	"testing"
)

// TestErrors checks what a wrong choice is told.
func TestErrors(t *testing.T) {
	for size := range 70 {
		if slices.Contains(keySizes, size) {
			continue
		}
		_, err := New(make([]byte, size))
		if want := fmt.Sprintf("gcm: invalid key size %d: want 16, 24 or 32 bytes", size); err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{NonceSize: -1}, "gcm: invalid nonce size -1: want 1 byte or more"},
		{Options{TagSize: -1}, "gcm: invalid tag size -1: want 12 to 16 bytes"},
		{Options{TagSize: 11}, "gcm: invalid tag size 11: want 12 to 16 bytes"},
		{Options{TagSize: 17}, "gcm: invalid tag size 17: want 12 to 16 bytes"},
	} {
		a, err := NewWithOptions(make([]byte, 16), c.o)
		if a != nil || err == nil || err.Error() != c.want {
			t.Errorf("%+v: error is %v, want %s", c.o, err, c.want)
		}
	}
	if a, err := NewWithOptions(make([]byte, 16), Options{Kernel: "fast"}); a != nil || err == nil {
		t.Errorf("an unknown kernel gives %v, %v", a, err)
	}
}

// TestDefaults checks what New chooses.
func TestDefaults(t *testing.T) {
	a, err := New(make([]byte, 24))
	if err != nil {
		t.Fatal(err)
	}
	want := Kernels()[0]
	if pinned != "" {
		want = pinned
	}
	if a.NonceSize() != 12 || a.Overhead() != 16 || a.Kernel() != want {
		t.Errorf("nonce of %d, tag of %d bytes, kernel %s; want 12, 16, %s", a.NonceSize(), a.Overhead(), a.Kernel(), want)
	}
}

// TestPanics compares the panics over nonces with those of crypto/cipher.
func TestPanics(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, std := make1(t, make([]byte, 16), Options{Kernel: kernel}), stdlib(t, make([]byte, 16), 12, 16)
		for size := range 40 {
			nonce := make([]byte, size)
			for name, f := range map[string]func(cipher.AEAD){
				"Seal":               func(a cipher.AEAD) { a.Seal(nil, nonce, nil, nil) },
				"Open":               func(a cipher.AEAD) { a.Open(nil, nonce, make([]byte, 20), nil) },
				"Open of too little": func(a cipher.AEAD) { a.Open(nil, nonce, nil, nil) },
			} {
				got, want := catch(func() { f(a) }), catch(func() { f(std) })
				if got != want {
					t.Errorf("nonce of %d bytes: %s panics with %q, want %q", size, name, got, want)
				}
			}
		}
	})
}

// TestNotMade uses an AEAD that New did not make.
func TestNotMade(t *testing.T) {
	const want = "gcm: this AEAD was not made by New or NewWithOptions"
	a := new(AEAD)
	for name, f := range map[string]func(){
		"Seal":                    func() { a.Seal(nil, make([]byte, 12), nil, nil) },
		"Seal without nonce":      func() { a.Seal(nil, nil, nil, nil) },
		"Open":                    func() { a.Open(nil, make([]byte, 12), make([]byte, 16), nil) },
		"Open without nonce":      func() { a.Open(nil, nil, make([]byte, 16), nil) },
		"NonceSize":               func() { a.NonceSize() },
		"Overhead":                func() { a.Overhead() },
		"Kernel":                  func() { a.Kernel() },
		"Kernel of a nil pointer": func() { (*AEAD)(nil).Kernel() },
	} {
		if got := catch(f); got != want {
			t.Errorf("%s panics with %q, want %q", name, got, want)
		}
	}
}
