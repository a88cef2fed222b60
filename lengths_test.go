// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/reference"
)

// textSizes returns every length from 0 to 1100 bytes, and 17 on either side of
// each threshold that a kernel may have, up to 64 KiB.
func textSizes() []int {
	var sizes []int
	for n := range 1101 {
		sizes = append(sizes, n)
	}
	const limit = 64 << 10
	for n := 1024; n <= limit; n *= 2 {
		for _, threshold := range []int{n, n + n/4, n + n/2, n + 3*n/4} {
			if threshold > limit {
				continue
			}
			for d := -17; d <= 17; d++ {
				sizes = append(sizes, threshold+d)
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// fence is what lies round an output, to see that nothing else is written.
var fence = bytes.Repeat([]byte{0xA5}, 80)

// fenced returns n zero bytes with a fence on either side, and a check of it.
func fenced(n int) (inner []byte, intact func() bool) {
	all := make([]byte, len(fence)+n+len(fence))
	copy(all, fence)
	copy(all[len(fence)+n:], fence)
	return all[len(fence):][:n:n], func() bool {
		return bytes.Equal(all[:len(fence)], fence) && bytes.Equal(all[len(fence)+n:], fence)
	}
}

// TestLengths compares Seal and Open with crypto/cipher at every length, apart
// and in place, and with the reference at some of them.
func TestLengths(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		nonce := randomBytes(12)
		var want []byte
		for i, n := range textSizes() {
			aads := aadSizes
			if testing.Short() {
				aads = []int{aadSizes[i%len(aadSizes)], aadSizes[i*7%19]}
			}
			text := pool[n%61:][:n]
			for j, m := range aads {
				aad := pool[i%64:][:m]
				nonce[0], nonce[11] = byte(i), byte(j)
				want = std.Seal(want[:0], nonce, text, aad)
				compare(t, a, nonce, text, aad, want)
			}
			if m := aads[i%len(aads)]; !testing.Short() || i%17 == 0 {
				aad := pool[:m]
				want := reference.Seal(key, nonce, aad, text, 16)
				if got := a.Seal(nil, nonce, text, aad); !bytes.Equal(got, want) {
					t.Fatalf("text of %d, AAD of %d bytes: Seal differs from the reference", n, m)
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}

// compare seals text and opens want, each apart and in place.
func compare(t *testing.T, a *AEAD, nonce, text, aad, want []byte) {
	t.Helper()
	report := func(what string) {
		t.Helper()
		t.Errorf("kernel %s, text of %d, AAD of %d, nonce of %d, tag of %d bytes: %s",
			a.Kernel(), len(text), len(aad), len(nonce), a.Overhead(), what)
	}
	n := len(text)

	out, intact := fenced(len(want))
	if got := a.Seal(out[:0], nonce, text, aad); !bytes.Equal(got, want) {
		report("Seal differs")
	} else if &got[0] != &out[0] {
		report("Seal left dst, which had room")
	}
	if !intact() {
		report("Seal wrote outside its output")
	}

	clear(out)
	copy(out, text)
	if got := a.Seal(out[:0], nonce, out[:n], aad); !bytes.Equal(got, want) {
		report("Seal in place differs")
	}
	if !intact() {
		report("Seal in place wrote outside its output")
	}

	if got, err := a.Open(out[:0], nonce, out, aad); err != nil || !bytes.Equal(got, text) {
		report("Open in place differs")
	}
	if !intact() || !bytes.Equal(out[n:], want[n:]) {
		report("Open in place wrote outside its output")
	}

	out, intact = fenced(n)
	if got, err := a.Open(out[:0], nonce, want, aad); err != nil || !bytes.Equal(got, text) {
		report("Open differs")
	}
	if !intact() {
		report("Open wrote outside its output")
	}
}
