// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

var errBroken = errors.New("the pipe is broken")

// breaking takes so many bytes and then fails.
type breaking struct{ room int }

func (b *breaking) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// An error of the underlying writer stays, and closing does not hide it.
func TestWriterErrors(t *testing.T) {
	key, text := someBytes(32), someBytes(1000)
	for _, workers := range []int{1, 2, 5} {
		for room := range 40 {
			o := Options{SegmentSize: 64, Workers: workers}
			for _, how := range writers {
				w, err := NewWriter(&breaking{room * 32}, key, nil, o)
				if err != nil {
					t.Fatal(err)
				}
				w.batch = 2
				if err = how.write(w, text); err == nil {
					err = w.Close()
				}
				if !errors.Is(err, errBroken) && (err == nil || !strings.Contains(err.Error(), errBroken.Error())) {
					t.Fatalf("%s: error %v, want %v", how.name, err, errBroken)
				}
				_, err1 := w.Write(nil)
				_, err2 := w.ReadFrom(bytes.NewReader(nil))
				if err3 := w.Close(); err1 != errBroken || err2 != errBroken || err3 != errBroken {
					t.Fatalf("%s: later errors %v, %v, %v", how.name, err1, err2, err3)
				}
			}
		}
	}
}

// short takes one byte less than it is given, and says nothing.
type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestShortWrite(t *testing.T) {
	w, err := NewWriter(short{}, someBytes(32), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != io.ErrShortWrite {
		t.Errorf("Close: %v", err)
	}
	r, err := NewReader(bytes.NewReader(seal(t, someBytes(10), someBytes(32), nil, Options{}, 1, writeWhole)), someBytes(32), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteTo(short{}); err != io.ErrShortWrite {
		t.Errorf("WriteTo: %v", err)
	}
}

func TestClosed(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, someBytes(32), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() != 40+16 {
		t.Errorf("an empty stream has %d bytes", b.Len())
	}
	if n, err := w.Write([]byte("more")); n != 0 || err != errClosed {
		t.Errorf("Write after Close: %d, %v", n, err)
	}
	if n, err := w.ReadFrom(strings.NewReader("more")); n != 0 || err != errClosed {
		t.Errorf("ReadFrom after Close: %d, %v", n, err)
	}
	if b.Len() != 40+16 {
		t.Error("something was written after Close")
	}
}

// An error of what ReadFrom reads is handed on, and the stream goes on behind
// what was read before it.
func TestReadFromError(t *testing.T) {
	key := someBytes(32)
	for _, workers := range []int{1, 2, 5} {
		for n := range 500 {
			o := Options{SegmentSize: 64, Workers: workers}
			text := someBytes(n)
			sealed := seal(t, text, key, nil, o, 2, func(w *Writer, text []byte) error {
				half := n / 2
				m, err := w.ReadFrom(io.MultiReader(bytes.NewReader(text[:half]), failing{errBroken}))
				if m != int64(half) || err != errBroken {
					t.Fatalf("%d bytes: %d, %v", n, m, err)
				}
				m, err = w.ReadFrom(io.MultiReader(bytes.NewReader(text[half:]), failing{nil}))
				if m != int64(n-half) || err != io.ErrNoProgress {
					t.Fatalf("%d bytes: %d, %v", n, m, err)
				}
				return nil
			})
			if got, whole := openReference(t, sealed, key, nil, o); !whole || !bytes.Equal(got, text) {
				t.Fatalf("%d bytes: not the same", n)
			}
		}
	}
}

// failing reads nothing, with an error or without.
type failing struct{ err error }

func (f failing) Read(p []byte) (int, error) { return 0, f.err }

// The last number that the nonces have room for is used, and the next refused.
func TestTooLong(t *testing.T) {
	key := someBytes(32)
	for _, workers := range []int{1, 3} {
		for left := 1; left < 6; left++ {
			for n := 1; n < 48*8; n++ {
				var b bytes.Buffer
				w, err := NewWriter(&b, key, nil, Options{SegmentSize: 64, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				w.batch = 2
				w.next = maxSegments - uint64(left)
				if err = writeIn(40)(w, someBytes(n)); err == nil {
					err = w.Close()
				}
				fits := n <= left*48
				if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), errTooLong.Error())) {
					t.Fatalf("%d bytes in %d segments: %v", n, left, err)
				}
				if want := n + (n+47)/48*16; fits && b.Len() != want {
					t.Fatalf("%d bytes written, want %d", b.Len(), want)
				}
			}
		}
	}

	// A Reader is refused them too: a number must not come again. It says so as soon
	// as it has read one too many, and hands out none of what it read with it.
	o := Options{SegmentSize: 64, Workers: 1}
	sealed := seal(t, someBytes(1000), key, nil, o, 1, writeWhole)
	segments := uint64(len(sealed)+63) / 64
	for _, tooMany := range []bool{false, true} {
		r, err := NewReader(bytes.NewReader(sealed), key, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		r.batch = 1
		if _, err := r.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		r.next = maxSegments - (segments - 1)
		if tooMany {
			r.next++
		}
		r.r, r.rest = bytes.NewReader(sealed[64:]), nil
		renumber(r, sealed[64:])
		_, err = io.ReadAll(r)
		if says := err != nil && errors.Is(err, ErrNotAuthentic) && strings.Contains(err.Error(), "2³² segments"); says != tooMany || !tooMany && err != nil {
			t.Errorf("too many: %t, Read: %v", tooMany, err)
		}
	}
	if _, err := NewReaderAt(endless{sealed}, maxSegments*64+1, key, nil, Options{SegmentSize: 64}); !errors.Is(err, ErrNotAuthentic) || !strings.Contains(err.Error(), "2³² segments") {
		t.Errorf("NewReaderAt: %v", err)
	}
}

// renumber seals segments anew, in place, with the numbers that r is going to give
// them.
func renumber(r *Reader, sealed []byte) {
	var l lane
	for number := r.next; len(sealed) > 0; number++ {
		segment := sealed[:min(64, len(sealed))]
		sealed = sealed[len(segment):]
		r.aead.Seal(segment[:0], l.number(&r.suite, number, len(sealed) == 0), segment[:len(segment)-tagSize], nil)
	}
}

// endless repeats its bytes for ever.
type endless struct{ b []byte }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		p[i] = e.b[(off+int64(i))%int64(len(e.b))]
	}
	return len(p), nil
}
