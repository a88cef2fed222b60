// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"testing"
)

// flip returns a copy of b with one bit turned.
func flip(b []byte, bit int) []byte {
	c := bytes.Clone(b)
	c[bit/8] ^= 1 << (bit % 8)
	return c
}

// refused checks that Open fails, returns nil, leaves zeros and touches nothing
// else, apart and in place.
func refused(t *testing.T, a *AEAD, nonce, forged, aad []byte) {
	t.Helper()
	n := max(0, len(forged)-a.Overhead())
	out, intact := fenced(n)
	copy(out, pool)
	got, err := a.Open(out[:0], nonce, forged, aad)
	if err == nil || got != nil || err.Error() != "cipher: message authentication failed" {
		t.Errorf("a forged message of %d bytes opens to %x, %v", len(forged), got, err)
	}
	if len(forged) >= a.Overhead() && !bytes.Equal(out, make([]byte, n)) {
		t.Errorf("a forged message of %d bytes leaves %x", len(forged), out)
	}
	if !intact() {
		t.Errorf("a forged message of %d bytes: Open wrote outside its output", len(forged))
	}

	in, intact := fenced(len(forged))
	copy(in, forged)
	if got, err := a.Open(in[:0], nonce, in, aad); err == nil || got != nil {
		t.Errorf("a forged message of %d bytes opens in place to %x, %v", len(forged), got, err)
	}
	if !intact() || !bytes.Equal(in[n:], forged[n:]) || n > 0 && !bytes.Equal(in[:n], make([]byte, n)) {
		t.Errorf("a forged message of %d bytes, in place, leaves %x", len(forged), in)
	}
}

// TestForgedBits turns each bit of the tag, and many of the ciphertext, the AAD
// and the nonce.
func TestForgedBits(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a := make1(t, key, Options{Kernel: kernel})
		for _, n := range []int{0, 1, 15, 16, 17, 48, 64, 100, 255, 256, 257, 1000, 1350, 5000} {
			for _, m := range []int{0, 1, 16, 20, 65, 300} {
				nonce, aad := randomBytes(12), pool[:m]
				sealed := a.Seal(nil, nonce, pool[n:][:n], aad)
				for bit := range 128 {
					if m == 20 || bit == n%128 {
						refused(t, a, nonce, flip(sealed, 8*n+bit), aad)
					}
				}
				step := 1
				if m != 20 || n > 300 || testing.Short() {
					step = 8*max(n, m)/40 | 1
				}
				for bit := 0; bit < 8*n; bit += step {
					refused(t, a, nonce, flip(sealed, bit), aad)
				}
				for bit := 0; bit < 8*m; bit += step {
					refused(t, a, nonce, sealed, flip(aad, bit))
				}
				for bit := 0; bit < 96; bit += step {
					refused(t, a, flip(nonce, bit), sealed, aad)
				}
			}
		}
	})
}

// TestForgedLengths offers messages and AAD that are cut or grown.
func TestForgedLengths(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for tagSize := 12; tagSize <= 16; tagSize++ {
			a := make1(t, key, Options{TagSize: tagSize, Kernel: kernel})
			nonce, aad := randomBytes(12), randomBytes(32)
			sealed := a.Seal(nil, nonce, pool[:40], aad)
			for n := range sealed {
				refused(t, a, nonce, sealed[:n], aad)
			}
			refused(t, a, nonce, append(bytes.Clone(sealed), 0), aad)
			refused(t, a, nonce, sealed[1:], aad)
			for m := range aad {
				refused(t, a, nonce, sealed, aad[:m])
			}
			refused(t, a, nonce, sealed, append(bytes.Clone(aad), 0))
			refused(t, a, nonce, append(bytes.Clone(aad[:16]), sealed...), aad[16:])
			refused(t, a, nonce, nil, nil)
		}
	})
}
