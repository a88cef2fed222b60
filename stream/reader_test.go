// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

func TestReaderContract(t *testing.T) {
	key, text := someBytes(32), someBytes(2000)
	for _, s := range shapes {
		sealed := seal(t, text, key, nil, s.o, s.batch, writeWhole)
		r, err := NewReader(bytes.NewReader(sealed), key, nil, s.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(r, text); err != nil {
			t.Error(err)
		}
		a, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil, s.o)
		if err != nil {
			t.Fatal(err)
		}
		if a.Size() != int64(len(text)) {
			t.Errorf("Size is %d", a.Size())
		}
		// It seeks, too.
		if err := iotest.TestReader(io.NewSectionReader(a, 0, a.Size()), text); err != nil {
			t.Error(err)
		}
	}
}

// An error of the underlying reader comes behind the segments before it, as it
// is, and stays.
func TestReaderErrors(t *testing.T) {
	key, text := someBytes(32), someBytes(1000)
	for _, s := range shapes {
		sealed := seal(t, text, key, nil, s.o, s.batch, writeWhole)
		for n := 0; n < len(sealed); n += 13 {
			for _, read := range []func(*Reader) ([]byte, error){readAll, copyAll} {
				r, err := NewReader(io.MultiReader(bytes.NewReader(sealed[:n]), iotest.ErrReader(errBroken)), key, nil, s.o)
				if err != nil {
					t.Fatal(err)
				}
				r.batch = s.batch
				got, err := read(r)
				want, _ := openReference(t, sealed, key, nil, s.o)
				whole := max(0, n-1) / s.o.SegmentSize
				want = want[:max(0, whole*(r.segmentSize-tagSize)-r.headerSize)]
				if err != errBroken || !bytes.Equal(got, want) {
					t.Fatalf("%+v, error after %d bytes: %d bytes, want %d; %v", s.o, n, len(got), len(want), err)
				}
				if m, err := r.Read(make([]byte, 1)); m != 0 || err != errBroken {
					t.Fatalf("after the error: %d, %v", m, err)
				}
				if m, err := r.WriteTo(io.Discard); m != 0 || err != errBroken {
					t.Fatalf("after the error: %d, %v", m, err)
				}
			}
		}
	}
}

// A segment is handed out as soon as the first byte of the next is there.
func TestReaderDoesNotWait(t *testing.T) {
	key, text := someBytes(32), someBytes(1000)
	o := Options{SegmentSize: 100, Workers: 4}
	sealed := seal(t, text, key, nil, o, 1, writeWhole)
	for _, how := range []string{"Read", "WriteTo"} {
		pr, pw := io.Pipe()
		r, err := NewReader(pr, key, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan []byte)
		done := make(chan error)
		go func() {
			w := writerFunc(func(p []byte) (int, error) {
				got <- bytes.Clone(p)
				return len(p), nil
			})
			if how == "WriteTo" {
				_, err := r.WriteTo(w)
				done <- err
				return
			}
			_, err := io.Copy(w, onlyReader{r})
			done <- err
		}()
		for at := 0; at < len(sealed); {
			n := min(100, len(sealed)-at)
			if at == 0 {
				n = 101
			}
			pw.Write(sealed[at : at+n])
			at += n
			if at == len(sealed) {
				pw.Close()
			}
			select {
			case piece := <-got:
				if !bytes.HasPrefix(text, piece) {
					t.Fatalf("%s: other text", how)
				}
				text = text[len(piece):]
			case <-time.After(time.Minute):
				t.Fatalf("%s: nothing comes after %d bytes", how, at)
			}
		}
		if err := <-done; err != nil || len(text) != 0 {
			t.Fatalf("%s: %v, %d bytes missing", how, err, len(text))
		}
		text = someBytes(1000)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Pieces anywhere, asked for by several goroutines at once.
func TestReadAt(t *testing.T) {
	key, text := someBytes(32), someBytes(5000)
	for _, s := range shapes {
		sealed := seal(t, text, key, nil, s.o, s.batch, writeWhole)
		a, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil, s.o)
		if err != nil {
			t.Fatal(err)
		}
		a.batch = s.batch
		var wg sync.WaitGroup
		for seed := range uint64(4) {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(seed, 0))
				for range 500 {
					off, n := random.IntN(len(text)+2), random.IntN(600)
					p := make([]byte, n)
					got, err := a.ReadAt(p, int64(off))
					want := text[min(off, len(text)):min(off+n, len(text))]
					if got != len(want) || !bytes.Equal(p[:got], want) {
						t.Errorf("ReadAt of %d bytes at %d: %d bytes, not the same", n, off, got)
					}
					if (err == io.EOF) != (len(want) < n) || err != nil && err != io.EOF {
						t.Errorf("ReadAt of %d bytes at %d: %v", n, off, err)
					}
				}
			})
		}
		wg.Wait()
		if _, err := a.ReadAt(make([]byte, 1), -1); err == nil || err.Error() != "stream: negative offset -1" {
			t.Errorf("negative offset: %v", err)
		}
		// However many there were at a time, only some are kept.
		var lanes []*lane
		for i := range int64(10) {
			lanes = append(lanes, a.acquire(i))
		}
		for _, l := range lanes {
			a.release(l)
		}
		if len(a.spare) != s.o.Workers || a.made != s.o.Workers {
			t.Errorf("%d lanes of %d kept", len(a.spare), a.made)
		}
	}
}

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

// Small reads in a row read and open each segment once.
func TestReadAtCache(t *testing.T) {
	key := someBytes(32)
	o := Options{SegmentSize: 4096, Workers: 1}
	sealed := seal(t, someBytes(50_000), key, nil, o, 1, writeWhole)
	c := &counting{ReaderAt: bytes.NewReader(sealed)}
	a, err := NewReaderAt(c, int64(len(sealed)), key, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	section := io.NewSectionReader(a, 0, a.Size())
	for buf := make([]byte, 100); ; {
		if _, err := section.Read(buf); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if c.n > len(sealed)+4096+40 {
		t.Errorf("%d bytes read of a stream of %d", c.n, len(sealed))
	}
}

// A segment that is forged fails alone, and what comes before it in a read is
// counted.
func TestReadAtFault(t *testing.T) {
	key, text := someBytes(32), someBytes(480)
	o := Options{SegmentSize: 64, Workers: 3}
	sealed := seal(t, text, key, nil, o, 1, writeWhole)
	sealed[64*4+5] ^= 1
	a, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	a.batch = 1 // by several workers
	good := 4*48 - 40
	p := make([]byte, len(text))
	for range 3 {
		n, err := a.ReadAt(p, 0)
		if n != good || !errors.Is(err, ErrNotAuthentic) || !bytes.Equal(p[:n], text[:n]) {
			t.Fatalf("%d bytes, %v", n, err)
		}
		if bytes.Contains(p, text[good:good+48]) {
			t.Fatal("the forged segment was handed out")
		}
		if n, err := a.ReadAt(p[:100], int64(good+48)); n != 100 || err != nil || !bytes.Equal(p[:100], text[good+48:good+148]) {
			t.Fatalf("behind the fault: %d bytes, %v", n, err)
		}
		if n, err := a.ReadAt(p[:3], int64(good+7)); n != 0 || !errors.Is(err, ErrNotAuthentic) {
			t.Fatalf("in the fault: %d bytes, %v", n, err)
		}
	}

	// A size that is not that of the file.
	if _, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed))+1, key, nil, o); !errors.Is(err, ErrNotAuthentic) {
		t.Errorf("size too large: %v", err)
	}
	if _, err := NewReaderAt(bytes.NewReader(sealed), -1, key, nil, o); !errors.Is(err, ErrNotAuthentic) {
		t.Errorf("negative size: %v", err)
	}
	if _, err := NewReaderAt(failingAt{}, 1000, key, nil, o); err != errBroken {
		t.Errorf("broken file: %v", err)
	}
}

type failingAt struct{}

func (failingAt) ReadAt([]byte, int64) (int, error) { return 0, errBroken }
