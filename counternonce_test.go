// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sync"
	"testing"
)

// number is a sequence number as NewWithCounterNonce takes it.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// makeCounterNonce makes one on a kernel.
func makeCounterNonce(t *testing.T, key, iv []byte, kernel string) *counterNonce {
	t.Helper()
	return &counterNonce{a: make1(t, key, Options{Kernel: kernel}), iv: [12]byte(iv)}
}

// TestCounterNonceQUIC seals and opens the server's first packet of RFC 9001,
// A.3, as it is before the protection of its header.
func TestCounterNonceQUIC(t *testing.T) {
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		c := makeCounterNonce(t, unhex("cf3a5331653c364c88f0f379b6067e37"), unhex("0ac1493ca1905853b0bba03e"), kernel)
		header := unhex("c1000000010008f067a5502a4262b50040750001")
		text := unhex("02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf739" +
			"88cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c94" +
			"0d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304")
		want := unhex("5a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f" +
			"5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73" +
			"cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850" +
			"abbdca3d20398c276456cbc42158407dd074ee")
		if got := c.Seal(nil, number(1), text, header); !bytes.Equal(got, want) {
			t.Errorf("Seal gives %x, want %x", got, want)
		}
		if got, err := c.Open(nil, number(1), want, header); err != nil || !bytes.Equal(got, text) {
			t.Errorf("Open gives %x, %v", got, err)
		}
	})
}

// TestCounterNonce compares with Seal under the nonce computed here.
func TestCounterNonce(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		iv := randomBytes(12)
		c, a := makeCounterNonce(t, key, iv, kernel), make1(t, key, Options{Kernel: kernel})
		for i, n := range []uint64{0, 1, 2, 255, 256, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 + 5, math.MaxUint64 - 1} {
			nonce := bytes.Clone(iv)
			for j := range 8 {
				nonce[11-j] ^= byte(n >> (8 * j))
			}
			text, aad := pool[:100*i], pool[:i]
			want := a.Seal(nil, nonce, text, aad)
			if got := c.Seal(nil, number(n), text, aad); !bytes.Equal(got, want) {
				t.Errorf("number %d: Seal differs", n)
			}
			for range 2 {
				if got, err := c.Open(nil, number(n), want, aad); err != nil || !bytes.Equal(got, text) {
					t.Errorf("number %d: Open gives %x, %v", n, got, err)
				}
			}
			if got, err := c.Open(nil, number(n+1), want, aad); got != nil || err != errOpen {
				t.Errorf("number %d opens as the next one: %x, %v", n, got, err)
			}
		}
	})
}

// TestCounterNonceReuse offers numbers that are used, passed over, or the last.
func TestCounterNonceReuse(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		c := makeCounterNonce(t, randomBytes(16), randomBytes(12), kernel)
		seal := func(n uint64, want string) {
			t.Helper()
			buf := bytes.Clone(pool[:100])
			got := catch(func() { c.Seal(buf[:0], number(n), buf[:50], nil) })
			if got != want {
				t.Errorf("number %d: Seal panics with %q, want %q", n, got, want)
			}
			if want != "" && !bytes.Equal(buf, pool[:100]) {
				t.Errorf("number %d: Seal wrote before it panicked", n)
			}
		}
		const used = "gcm: sequence number %d has been used or passed over: want %d or more"
		const last = "gcm: sequence numbers are exhausted: 2⁶⁴ - 1 is never taken"
		seal(0, "")
		seal(0, fmt.Sprintf(used, 0, 1))
		seal(7, "")
		seal(7, fmt.Sprintf(used, 7, 8))
		seal(6, fmt.Sprintf(used, 6, 8))
		seal(math.MaxUint64, last)
		seal(8, "") // refusing the last has changed nothing
		seal(math.MaxUint64-1, "")
		seal(math.MaxUint64, last)
		seal(0, fmt.Sprintf(used, 0, uint64(math.MaxUint64)))
		seal(math.MaxUint64-1, fmt.Sprintf(used, uint64(math.MaxUint64)-1, uint64(math.MaxUint64)))
	})
}

// TestCounterNonceConcurrent lets goroutines race for the same numbers: each is
// sealed at most once.
func TestCounterNonceConcurrent(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		c := makeCounterNonce(t, randomBytes(16), randomBytes(12), kernel)
		const numbers = 500
		var sealed [numbers]int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range numbers {
					if catch(func() { c.Seal(nil, number(uint64(n)), pool[:20], nil) }) == "" {
						mu.Lock()
						sealed[n]++
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		for n, times := range sealed {
			if times > 1 {
				t.Errorf("number %d was sealed %d times", n, times)
			}
		}
	})
}

// TestCounterNonceContract checks sizes, panics and the contract.
func TestCounterNonceContract(t *testing.T) {
	for _, size := range []int{0, 8, 11, 13, 16} {
		want := fmt.Sprintf("gcm: invalid IV size %d: want 12 bytes", size)
		if a, err := NewWithCounterNonce(make([]byte, 16), make([]byte, size)); a != nil || err == nil || err.Error() != want {
			t.Errorf("an IV of %d bytes gives %v, %v; want %s", size, a, err, want)
		}
	}
	if a, err := NewWithCounterNonce(make([]byte, 1), make([]byte, 12)); a != nil || err == nil || err.Error() != "gcm: invalid key size 1: want 16, 24 or 32 bytes" {
		t.Errorf("a key of 1 byte gives %v, %v", a, err)
	}
	if a, err := NewWithCounterNonce(make([]byte, 24), make([]byte, 12)); err != nil || a.NonceSize() != 8 || a.Overhead() != 16 {
		t.Errorf("NewWithCounterNonce gives %v, %v", a, err)
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		c := makeCounterNonce(t, randomBytes(32), randomBytes(12), kernel)
		for _, size := range []int{0, 7, 9, 12} {
			want := fmt.Sprintf("gcm: incorrect sequence number length %d: want 8 bytes", size)
			for name, f := range map[string]func(){
				"Seal": func() { c.Seal(nil, make([]byte, size), nil, nil) },
				"Open": func() { c.Open(nil, make([]byte, size), make([]byte, 16), nil) },
			} {
				if got := catch(f); got != want {
					t.Errorf("%s panics with %q, want %q", name, got, want)
				}
			}
		}
		checkContract(t, anew{c}, number(5))
		nonce, next := make([]byte, 8), uint64(100)
		checkAllocations(t, c, func() []byte {
			next++
			binary.BigEndian.PutUint64(nonce, next)
			return nonce
		})
	})
}

// anew forgets before each Seal which numbers have been used.
type anew struct{ *counterNonce }

func (a anew) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	a.next.Store(0)
	return a.counterNonce.Seal(dst, nonce, plaintext, additionalData)
}
