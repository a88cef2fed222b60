// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// reference is the format straight from its description, over crypto/cipher.
type reference struct {
	config
	aead   cipher.AEAD
	header []byte
}

func newReference(t testing.TB, key, aad, header []byte, o Options) reference {
	t.Helper()
	c, err := o.check(key)
	if err != nil {
		t.Fatal(err)
	}
	derived, err := hkdf.Key(c.hash, key, header[1:1+c.derivedSize], string(aad), c.derivedSize)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return reference{c, aead, header[:c.headerSize]}
}

func (r reference) nonce(number int, last bool) []byte {
	nonce := slices.Clone(r.header[1+r.derivedSize:])
	nonce = binary.BigEndian.AppendUint32(nonce, uint32(number))
	if last {
		return append(nonce, 1)
	}
	return append(nonce, 0)
}

// sealReference seals text to a stream with the header given.
func sealReference(t testing.TB, text, key, aad, header []byte, o Options) []byte {
	t.Helper()
	r := newReference(t, key, aad, header, o)
	sealed := slices.Clone(r.header)
	for number := 0; ; number++ {
		size := r.segmentSize - 16
		if number == 0 {
			size -= r.headerSize
		}
		n := min(size, len(text))
		last := n == len(text)
		sealed = r.aead.Seal(sealed, r.nonce(number, last), text[:n], nil)
		if text = text[n:]; last {
			return sealed
		}
	}
}

// openReference opens a stream up to the first segment that does not, and reports
// whether it is whole.
func openReference(t testing.TB, sealed, key, aad []byte, o Options) (text []byte, whole bool) {
	t.Helper()
	c, err := o.check(key)
	if err != nil {
		t.Fatal(err)
	}
	if len(sealed) < c.headerSize || int(sealed[0]) != c.headerSize {
		return nil, false
	}
	r := newReference(t, key, aad, sealed, o)
	at := r.headerSize
	for number := 0; ; number++ {
		end := min((number+1)*r.segmentSize, len(sealed))
		last := end == len(sealed)
		piece, err := r.aead.Open(nil, r.nonce(number, last), sealed[at:end], nil)
		if err != nil {
			return text, false
		}
		if text = append(text, piece...); last {
			return text, true
		}
		at = end
	}
}

// pool is where test data comes from: the same bytes in every run.
var pool = func() []byte {
	b := make([]byte, 1<<16)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return b
}()

// someBytes returns n bytes, the same for the same n.
func someBytes(n int) []byte {
	b := make([]byte, 0, n+len(pool))
	for len(b) < n {
		b = append(b, pool...)
	}
	return b[:n:n]
}

// seal seals text with a Writer whose lanes hold batch segments.
func seal(t testing.TB, text, key, aad []byte, o Options, batch int, write func(w *Writer, text []byte) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, key, aad, o)
	if err != nil {
		t.Fatal(err)
	}
	w.batch = batch
	if err := write(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeWhole writes text at once.
func writeWhole(w *Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}

// opener is one way to read a stream to its end or to its fault.
type opener struct {
	name string
	open func(sealed, key, aad []byte, o Options, batch int) ([]byte, error)
}

func reading(name string, read func(r *Reader) ([]byte, error), from func(io.Reader) io.Reader) opener {
	return opener{name, func(sealed, key, aad []byte, o Options, batch int) ([]byte, error) {
		r, err := NewReader(from(bytes.NewReader(sealed)), key, aad, o)
		if err != nil {
			return nil, err
		}
		r.batch = batch
		return read(r)
	}}
}
