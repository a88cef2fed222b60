// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzReader gives any bytes to every way to read, and demands what the
// reference finds in them. Those which begin with a whole header get tags that
// fit, as far as fit says, so that the bytes are not all refused at once.
//
//	go test -fuzz FuzzReader
func FuzzReader(f *testing.F) {
	key, aad := someBytes(32), []byte("additional data")
	for i, s := range shapes {
		for _, n := range []int{0, 1, 30, 500} {
			f.Add(seal(f, someBytes(n), key, aad, s.o, s.batch, writeWhole), uint8(i), uint8(0))
			f.Add(append([]byte{byte(1 + 32 + 7)}, someBytes(n)...), uint8(i), uint8(1+n%4))
		}
	}
	f.Fuzz(func(t *testing.T, sealed []byte, shape, fit uint8) {
		s := shapes[int(shape)%len(shapes)]
		c, err := s.o.check(key)
		if err != nil {
			t.Fatal(err)
		}
		if fit > 0 && len(sealed) >= c.headerSize {
			sealed = bytes.Clone(sealed)
			sealed[0] = byte(c.headerSize)
			r := newReference(t, key, aad, sealed, s.o)
			for number := range int(fit) {
				begin, end := number*c.segmentSize, min((number+1)*c.segmentSize, len(sealed))
				if number == 0 {
					begin = c.headerSize
				}
				if end-begin < tagSize {
					break
				}
				segment := sealed[begin:end:end]
				r.aead.Seal(segment[:0], r.nonce(number, end == len(sealed)), segment[:len(segment)-tagSize], nil)
			}
		}
		text, whole := openReference(t, sealed, key, aad, s.o)
		for _, r := range openers {
			got, err := r.open(sealed, key, aad, s.o, s.batch)
			switch {
			case whole && (err != nil || !bytes.Equal(got, text)):
				t.Errorf("%s: %d bytes of %d, %v", r.name, len(got), len(text), err)
			case !whole && (!errors.Is(err, ErrNotAuthentic) || !bytes.HasPrefix(text, got)):
				t.Errorf("%s: %d bytes of which %d are authentic, %v", r.name, len(got), len(text), err)
			}
		}
	})
}

// FuzzWriter writes text in pieces of any sizes, and demands the bytes of the
// reference.
//
//	go test -fuzz FuzzWriter
func FuzzWriter(f *testing.F) {
	for i := range shapes {
		f.Add(someBytes(700), []byte{1, 100, 0, 255, 48}, uint8(i), false)
		f.Add(someBytes(300), []byte{16, 2}, uint8(i), true)
	}
	f.Fuzz(func(t *testing.T, text, sizes []byte, shape uint8, alternate bool) {
		s, key := shapes[int(shape)%len(shapes)], someBytes(32)
		sealed := seal(t, text, key, nil, s.o, s.batch, func(w *Writer, text []byte) error {
			for i, size := range sizes {
				n := min(int(size)*3, len(text))
				write := writeWhole
				if alternate && i%2 == 1 {
					write = func(w *Writer, text []byte) error { return readFrom(w, bytes.NewReader(text), len(text)) }
				}
				if err := write(w, text[:n]); err != nil {
					return err
				}
				text = text[n:]
			}
			return writeWhole(w, text)
		})
		if !bytes.Equal(sealed, sealReference(t, text, key, nil, sealed, s.o)) {
			t.Error("not the bytes of the reference")
		}
	})
}
