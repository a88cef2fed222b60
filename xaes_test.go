// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/sha3"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// makeXAES makes XAES-256-GCM on a kernel.
func makeXAES(t *testing.T, key []byte, kernel string) *xaes {
	t.Helper()
	return newXAES(make1(t, key, Options{Kernel: kernel}))
}

// TestXAESVectors runs the vectors of C2SP, XAES-256-GCM, of which one has a
// subkey with carry and one without.
func TestXAESVectors(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, c := range []struct {
			key         byte // 32 times
			aad, sealed string
		}{
			{1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
			{3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
		} {
			x := makeXAES(t, bytes.Repeat([]byte{c.key}, 32), kernel)
			nonce, text := []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("XAES-256-GCM")
			sealed := x.Seal(nil, nonce, text, []byte(c.aad))
			if got := hex.EncodeToString(sealed); got != c.sealed {
				t.Errorf("key of %d: Seal gives %s, want %s", c.key, got, c.sealed)
			}
			if got, err := x.Open(nil, nonce, sealed, []byte(c.aad)); err != nil || !bytes.Equal(got, text) {
				t.Errorf("key of %d: Open gives %q, %v", c.key, got, err)
			}
		}
	})
}

// TestXAESAccumulated runs the accumulated vectors of C2SP: keys, nonces, texts
// and AAD are drawn from one SHAKE128, and the messages go into another.
func TestXAESAccumulated(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		rounds, want := 10_000, "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"
		if !testing.Short() && kernel == Kernels()[0] {
			rounds, want = 1_000_000, "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15"
		}
		source, sum := sha3.NewSHAKE128(), sha3.NewSHAKE128()
		draw := func(n int) []byte {
			b := make([]byte, n)
			source.Read(b)
			return b
		}
		for i := range rounds {
			x := makeXAES(t, draw(32), kernel)
			nonce := draw(24)
			text := draw(int(draw(1)[0]))
			aad := draw(int(draw(1)[0]))
			sealed := x.Seal(nil, nonce, text, aad)
			if got, err := x.Open(nil, nonce, sealed, aad); err != nil || !bytes.Equal(got, text) {
				t.Fatalf("message %d: Open gives %x, %v", i, got, err)
			}
			sum.Write(sealed)
		}
		digest := make([]byte, 32)
		sum.Read(digest)
		if got := hex.EncodeToString(digest); got != want {
			t.Errorf("%d messages have the digest %s, want %s", rounds, got, want)
		}
	})
}

// TestXAESContract checks sizes, panics, forgeries and what is left in dst.
func TestXAESContract(t *testing.T) {
	for size := range 70 {
		if size == 32 {
			continue
		}
		a, err := NewXAES(make([]byte, size))
		if want := fmt.Sprintf("gcm: invalid key size %d for XAES-256-GCM: want 32 bytes", size); a != nil || err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	if a, err := NewXAES(make([]byte, 32)); err != nil || a.NonceSize() != 24 || a.Overhead() != 16 {
		t.Errorf("NewXAES gives %v, %v", a, err)
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		x := makeXAES(t, randomBytes(32), kernel)
		for _, size := range []int{0, 12, 23, 25} {
			want := fmt.Sprintf("gcm: incorrect nonce length %d given to XAES-256-GCM: want 24 bytes", size)
			for name, f := range map[string]func(){
				"Seal": func() { x.Seal(nil, make([]byte, size), nil, nil) },
				"Open": func() { x.Open(nil, make([]byte, size), make([]byte, 16), nil) },
			} {
				if got := catch(f); got != want {
					t.Errorf("%s panics with %q, want %q", name, got, want)
				}
			}
		}
		checkContract(t, x, randomBytes(24))
		if kernel != dispatch.Generic {
			checkAllocations(t, x, func() []byte { return pool[:24] })
		}
	})
}
