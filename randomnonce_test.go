// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"
)

// TestRandomNonceStdlib opens what crypto/cipher seals, and the other way round.
func TestRandomNonceStdlib(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		r := &randomNonce{make1(t, key, Options{Kernel: kernel})}
		std, err := cipher.NewGCMWithRandomNonce(newAES(t, key))
		if err != nil {
			t.Fatal(err)
		}
		if r.NonceSize() != std.NonceSize() || r.Overhead() != std.Overhead() {
			t.Errorf("nonce of %d, overhead of %d bytes; want %d, %d", r.NonceSize(), r.Overhead(), std.NonceSize(), std.Overhead())
		}
		for n := range 600 {
			text, aad := pool[n:][:n], pool[:n%50]
			for _, c := range []struct{ sealer, opener cipher.AEAD }{{r, std}, {std, r}} {
				got, err := c.opener.Open(nil, nil, c.sealer.Seal(nil, nil, text, aad), aad)
				if err != nil || !bytes.Equal(got, text) {
					t.Fatalf("text of %d bytes: %T does not open what %T seals: %v", n, c.opener, c.sealer, err)
				}
			}
		}
		for size := range 20 {
			nonce := make([]byte, size)
			for name, f := range map[string]func(cipher.AEAD){
				"Seal":               func(a cipher.AEAD) { a.Seal(nil, nonce, nil, nil) },
				"Open":               func(a cipher.AEAD) { a.Open(nil, nonce, make([]byte, 50), nil) },
				"Open of too little": func(a cipher.AEAD) { a.Open(nil, nonce, nil, nil) },
			} {
				if got, want := catch(func() { f(r) }), catch(func() { f(std) }); got != want {
					t.Errorf("nonce of %d bytes: %s panics with %q, want %q", size, name, got, want)
				}
			}
		}
	})
}

// TestRandomNonceOverlap compares the panics over overlaps with crypto/cipher's.
func TestRandomNonceOverlap(t *testing.T) {
	std, err := cipher.NewGCMWithRandomNonce(newAES(t, make([]byte, 16)))
	if err != nil {
		t.Fatal(err)
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		r := &randomNonce{make1(t, make([]byte, 16), Options{Kernel: kernel})}
		for _, n := range []int{0, 1, 37} {
			for shift := -90; shift <= 90; shift++ {
				for name, f := range map[string]func(a cipher.AEAD, b []byte){
					"Seal over text": func(a cipher.AEAD, b []byte) { a.Seal(b[100+shift:100+shift], nil, b[100:][:n], nil) },
					"Seal over AAD":  func(a cipher.AEAD, b []byte) { a.Seal(b[100+shift:100+shift], nil, pool[:n], b[100:][:9]) },
					"Open over text": func(a cipher.AEAD, b []byte) { a.Open(b[100+shift:100+shift], nil, b[100:][:n+28], nil) },
					"Open over AAD":  func(a cipher.AEAD, b []byte) { a.Open(b[100+shift:100+shift], nil, pool[:n+28], b[100:][:9]) },
				} {
					got := catch(func() { f(r, make([]byte, 300)) })
					want := catch(func() { f(std, make([]byte, 300)) })
					if got != want {
						t.Errorf("%s, text of %d bytes, shift %d: panics with %q, want %q", name, n, shift, got, want)
					}
				}
			}
		}
	})
}

// TestRandomNonceContract checks the contract, and that nonces differ.
func TestRandomNonceContract(t *testing.T) {
	if a, err := NewWithRandomNonce(make([]byte, 17)); a != nil || err == nil || err.Error() != "gcm: invalid key size 17: want 16, 24 or 32 bytes" {
		t.Errorf("a key of 17 bytes gives %v, %v", a, err)
	}
	a, err := NewWithRandomNonce(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 1000 {
		seen[fmt.Sprintf("%x", a.Seal(nil, nil, nil, nil)[:12])] = true
	}
	if len(seen) != 1000 {
		t.Errorf("1000 messages have %d nonces", len(seen))
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		r := &randomNonce{make1(t, randomBytes(32), Options{Kernel: kernel})}
		checkContract(t, r, nil)
		checkAllocations(t, r, func() []byte { return nil })
	})
}
