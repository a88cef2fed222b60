// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"fmt"
	"testing"
)

// sweep checks one message: sealed apart, opened in place.
func sweep(t *testing.T, a *AEAD, buf, nonce, text, aad, want []byte) {
	t.Helper()
	got := a.Seal(buf[:0], nonce, text, aad)
	if !bytes.Equal(got, want) {
		t.Fatalf("text of %d, AAD of %d, nonce of %d bytes: Seal differs", len(text), len(aad), len(nonce))
	}
	if got, err := a.Open(got[:0], nonce, got, aad); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("text of %d, AAD of %d, nonce of %d bytes: Open differs", len(text), len(aad), len(nonce))
	}
}

// TestEveryTextLength leaves out no length up to several turns of any bulk
// loop: what is pending at its end must reach the tag for all of them. With
// nonces of 16 bytes too, as they may take another path.
func TestEveryTextLength(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for _, nonceSize := range []int{12, 16} {
			a, std := make1(t, key, Options{NonceSize: nonceSize, Kernel: kernel}), stdlib(t, key, nonceSize, 16)
			nonce, buf, want := pool[:nonceSize], make([]byte, 1<<14), make([]byte, 1<<14)
			for n := 1100; n < 5400; n++ {
				if testing.Short() && n%17 != 0 {
					continue
				}
				text, aad := pool[n%64:][:n], pool[:n%33]
				sweep(t, a, buf, nonce, text, aad, std.Seal(want[:0], nonce, text, aad))
			}
		}
	})
}

// TestEveryAADLength leaves out no length up to several turns of any loop over
// the AAD, and none near the powers of two after that.
func TestEveryAADLength(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		nonce, buf, want := pool[:12], make([]byte, 2000), make([]byte, 2000)
		try := func(m int) {
			for _, n := range []int{0, 17, 700, 1300} {
				if testing.Short() && (m+n)%13 != 0 {
					continue
				}
				text, aad := pool[m%64:][:n], pool[m%61:][:m]
				sweep(t, a, buf, nonce, text, aad, std.Seal(want[:0], nonce, text, aad))
			}
		}
		for m := range 4400 {
			try(m)
		}
		for base := 8192; base <= 1<<16; base *= 2 {
			for d := -65; d <= 65; d++ {
				try(base + d)
			}
		}
	})
}

// TestEveryNonceLength leaves out no nonce of 1 to 1300 bytes.
func TestEveryNonceLength(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		buf, want := make([]byte, 200), make([]byte, 200)
		for size := 1; size <= 1300; size++ {
			if testing.Short() && size%7 != 0 {
				continue
			}
			key := pool[size:][:keySizes[size%3]]
			a, std := make1(t, key, Options{NonceSize: size, Kernel: kernel}), stdlib(t, key, size, 16)
			nonce, text, aad := pool[2*size:][:size], pool[:size%90], pool[:size%40]
			sweep(t, a, buf, nonce, text, aad, std.Seal(want[:0], nonce, text, aad))
		}
	})
}

// TestRepeatedAppend seals many messages behind one another in one slice, and
// opens them into another.
func TestRepeatedAppend(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, std := make1(t, make([]byte, 16), Options{Kernel: kernel}), stdlib(t, make([]byte, 16), 12, 16)
		var got, want, opened []byte
		nonce := make([]byte, 12)
		for i := range 200 {
			nonce[0] = byte(i)
			at := len(got)
			got, want = a.Seal(got, nonce, pool[i:][:i], nil), std.Seal(want, nonce, pool[i:][:i], nil)
			var err error
			if opened, err = a.Open(opened, nonce, got[at:], nil); err != nil || !bytes.HasSuffix(opened, pool[i:][:i]) {
				t.Fatal(fmt.Sprintf("message %d does not open: ", i), err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Error("Seal differs")
		}
	})
}
