// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/require"
)

// TestMain says which kernel the tests do not reach here, which is a failure
// for a required one.
func TestMain(m *testing.M) {
	for _, k := range require.Kernels() {
		if !slices.Contains(Kernels(), k) {
			fmt.Fprintf(os.Stderr, "gcm: GCM_REQUIRE wants kernel %q, but usable here are only %s\n", k, strings.Join(Kernels(), ", "))
			os.Exit(1)
		}
	}
	for _, k := range dispatch.Kernels {
		if k.Arch == runtime.GOARCH && !slices.Contains(Kernels(), k.Name) {
			fmt.Fprintf(os.Stderr, "gcm: KERNEL %s IS ABSENT HERE: these tests do not cover it\n", k.Name)
		}
	}
	os.Exit(m.Run())
}

// onEveryKernel runs a test once for each kernel that can run here, once more
// with all messages in pieces, and where there is a cgo door, with all through
// that. Short runs take the best kernel and generic: under an emulator each is
// slow, and each kernel is the best of some processor that scripts/test emulates,
// or takes part in the long run there.
func onEveryKernel(t *testing.T, test func(t *testing.T, kernel string)) {
	kernels := Kernels()
	if testing.Short() && len(kernels) > 2 {
		kernels = []string{kernels[0], dispatch.Generic}
	}
	for _, k := range kernels {
		t.Run(k, func(t *testing.T) { test(t, k) })
		for _, d := range []dispatch.Door{dispatch.Pieces, dispatch.Cgo} {
			if k == dispatch.Generic || d == dispatch.Cgo && !cshim.Linked {
				continue
			}
			if d == dispatch.Pieces && cshim.Linked && testing.Short() { // as short runs without cgo do
				continue
			}
			t.Run(k+"/"+dispatch.Doors[d], func(t *testing.T) {
				defer dispatch.Force(d)()
				test(t, k)
			})
		}
	}
}

// onEveryKey runs a test once for each kernel and key size.
func onEveryKey(t *testing.T, test func(t *testing.T, kernel string, key []byte)) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, size := range keySizes {
			t.Run(fmt.Sprint(8*size), func(t *testing.T) { test(t, kernel, randomBytes(size)) })
		}
	})
}

// keySizes are in bytes.
var keySizes = []int{16, 24, 32}

// aadSizes are lengths in bytes round those where code is likely to branch.
var aadSizes = []int{0, 1, 12, 13, 15, 16, 17, 20, 31, 32, 33, 47, 48, 49, 63, 64, 65,
	100, 127, 128, 129, 255, 256, 257, 10000}

// make1 makes an AEAD and checks that it runs on the kernel asked for.
func make1(t testing.TB, key []byte, o Options) *AEAD {
	t.Helper()
	a, err := NewWithOptions(key, o)
	if err != nil {
		t.Fatal(err)
	}
	if a.Kernel() != o.Kernel {
		t.Fatalf("kernel %s runs, want %s", a.Kernel(), o.Kernel)
	}
	return a
}

// newAES returns crypto/aes's cipher.
func newAES(t testing.TB, key []byte) cipher.Block {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// stdlib is crypto/cipher's AES-GCM.
func stdlib(t testing.TB, key []byte, nonceSize, tagSize int) cipher.AEAD {
	t.Helper()
	a, err := cipher.NewGCMWithNonceSize(newAES(t, key), nonceSize)
	if err != nil {
		t.Fatal(err)
	}
	if tagSize < defaultTagSize {
		return cutTags{a, tagSize}
	}
	return a
}

// cutTags is an AEAD with shorter tags. That of crypto/cipher writes behind what it
// returns when its tags have less than 16 bytes, even in memory of its own.
type cutTags struct {
	cipher.AEAD
	tagSize int
}

func (c cutTags) Overhead() int { return c.tagSize }

func (c cutTags) Seal(dst, nonce, text, aad []byte) []byte {
	sealed := c.AEAD.Seal(nil, nonce, text, aad)[:len(text)+c.tagSize]
	if cap(dst)-len(dst) < len(sealed) {
		dst = append(make([]byte, 0, len(dst)+len(sealed)), dst...)
	}
	return append(dst, sealed...)
}

func (c cutTags) Open(dst, nonce, ciphertext, aad []byte) ([]byte, error) {
	n := len(ciphertext) - c.tagSize
	if n < 0 {
		return nil, errOpen
	}
	text := c.AEAD.Seal(nil, nonce, ciphertext[:n], nil)[:n] // counter mode takes itself back
	if !bytes.Equal(c.Seal(nil, nonce, text, aad), ciphertext) {
		return nil, errOpen
	}
	return append(dst, text...), nil
}

// pool is where test data comes from: the same bytes in every run.
var pool = func() []byte {
	b := make([]byte, 1<<17)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

// randomBytes returns n fresh bytes, the same for the same n.
func randomBytes(n int) []byte { return slices.Clone(pool[n:][:n:n]) }

// catch returns what f panicked with, as text, or "".
func catch(f func()) (text string) {
	defer func() {
		if e := recover(); e != nil {
			text = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}
