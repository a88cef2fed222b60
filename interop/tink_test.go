// SPDX-License-Identifier: ISC

package interop

import (
	"bytes"
	"crypto"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stitchgcm/gcm/stream"
	"github.com/tink-crypto/tink-go/v2/streamingaead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// hashes are those of HKDF by Tink's names.
var hashes = map[string]crypto.Hash{"SHA1": crypto.SHA1, "SHA256": crypto.SHA256, "SHA512": crypto.SHA512}

// someBytes returns n bytes, the same for the same n.
func someBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func newTink(t testing.TB, key []byte, hash string, o stream.Options) tink.StreamingAEAD {
	t.Helper()
	s, err := subtle.NewAESGCMHKDF(key, hash, o.DerivedKeySize, o.SegmentSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sealTink and openTink are Tink's, in pieces of the size given.
func sealTink(s tink.StreamingAEAD, text, aad []byte, piece int) ([]byte, error) {
	var b bytes.Buffer
	w, err := s.NewEncryptingWriter(&b, aad)
	if err != nil {
		return nil, err
	}
	for len(text) > 0 {
		n := min(piece, len(text))
		if _, err := w.Write(text[:n]); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func openTink(s tink.StreamingAEAD, sealed, aad []byte) ([]byte, error) {
	r, err := s.NewDecryptingReader(bytes.NewReader(sealed), aad)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// seal and open are those of the package stream, in all its ways.
func seal(text, key, aad []byte, o stream.Options) (all [][]byte, err error) {
	for _, src := range []io.Reader{bytes.NewReader(text), struct{ io.Reader }{bytes.NewReader(text)}} { // Write, ReadFrom
		var b bytes.Buffer
		w, err := stream.NewWriter(&b, key, aad, o)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, src); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		all = append(all, b.Bytes())
	}
	return all, nil
}

func open(sealed, key, aad []byte, o stream.Options) ([]byte, error) {
	r, err := stream.NewReader(bytes.NewReader(sealed), key, aad, o)
	if err != nil {
		return nil, err
	}
	byRead, err := io.ReadAll(r)
	if err != nil {
		return byRead, err
	}
	if r, err = stream.NewReader(bytes.NewReader(sealed), key, aad, o); err != nil {
		return nil, err
	}
	var byCopy bytes.Buffer
	if _, err := r.WriteTo(&byCopy); err != nil {
		return byCopy.Bytes(), err
	}
	a, err := stream.NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, aad, o)
	if err != nil {
		return nil, err
	}
	byOffset := make([]byte, a.Size())
	if n, err := a.ReadAt(byOffset, 0); err != nil && n < len(byOffset) {
		return byOffset[:n], err
	}
	if !bytes.Equal(byRead, byCopy.Bytes()) || !bytes.Equal(byRead, byOffset) {
		return nil, fmt.Errorf("three ways to read %d bytes differ", len(byRead))
	}
	return byRead, nil
}

// bothWays seals with one and opens with the other.
func bothWays(t *testing.T, s tink.StreamingAEAD, text, key, aad []byte, o stream.Options) {
	t.Helper()
	for _, piece := range []int{max(1, len(text)), 100} {
		sealed, err := sealTink(s, text, aad, piece)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := open(sealed, key, aad, o); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%+v, %d bytes from Tink: %d bytes, %v", o, len(text), len(got), err)
		}
	}
	all, err := seal(text, key, aad, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range all {
		if got, err := openTink(s, sealed, aad); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%+v, %d bytes to Tink: %d bytes, %v", o, len(text), len(got), err)
		}
	}
}

// All hashes, sizes of derived keys and sizes of segments from the smallest on,
// under keys of many sizes, at the lengths round the edges of segments.
func TestBothWays(t *testing.T) {
	for hash, h := range hashes {
		for _, derived := range []int{16, 32} {
			for _, size := range []int{derived + 25, derived + 26, 64, 100, 256, 4096} {
				o := stream.Options{SegmentSize: size, DerivedKeySize: derived, Hash: h, Workers: 2}
				first, others := size-derived-24, size-16
				lengths := map[int]bool{0: true, 1: true}
				for segments := range 4 {
					for near := -2; near <= 2; near++ {
						lengths[max(0, first+segments*others+near)] = true
						lengths[max(0, segments*others+near)] = true
						lengths[max(0, segments*size+near)] = true
					}
				}
				for n := range lengths {
					key := someBytes(derived + n%40)
					bothWays(t, newTink(t, key, hash, o), someBytes(n), key, someBytes(n%70), o)
				}
			}
		}
	}
}

// What one refuses, the other does: each bit forged, each length cut, segments
// left out, repeated and exchanged, other keys, data and options.
func TestRefusals(t *testing.T) {
	key, aad, text := someBytes(32), []byte("aad"), someBytes(200)
	o := stream.Options{SegmentSize: 64, DerivedKeySize: 32, Hash: crypto.SHA256}
	s := newTink(t, key, "SHA256", o)
	sealed, err := sealTink(s, text, aad, 1000)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, s tink.StreamingAEAD, sealed, key, aad []byte, o stream.Options) {
		t.Helper()
		theirs, err1 := openTink(s, sealed, aad)
		ours, err2 := open(sealed, key, aad, o)
		if err1 == nil || err2 == nil {
			t.Errorf("%s: Tink says %v (%d bytes), stream says %v (%d bytes)", what, err1, len(theirs), err2, len(ours))
		}
	}
	for i := range sealed {
		forged := bytes.Clone(sealed)
		forged[i] ^= 0x10
		same(fmt.Sprint("byte ", i, " forged"), s, forged, key, aad, o)
		same(fmt.Sprint("cut to ", i), s, sealed[:i], key, aad, o)
	}
	segments := func(numbers ...int) (b []byte) {
		for _, i := range numbers {
			b = append(b, sealed[64*i:min(len(sealed), 64*i+64)]...)
		}
		return b
	}
	same("left out", s, segments(0, 1, 3, 4), key, aad, o)
	same("repeated", s, segments(0, 1, 2, 2, 3, 4), key, aad, o)
	same("exchanged", s, segments(0, 2, 1, 3, 4), key, aad, o)
	same("lengthened", s, append(segments(0, 1, 2, 3, 4), 0), key, aad, o)
	same("other aad", s, sealed, key, []byte("add"), o)
	other := someBytes(33)
	same("other key", newTink(t, other, "SHA256", o), sealed, other, aad, o)
	o.SegmentSize = 65
	same("other segment size", newTink(t, key, "SHA256", o), sealed, key, aad, o)
	o.SegmentSize, o.Hash = 64, crypto.SHA1
	same("other hash", newTink(t, key, "SHA1", o), sealed, key, aad, o)
	o.DerivedKeySize, o.Hash = 16, crypto.SHA256
	same("other derived key size", newTink(t, key, "SHA256", o), sealed, key, aad, o)
}

// A last segment without text, behind a full one, is nothing that a writer
// makes, but it is authentic, and both take it alike.
func TestEmptyLastSegment(t *testing.T) {
	key := someBytes(32)
	o := stream.Options{SegmentSize: 64, DerivedKeySize: 32, Hash: crypto.SHA256}
	sealed := sealEmptyLast(t, key, someBytes(8+48), o)
	theirs, err1 := openTink(newTink(t, key, "SHA256", o), sealed, nil)
	ours, err2 := open(sealed, key, nil, o)
	if (err1 == nil) != (err2 == nil) || !bytes.Equal(theirs, ours) {
		t.Errorf("Tink: %d bytes, %v; stream: %d bytes, %v", len(theirs), err1, len(ours), err2)
	}
}

// Each refuses options that the format does not have.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		key, derived, size int
		fine               bool
	}{
		{16, 16, 41, true}, {16, 16, 40, false}, {15, 16, 64, false}, {15, 15, 64, false},
		{32, 32, 57, true}, {32, 32, 56, false}, {31, 32, 64, false}, {32, 24, 64, false},
		{16, 32, 64, false}, {100, 32, 64, true}, {24, 16, 64, true},
	} {
		_, err1 := subtle.NewAESGCMHKDF(make([]byte, c.key), "SHA256", c.derived, c.size, 0)
		_, err2 := stream.NewReader(nil, make([]byte, c.key), nil, stream.Options{DerivedKeySize: c.derived, SegmentSize: c.size})
		if (err1 == nil) != c.fine || (err2 == nil) != c.fine {
			t.Errorf("%+v: Tink says %v, stream says %v", c, err1, err2)
		}
	}
}
