// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/cipher"
	"testing"
)

// checkContract checks an AEAD that takes care of nonces for the contract of
// cipher.AEAD, as AEAD keeps it. Each message is sealed with the nonce given.
func checkContract(t *testing.T, a cipher.AEAD, nonce []byte) {
	t.Helper()
	overhead := a.Overhead()
	for _, n := range []int{0, 1, 11, 12, 13, 16, 27, 28, 29, 100, 1350, 5000, 20000} {
		text, aad := randomBytes(n), pool[:n%31]

		// Apart, with what is in front of it and nothing behind.
		out, intact := fenced(4 + n + overhead)
		copy(out, "head")
		sealed := a.Seal(out[:4], nonce, text, aad)
		if string(sealed[:4]) != "head" || len(sealed) != len(out) || &sealed[0] != &out[0] || !intact() {
			t.Fatalf("text of %d bytes: Seal spoils what is round its output", n)
		}
		sealed = bytes.Clone(sealed[4:])
		open := func(what string) {
			t.Helper()
			out, intact := fenced(4 + n)
			copy(out, "head")
			got, err := a.Open(out[:4], nonce, sealed, aad)
			if err != nil || string(got[:4]) != "head" || !bytes.Equal(got[4:], text) || &got[0] != &out[0] || !intact() {
				t.Fatalf("text of %d bytes: Open of a message sealed %s: %v", n, what, err)
			}
		}
		open("apart")
		if got, err := a.Open(nil, nonce, sealed, aad); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("text of %d bytes: Open without room gives %x, %v", n, got, err)
		}

		// In place.
		out, intact = fenced(n + overhead)
		copy(out, text)
		if sealed = a.Seal(out[:0], nonce, out[:n], aad); !intact() {
			t.Fatalf("text of %d bytes: Seal in place writes outside its output", n)
		}
		sealed = bytes.Clone(sealed)
		open("in place")
		if got, err := a.Open(out[:0], nonce, out, aad); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("text of %d bytes: Open in place gives %x, %v", n, got, err)
		}
		if !intact() || !bytes.Equal(out[n:], sealed[n:]) {
			t.Fatalf("text of %d bytes: Open in place writes outside its output", n)
		}

		// Forged: nil, zeros and nothing else.
		for bit := 0; bit < 8*len(sealed); bit += 1 + len(sealed)/7 {
			forged := flip(sealed, bit)
			for _, inPlace := range []bool{false, true} {
				out, intact := fenced(len(forged))
				copy(out, forged)
				in := forged
				if inPlace {
					in = out
				}
				got, err := a.Open(out[:0], nonce, in, aad)
				if got != nil || err != errOpen || !bytes.Equal(out[:n], make([]byte, n)) || !bytes.Equal(out[n:], forged[n:]) || !intact() {
					t.Fatalf("text of %d bytes, bit %d, in place %v: a forgery gives %x, %v", n, bit, inPlace, got, err)
				}
			}
		}
		for size := range overhead {
			if got, err := a.Open(nil, nonce, sealed[:size], aad); got != nil || err != errOpen {
				t.Fatalf("a message of %d bytes opens to %x, %v", size, got, err)
			}
		}
		if got, err := a.Open(nil, nonce, sealed, append(bytes.Clone(aad), 0)); got != nil || err != errOpen {
			t.Fatalf("text of %d bytes: other AAD gives %x, %v", n, got, err)
		}
	}

	// Overlap.
	const n = 37
	for shift := -90; shift <= 90; shift++ {
		for _, over := range []string{"input", "AAD"} {
			b := randomBytes(500)
			in, aad := 400, 200
			if over == "input" {
				in, aad = 200, 400
			}
			want := func(outSize, inSize int, exact bool) string {
				switch {
				case over == "input" && shift > -outSize && shift < inSize && !(exact && shift == 0):
					return overlapInput
				case over == "AAD" && shift > -outSize && shift < 20:
					return overlapAAD
				}
				return ""
			}
			dst := b[200+shift : 200+shift]
			if got, want := catch(func() { a.Seal(dst, nonce, b[in:][:n], b[aad:][:20]) }), want(n+overhead, n, true); got != want {
				t.Errorf("output over %s, shift %d: Seal panics with %q, want %q", over, shift, got, want)
			}
			if got, want := catch(func() { a.Open(dst, nonce, b[in:][:n+overhead], b[aad:][:20]) }), want(n, n+overhead, true); got != want {
				t.Errorf("output over %s, shift %d: Open panics with %q, want %q", over, shift, got, want)
			}
		}
	}
}

// checkAllocations counts the allocations of an AEAD: none where dst has room.
func checkAllocations(t *testing.T, a cipher.AEAD, nonce func() []byte) {
	t.Helper()
	if raceEnabled {
		return // sync.Pool drops things at random under the race detector, and what it is told of escapes
	}
	for _, n := range []int{0, 16, 1350, 20000} {
		text, aad := randomBytes(n), randomBytes(20)
		last := bytes.Clone(nonce())
		sealed := a.Seal(nil, last, text, aad)
		buf := make([]byte, len(sealed))
		check := func(what string, f func()) {
			t.Helper()
			if got := testing.AllocsPerRun(50, f); got != 0 {
				t.Errorf("%d bytes: %s allocates %v times", n, what, got)
			}
		}
		check("Seal", func() { a.Seal(buf[:0], nonce(), text, aad) })
		check("Open", func() {
			if _, err := a.Open(buf[:0], last, sealed, aad); err != nil {
				t.Fatal(err)
			}
		})
		check("Seal in place", func() { a.Seal(buf[:0], nonce(), buf[:n], aad) })
		check("failing Open in place", func() { a.Open(buf[:0], last, buf, aad) })
	}
}
