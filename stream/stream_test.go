// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"crypto"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// onlyReader and onlyWriter hide what else a reader or writer can do.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)

func plain(r io.Reader) io.Reader { return r }

func readAll(r *Reader) ([]byte, error) { return io.ReadAll(r) }

func copyAll(r *Reader) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, r)
	if n != int64(b.Len()) {
		return nil, fmt.Errorf("%d bytes written, %d counted", b.Len(), n)
	}
	return b.Bytes(), err
}

// openers are ways to read a stream. Each returns what it was given before the
// error.
var openers = []opener{
	reading("ReadAll", readAll, plain),
	reading("ReadAll of single bytes", readAll, iotest.OneByteReader),
	reading("ReadAll, data with EOF", readAll, iotest.DataErrReader),
	reading("Copy", copyAll, plain),
	reading("Copy of halves", copyAll, iotest.HalfReader),
	reading("Copy of single bytes", copyAll, iotest.OneByteReader),
	reading("Read of small pieces, then Copy", func(r *Reader) ([]byte, error) {
		head := make([]byte, 1, 7)
		n, err := r.Read(head)
		if err == io.EOF {
			return nil, nil
		} else if err != nil {
			return head[:n], err
		}
		m, err := r.Read(head[1:7])
		if head = head[:1+m]; err == io.EOF {
			return head, nil
		} else if err != nil {
			return head, err
		}
		rest, err := copyAll(r)
		return append(head, rest...), err
	}, plain),
	{"ReadAt", func(sealed, key, aad []byte, o Options, batch int) ([]byte, error) {
		r, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, aad, o)
		if err != nil {
			return nil, err
		}
		r.batch = batch
		text := make([]byte, r.Size())
		n, err := r.ReadAt(text, 0)
		return text[:n], err
	}},
	{"ReadAt of small pieces", func(sealed, key, aad []byte, o Options, batch int) ([]byte, error) {
		r, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, aad, o)
		if err != nil {
			return nil, err
		}
		r.batch = batch
		return io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	}},
}

// writers are ways to write text.
var writers = []struct {
	name  string
	write func(w *Writer, text []byte) error
}{
	{"Write", writeWhole},
	{"Write of 1 byte", writeIn(1)},
	{"Write of 7 bytes", writeIn(7)},
	{"Write of 333 bytes", writeIn(333)},
	{"ReadFrom", func(w *Writer, text []byte) error { return readFrom(w, bytes.NewReader(text), len(text)) }},
	{"ReadFrom of halves", func(w *Writer, text []byte) error {
		return readFrom(w, iotest.HalfReader(bytes.NewReader(text)), len(text))
	}},
	{"Write, ReadFrom, Write", func(w *Writer, text []byte) error {
		third := len(text) / 3
		if err := writeIn(50)(w, text[:third]); err != nil {
			return err
		}
		if err := readFrom(w, bytes.NewReader(text[third:2*third]), third); err != nil {
			return err
		}
		if err := readFrom(w, iotest.DataErrReader(bytes.NewReader(nil)), 0); err != nil {
			return err
		}
		return writeIn(50)(w, text[2*third:])
	}},
}

func writeIn(size int) func(w *Writer, text []byte) error {
	return func(w *Writer, text []byte) error {
		for len(text) > 0 {
			n := min(size, len(text))
			if m, err := w.Write(text[:n]); m != n || err != nil {
				return fmt.Errorf("%d bytes of %d written: %v", m, n, err)
			}
			text = text[n:]
		}
		return nil
	}
}

func readFrom(w *Writer, r io.Reader, size int) error {
	n, err := io.Copy(w, onlyReader{r})
	if err == nil && n != int64(size) {
		err = fmt.Errorf("%d bytes of %d read", n, size)
	}
	return err
}

// shapes are options with segments small enough for all lengths of text.
var shapes = []struct {
	o     Options
	batch int
}{
	{Options{SegmentSize: 41, DerivedKeySize: 16, Workers: 1}, 1}, // the smallest
	{Options{SegmentSize: 57, Workers: 2}, 1},                     // the smallest
	{Options{SegmentSize: 64, DerivedKeySize: 16, Hash: crypto.SHA1, Workers: 3}, 2},
	{Options{SegmentSize: 64, Hash: crypto.SHA512, Workers: 1}, 3},
	{Options{SegmentSize: 100, DerivedKeySize: 32, Hash: crypto.SHA256, Workers: 2}, 4},
}

// Every way to write text of every length gives the bytes of the reference, and
// every way to read these gives the text.
func TestLengths(t *testing.T) {
	key, aad := someBytes(32), []byte("additional data")
	for _, s := range shapes {
		step := 1
		if testing.Short() {
			step = 7
		}
		for n := 0; n <= 1300; n += step {
			text := someBytes(n)
			var sealed []byte
			for _, w := range writers {
				if n > 400 && strings.Contains(w.name, " 1 byte") && n%10 != 0 {
					continue
				}
				sealed = seal(t, text, key, aad, s.o, s.batch, w.write)
				if want := sealReference(t, text, key, aad, sealed, s.o); !bytes.Equal(sealed, want) {
					t.Fatalf("%+v, %d bytes, %s: not the bytes of the reference", s.o, n, w.name)
				}
			}
			for _, r := range openers {
				got, err := r.open(sealed, key, aad, s.o, s.batch)
				if err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%+v, %d bytes, %s: %d bytes, %v", s.o, n, r.name, len(got), err)
				}
			}
		}
	}
}

// Real segments, with lanes as they are, at the lengths where something changes.
func TestSizes(t *testing.T) {
	key := someBytes(32)
	workerCounts := []int{0, 1, 2, 3}
	if testing.Short() {
		workerCounts = []int{2}
	}
	for _, size := range []int{4096, 100_000, 0} {
		for _, workers := range workerCounts {
			o := Options{SegmentSize: size, Workers: workers}
			c, err := o.check(key)
			if err != nil {
				t.Fatal(err)
			}
			segment, batch := c.segmentSize-tagSize, c.textSize(1)
			for _, n := range []int{0, 1, segment - c.headerSize, segment - c.headerSize + 1, segment, 2*segment - c.headerSize, 2 * segment,
				batch - c.headerSize - 1, batch - c.headerSize, batch - c.headerSize + 1, batch, 2*batch - c.headerSize, 2 * batch, 3*batch - c.headerSize + 1, 6*batch + 1} {
				if testing.Short() && n > 1<<20 {
					continue
				}
				text := someBytes(n)
				for _, w := range writers {
					if strings.Contains(w.name, " bytes") || strings.Contains(w.name, " 1 byte") {
						continue
					}
					sealed := seal(t, text, key, nil, o, c.batch, w.write)
					if want := sealReference(t, text, key, nil, sealed, o); !bytes.Equal(sealed, want) {
						t.Fatalf("%+v, %d bytes, %s: not the bytes of the reference", o, n, w.name)
					}
					if w.name != "Write" {
						continue
					}
					for _, r := range openers {
						if strings.Contains(r.name, "single") {
							continue
						}
						got, err := r.open(sealed, key, nil, o, c.batch)
						if err != nil || !bytes.Equal(got, text) {
							t.Fatalf("%+v, %d bytes, %s: %d bytes, %v", o, n, r.name, len(got), err)
						}
					}
				}
			}
		}
	}
}

// refused demands that every way to read refuses a stream, after no more than
// what the reference opens of it. say is part of the error of those that read
// from the front.
func refused(t *testing.T, sealed, key, aad []byte, o Options, batch int, say string) {
	t.Helper()
	authentic, whole := openReference(t, sealed, key, aad, o)
	if whole {
		t.Fatal("the reference opens this")
	}
	for _, r := range openers {
		got, err := r.open(sealed, key, aad, o, batch)
		if !errors.Is(err, ErrNotAuthentic) {
			t.Fatalf("%s: error %v, want one that matches ErrNotAuthentic", r.name, err)
		}
		if text := err.Error(); !strings.HasPrefix(text, "stream: ") || strings.ContainsAny(text, "\n.") {
			t.Fatalf("%s: no plain sentence: %q", r.name, text)
		}
		if strings.HasPrefix(r.name, "ReadAt") {
			// It finds a fault in the last segment first.
			if !bytes.HasPrefix(authentic, got) {
				t.Fatalf("%s hands out what is not authentic", r.name)
			}
			continue
		}
		if !bytes.Equal(got, authentic) {
			t.Fatalf("%s hands out %d bytes, of which %d are authentic", r.name, len(got), len(authentic))
		}
		if !strings.Contains(err.Error(), say) {
			t.Fatalf("%s: %q, want something with %q", r.name, err, say)
		}
	}
}

// Every bit of a stream counts, and so does every byte of its length.
func TestFaults(t *testing.T) {
	key, aad := someBytes(32), []byte("additional data")
	for _, s := range shapes {
		for _, n := range []int{0, 10, 300} {
			sealed := seal(t, someBytes(n), key, aad, s.o, s.batch, writeWhole)
			step := 1
			if testing.Short() {
				step = 5
			}
			for i := 0; i < len(sealed); i += step {
				refused(t, sealed[:i], key, aad, s.o, s.batch, "")
				forged := bytes.Clone(sealed)
				forged[i] ^= 1 << (i % 8)
				refused(t, forged, key, aad, s.o, s.batch, "")
			}
			for i := 1; i < 40; i++ {
				refused(t, append(bytes.Clone(sealed), someBytes(i)...), key, aad, s.o, s.batch, "")
			}
		}
	}
}

// Each kind of fault is named.
func TestRefusals(t *testing.T) {
	key, aad := someBytes(32), []byte("additional data")
	o := Options{SegmentSize: 64, Workers: 2}
	// Five segments: text of 8, 48, 48, 48, 48 bytes; the last is full.
	text := someBytes(200)
	sealed := seal(t, text, key, aad, o, 2, writeWhole)
	if len(sealed) != 5*64 {
		t.Fatalf("the stream has %d bytes", len(sealed))
	}
	segments := func(numbers ...int) (b []byte) {
		for _, i := range numbers {
			b = append(b, sealed[64*i:64*i+64]...)
		}
		return b
	}
	other := seal(t, text, key, aad, o, 2, writeWhole)
	derived16 := Options{SegmentSize: 64, DerivedKeySize: 16}
	short := seal(t, someBytes(5), key, aad, o, 2, writeWhole)
	for _, c := range []struct {
		what     string
		sealed   []byte
		key, aad []byte
		o        Options
		say      string
	}{
		{"nothing", nil, key, aad, o, "0 bytes are too few for a header of 40: the stream is truncated"},
		{"half a header", sealed[:20], key, aad, o, "20 bytes are too few"},
		{"only a header", sealed[:40], key, aad, o, "segment 0, the last, has 0 bytes, fewer than a tag: the stream is truncated"},
		{"half a tag", sealed[:48], key, aad, o, "segment 0, the last, has 8 bytes"},
		{"cut in segment 0", sealed[:60], key, aad, o, "the only segment does not open"},
		{"cut after segment 0", segments(0), key, aad, o, "ends after segment 0, which is not its last: it is truncated"},
		{"cut in segment 1", sealed[:100], key, aad, o, "segment 1, the last, does not open: the stream is truncated or corrupt"},
		{"cut in the tag of segment 1", sealed[:70], key, aad, o, "segment 1, the last, has 6 bytes"},
		{"cut after segment 3", segments(0, 1, 2, 3), key, aad, o, "ends after segment 3"},
		{"reordered", segments(0, 2, 1, 3, 4), key, aad, o, "segment 1 does not open: it is corrupt or out of its place"},
		{"left out", segments(0, 1, 3, 4), key, aad, o, "segment 2 does not open"},
		{"repeated", segments(0, 1, 1, 2, 3, 4), key, aad, o, "segment 2 does not open"},
		{"the last first", segments(4, 1, 2, 3, 0), key, aad, o, "the stream begins with"},
		{"lengthened", append(bytes.Clone(sealed), 0), key, aad, o, "segment 4 does not open"},
		{"of another stream", append(segments(0, 1), other[128:]...), key, aad, o, "segment 2 does not open"},
		{"header of another stream", append(bytes.Clone(other[:40]), sealed[40:]...), key, aad, o, "segment 0 does not open: the key, the additional data or the options are wrong"},
		{"other key", sealed, someBytes(33), aad, o, "segment 0 does not open: the key"},
		{"other aad", sealed, key, nil, o, "segment 0 does not open: the key, the additional data"},
		{"other hash", sealed, key, aad, Options{SegmentSize: 64, Hash: crypto.SHA512}, "options"},
		{"larger segments", sealed, key, aad, Options{SegmentSize: 65}, "options"},
		{"default segments", sealed, key, aad, Options{}, "the only segment does not open: the key, the additional data or the options are wrong"},
		{"other derived key size", sealed, key, aad, derived16, "the stream begins with 40 and not with 24, the size of its header: another derived key size"},
		{"other key, one segment", short, someBytes(33), aad, o, "the only segment does not open: the key"},
	} {
		t.Run(c.what, func(t *testing.T) { refused(t, c.sealed, c.key, c.aad, c.o, 2, c.say) })
	}
}

// Options that the format does not have, and keys too short for them, are
// refused by all three, in one sentence with the wrong value.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		key int
		o   Options
		say string
	}{
		{15, Options{DerivedKeySize: 16}, "stream: invalid key size 15: want 16 bytes or more, to derive keys of 16 bytes"},
		{0, Options{DerivedKeySize: 16}, "stream: invalid key size 0: want 16 bytes or more, to derive keys of 16 bytes"},
		{31, Options{}, "stream: invalid key size 31: want 32 bytes or more, to derive keys of 32 bytes"},
		{32, Options{DerivedKeySize: 24}, "stream: invalid derived key size 24: want 16 or 32 bytes"},
		{32, Options{DerivedKeySize: -1}, "stream: invalid derived key size -1: want 16 or 32 bytes"},
		{32, Options{SegmentSize: 56}, "stream: invalid segment size 56: want 57 to 2³¹ - 1 bytes"},
		{32, Options{SegmentSize: 40, DerivedKeySize: 16}, "stream: invalid segment size 40: want 41 to 2³¹ - 1 bytes"},
		{32, Options{SegmentSize: -1}, "stream: invalid segment size -1: want 57 to 2³¹ - 1 bytes"},
		{32, Options{Hash: crypto.MD5}, "stream: invalid hash MD5: want SHA-1, SHA-256 or SHA-512"},
		{32, Options{Workers: -1}, "stream: invalid number of workers -1: want 1 or more"},
	} {
		_, err1 := NewWriter(nil, make([]byte, c.key), nil, c.o)
		_, err2 := NewReader(nil, make([]byte, c.key), nil, c.o)
		_, err3 := NewReaderAt(nil, 0, make([]byte, c.key), nil, c.o)
		for _, err := range []error{err1, err2, err3} {
			if err == nil || err.Error() != c.say || errors.Is(err, ErrNotAuthentic) {
				t.Errorf("%d bytes of key, %+v: %v, want %q", c.key, c.o, err, c.say)
			}
		}
	}
	if _, err := NewWriter(nil, make([]byte, 100), nil, Options{SegmentSize: 1<<31 - 1}); err != nil {
		t.Error(err)
	}
}
