// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Reads and writes are in order and alone, and all that was read is written.
func TestRelay(t *testing.T) {
	for n := 1; n < 6; n++ {
		for total := range 20 {
			for stop := range total + 1 {
				var reading, writing, atWork atomic.Int32
				lanes := make([]int, n)
				read, written := 0, 0
				relay(n, func(i int) bool {
					if reading.Add(1) != 1 {
						t.Error("two reads at once")
					}
					defer reading.Add(-1)
					lanes[i] = read
					if read == total {
						return false
					}
					read++
					return true
				}, func(i int) {
					atWork.Add(1)
					lanes[i] *= 10
					atWork.Add(-1)
				}, func(i int) bool {
					if writing.Add(1) != 1 {
						t.Error("two writes at once")
					}
					defer writing.Add(-1)
					if written == stop {
						return false
					}
					if lanes[i] != 10*written {
						t.Errorf("%d written, want %d", lanes[i], 10*written)
					}
					written++
					return true
				})
				if atWork.Load() != 0 || written != min(stop, total) {
					t.Errorf("%d of %d written, want %d", written, total, stop)
				}
			}
		}
	}
}

// A panic of a reader or writer reaches the caller, whichever goroutine it was in.
func TestPanic(t *testing.T) {
	key, text := someBytes(32), someBytes(5000)
	o := Options{SegmentSize: 64, Workers: 3}
	sealed := seal(t, text, key, nil, o, 1, writeWhole)
	for n := range 8 {
		catch := func(what string, f func()) {
			t.Helper()
			defer func() {
				if p := recover(); p != errBroken {
					t.Errorf("%s, after %d: panic %v", what, n, p)
				}
			}()
			f()
		}
		bad0 := &panicking{}
		bad := func() io.ReadWriter { return &panicking{after: n} }
		for workers := 1; workers < 4; workers++ {
			o.Workers = workers
			w, _ := NewWriter(io.Discard, key, nil, o)
			w.batch = 1
			catch("ReadFrom", func() { w.ReadFrom(bad()) })
			if err := w.Close(); err != errPanic {
				t.Errorf("Close after a panic: %v", err)
			}
			w, _ = NewWriter(bad(), key, nil, o)
			w.batch = 1
			catch("Write", func() { w.Write(text) })
			if err := w.Close(); err != errPanic {
				t.Errorf("Close after a panic: %v", err)
			}
			r, _ := NewReader(bytes.NewReader(sealed), key, nil, o)
			r.batch = 1
			catch("WriteTo", func() { r.WriteTo(bad()) })
			if n, err := r.Read(make([]byte, 1)); n != 0 || err != errPanic {
				t.Errorf("Read after a panic: %d, %v", n, err)
			}
			r, _ = NewReader(io.MultiReader(bytes.NewReader(sealed[:100*n]), bad0), key, nil, o)
			catch("Read", func() { io.ReadAll(r) })
			if n, err := r.WriteTo(io.Discard); n != 0 || err != errPanic {
				t.Errorf("WriteTo after a panic: %d, %v", n, err)
			}
		}
	}
	nothingRuns(t)
}

// panicking panics after so many calls.
type panicking struct{ after int }

func (p *panicking) Write(b []byte) (int, error) {
	if p.after--; p.after < 0 {
		panic(errBroken)
	}
	return len(b), nil
}

func (p *panicking) Read(b []byte) (int, error) { return p.Write(b) }

// nothingRuns demands that no goroutine of this package is left.
func nothingRuns(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for range 100 {
		stacks = stacks[:cap(stacks)]
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !bytes.Contains(stacks, []byte("stream.relay")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("goroutines are left:\n%s", stacks)
}

// Streams that were given up leave no goroutine behind.
func TestNothingLeft(t *testing.T) {
	key, text := someBytes(32), someBytes(5000)
	for workers := 1; workers < 5; workers++ {
		o := Options{SegmentSize: 64, Workers: workers}
		sealed := seal(t, text, key, nil, o, 1, writeWhole)
		for n := 0; n < len(sealed); n += 97 {
			w, err := NewWriter(&breaking{n}, key, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			w.batch = 1
			w.Write(text)
			r, err := NewReader(bytes.NewReader(sealed), key, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			r.batch = 1
			r.Read(make([]byte, n+1))
			r.WriteTo(&breaking{n})
		}
		nothingRuns(t)
	}
}

// zeros gives so many bytes.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := int(min(z.left, int64(len(p))))
	z.left -= int64(n)
	return n, nil
}

// However long a stream is, what is allocated stays the same.
func TestMemory(t *testing.T) {
	key := someBytes(32)
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, size := range []int{4096, 1 << 20} {
		for _, how := range []string{"ReadFrom and WriteTo", "Write and Read"} {
			o := Options{SegmentSize: size, Workers: 2}
			long := func(length int64) uint64 {
				pr, pw := io.Pipe()
				errs := make(chan error)
				return allocated(func() {
					go func() {
						w, err := NewWriter(pw, key, nil, o)
						if err != nil {
							errs <- err
							return
						}
						if how == "ReadFrom and WriteTo" {
							_, err = w.ReadFrom(&zeros{length})
						} else {
							_, err = io.Copy(onlyWriter{w}, &zeros{length})
						}
						errs <- errors.Join(err, w.Close(), pw.Close())
					}()
					r, err := NewReader(pr, key, nil, o)
					if err != nil {
						t.Error(err)
						return
					}
					var n int64
					if how == "ReadFrom and WriteTo" {
						n, err = r.WriteTo(io.Discard)
					} else {
						n, err = io.Copy(onlyWriter{io.Discard}, onlyReader{r})
					}
					if err != nil || n != length {
						t.Errorf("%d bytes, %v", n, err)
					}
					if err := <-errs; err != nil {
						t.Error(err)
					}
				})
			}
			short, longer := long(10<<20), long(40<<20)
			// The steps of Write and Read start goroutines, which cost a little.
			if limit := short + 400<<10; longer > limit || short > 8<<20 {
				t.Errorf("segments of %d bytes, %s: %d bytes allocated for 10 MiB, %d for 40 MiB", size, how, short, longer)
			}
		}
	}
}

// A stream costs few allocations, and its segments none.
func TestAllocations(t *testing.T) {
	key, text := someBytes(32), someBytes(100_000)
	o := Options{SegmentSize: 4096, Workers: 1}
	sealed := seal(t, text, key, nil, o, 64, writeWhole)
	p := make([]byte, 5000)
	a, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		most float64
		do   func() error
	}{
		{"a Writer", 40, func() error {
			w, err := NewWriter(io.Discard, key, nil, o)
			if err == nil {
				_, err = w.Write(text)
			}
			if err == nil {
				err = w.Close()
			}
			return err
		}},
		{"a Reader", 40, func() error {
			r, err := NewReader(bytes.NewReader(sealed), key, nil, o)
			if err == nil {
				_, err = r.WriteTo(io.Discard)
			}
			return err
		}},
		{"ReadAt", 0, func() error {
			n, err := a.ReadAt(p, 7777)
			if n != len(p) {
				return fmt.Errorf("%d bytes, %v", n, err)
			}
			return err
		}},
	} {
		var err error
		got := testing.AllocsPerRun(20, func() { err = c.do() })
		if err != nil || got > c.most {
			t.Errorf("%s: %v allocations, want at most %v (%v)", c.what, got, c.most, err)
		}
	}
}
