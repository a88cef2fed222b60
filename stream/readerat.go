// SPDX-License-Identifier: ISC

package stream

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// ReaderAt opens any part of a stream that lies in a file. Make it with
// [NewReaderAt]; any number of goroutines may use it at the same time.
//
// A segment is opened whole, however little of it is asked for. A ReaderAt keeps
// some segments of which it handed out a part, at most [Options.Workers], so that
// many small reads in a row do not open the same segment again.
type ReaderAt struct {
	config
	suite
	r        io.ReaderAt
	sealed   int64 // bytes
	text     int64 // bytes
	segments int64 // how many, 1 and up

	mu    sync.Mutex
	made  int     // lanes that there are, in spare and in use
	spare []*lane // those not in use, that used last at the end; text is of segment first, or nil
}

var _ io.ReaderAt = (*ReaderAt)(nil)

// NewReaderAt returns a ReaderAt for the stream of size bytes that r holds. It
// reads the header and opens the last segment, so that a stream that was cut
// short is refused here and now, and Size is authentic. Whether the segments between
// are, ReadAt finds out when it comes to them.
func NewReaderAt(r io.ReaderAt, size int64, key, aad []byte, o Options) (*ReaderAt, error) {
	c, err := o.check(key)
	if err != nil {
		return nil, err
	}
	a := &ReaderAt{config: c, r: r, sealed: size}
	header := make([]byte, min(int64(c.headerSize), max(0, size)))
	if err := a.read(header, 0); err != nil {
		return nil, err
	}
	if a.suite, err = c.readSuite(key, aad, header); err != nil {
		return nil, err
	}
	a.segments = (size + int64(c.segmentSize) - 1) / int64(c.segmentSize)
	if a.segments > maxSegments {
		return nil, refuse("the stream has more than 2³² segments")
	}
	a.text = size - int64(c.headerSize) - a.segments*tagSize
	l := a.acquire(-1)
	defer a.release(l)
	if err := a.load(l, a.segments-1, 1); err != nil {
		return nil, err
	}
	if l.text, err = a.openSegment(&a.suite, l, nil, l.sealed, uint64(a.segments-1), true); err != nil {
		return nil, err
	}
	l.first = uint64(a.segments - 1)
	return a, nil
}

// Size returns the size of the plaintext in bytes.
func (a *ReaderAt) Size() int64 { return a.text }

// ReadAt opens the text from the offset off on to p. It opens several segments
// side by side. Where it returns an error other than [io.EOF], n bytes before the
// fault are authentic; the others of p hold nothing of use.
func (a *ReaderAt) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("stream: negative offset %d", off)
	}
	if off >= a.text {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	asked := len(p)
	p = p[:min(int64(len(p)), a.text-off)]
	if len(p) == 0 {
		return 0, nil
	}
	next, last := a.segmentOf(off), a.segmentOf(off+int64(len(p))-1)
	if workers := min(int64(a.workers), (last-next)/int64(a.batch)+1); workers == 1 {
		for next <= last && err == nil {
			count := a.together(p, off, next)
			var m int
			m, err = a.part(p, off, next, count)
			n, next = n+m, next+count
		}
	} else {
		n, err = a.parts(p, off, next, last, int(workers))
	}
	if err == nil && n < asked {
		err = io.EOF
	}
	return n, err
}

// parts is part for the segments next to last, opened by so many workers.
func (a *ReaderAt) parts(p []byte, off, next, last int64, workers int) (n int, err error) {
	type piece struct {
		first, count int64
		n            int
		err          error
	}
	pieces := make([]piece, workers)
	relay(workers, func(i int) bool {
		if next > last {
			return false
		}
		pieces[i].first, pieces[i].count = next, a.together(p, off, next)
		next += pieces[i].count
		return true
	}, func(i int) {
		l := &pieces[i]
		l.n, l.err = a.part(p, off, l.first, l.count)
	}, func(i int) bool {
		n, err = n+pieces[i].n, pieces[i].err
		return err == nil
	})
	return n, err
}

// segmentOf returns the number of the segment that the byte of text at off is in.
func (a *ReaderAt) segmentOf(off int64) int64 {
	return (off + int64(a.headerSize)) / int64(a.segmentSize-tagSize)
}

// textOf returns where the text of a segment begins and ends.
func (a *ReaderAt) textOf(segment int64) (begin, end int64) {
	begin = segment*int64(a.segmentSize-tagSize) - int64(a.headerSize)
	end = min(begin+int64(a.segmentSize-tagSize), a.text)
	return max(0, begin), end
}

// together returns how many segments, from the one given on, are opened at once:
// as many as a lane holds and p has whole, or else 1.
func (a *ReaderAt) together(p []byte, off, segment int64) int64 {
	if begin, _ := a.textOf(segment); begin < off {
		return 1
	}
	n := int64(1)
	for ; n < int64(a.batch) && segment+n < a.segments; n++ {
		if _, end := a.textOf(segment + n); end > off+int64(len(p)) {
			break
		}
	}
	return n
}

// part opens count segments and puts their text in its place in p, which begins
// at off. Where count is not 1, p has all of them whole. It returns how many
// bytes it put there.
func (a *ReaderAt) part(p []byte, off, segment, count int64) (n int, err error) {
	begin, end := a.textOf(segment)
	from, to := max(begin, off), min(end, off+int64(len(p)))
	l := a.acquire(segment)
	defer a.release(l)
	switch {
	case l.text != nil && count == 1:
	case from > begin || to < end:
		if err := a.load(l, segment, 1); err != nil {
			return 0, err
		}
		text, err := a.openSegment(&a.suite, l, nil, l.sealed, uint64(segment), segment == a.segments-1)
		if err != nil {
			return 0, err
		}
		l.first, l.text = uint64(segment), text
	default:
		return a.whole(l, p[from-off:], segment, count)
	}
	return copy(p[from-off:to-off], l.text[from-begin:]), nil
}

// whole opens count segments to p, as far as the first that is not authentic.
func (a *ReaderAt) whole(l *lane, p []byte, segment, count int64) (n int, err error) {
	l.text = nil
	if err := a.load(l, segment, count); err != nil {
		return 0, err
	}
	sealed := l.sealed
	for ; count > 0; count-- {
		begin, end := a.textOf(segment)
		size := int(end - begin)
		if _, err := a.openSegment(&a.suite, l, p[n:n:n+size], sealed[:size+tagSize], uint64(segment), segment == a.segments-1); err != nil {
			return n, err
		}
		n, sealed, segment = n+size, sealed[size+tagSize:], segment+1
	}
	return n, nil
}

// load reads count segments to a lane.
func (a *ReaderAt) load(l *lane, segment, count int64) error {
	begin := segment * int64(a.segmentSize)
	end := min(begin+count*int64(a.segmentSize), a.sealed)
	if segment == 0 {
		begin = int64(a.headerSize)
	}
	if end-begin > int64(len(l.buf)) {
		l.buf = make([]byte, min(count*int64(a.segmentSize), a.sealed))
	}
	l.sealed = l.buf[:end-begin]
	return a.read(l.sealed, begin)
}

// read fills p with the bytes of the stream from off on.
func (a *ReaderAt) read(p []byte, off int64) error {
	n, err := a.r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return refuse("the stream ends at byte %d, but should have %d bytes: it is truncated", off+int64(n), a.sealed)
	}
	return err
}

// acquire takes a lane for a segment out of the spare ones: the one that holds its
// text, or else the one used longest ago, or a new one while there are few.
func (a *ReaderAt) acquire(segment int64) *lane {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, l := range a.spare {
		if l.text != nil && int64(l.first) == segment {
			a.spare = slices.Delete(a.spare, i, i+1)
			return l
		}
	}
	if len(a.spare) > 0 && a.made >= a.workers {
		l := a.spare[0]
		a.spare = slices.Delete(a.spare, 0, 1)
		l.text = nil
		return l
	}
	a.made++
	return new(lane)
}

// release makes a lane a spare one, or lets go of it where there are enough.
func (a *ReaderAt) release(l *lane) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case len(a.spare) >= a.workers:
		a.made--
	case l.text == nil:
		a.spare = slices.Insert(a.spare, 0, l)
	default:
		a.spare = append(a.spare, l)
	}
}
