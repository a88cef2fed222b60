// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"io"
)

// Reader opens a stream. Make it with [NewReader]; only one goroutine may use it
// at a time.
type Reader struct {
	config
	suite
	r        io.Reader
	key, aad []byte // until the header was read
	lanes    []lane
	ready    []lane // of lanes: those whose text Read has not handed out
	batches  lane   // what the lanes are parts of, in Read
	rest     []byte // what was read and not yet given to a lane
	next     uint64 // number of the first segment that is not yet read whole
	ended    bool   // nothing more is read
	err      error  // once ready is empty
}

var (
	_ io.Reader   = (*Reader)(nil)
	_ io.WriterTo = (*Reader)(nil)
)

// NewReader returns a Reader that opens the stream which it reads from r. It reads
// nothing yet, so that all that is wrong with the stream is told later.
func NewReader(r io.Reader, key, aad []byte, o Options) (*Reader, error) {
	c, err := o.check(key)
	if err != nil {
		return nil, err
	}
	return &Reader{config: c, r: r, key: bytes.Clone(key), aad: bytes.Clone(aad), lanes: make([]lane, c.workers)}, nil
}

// Read hands out text of segments that were authenticated. The error is [io.EOF]
// only after the last segment of the stream. Read waits for no more than one
// segment and one byte of the next, and opens side by side what segments come
// with it. Errors stay: every later call returns the same.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		for len(r.ready) > 0 && len(r.ready[0].text) == 0 {
			r.ready = r.ready[1:]
		}
		if len(r.ready) > 0 {
			l := &r.ready[0]
			n := copy(p, l.text)
			l.text = l.text[n:]
			return n, nil
		}
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
}

// advance reads segments and opens them side by side.
func (r *Reader) advance() {
	defer breakOnPanic(&r.err)()
	b := &r.batches
	size := len(b.buf)
	switch {
	case size == 0:
		size = r.batch*r.segmentSize + 1
	case len(b.sealed)+len(r.rest) == size:
		// It was full: there may be work for all.
		size = len(r.lanes)*r.batch*r.segmentSize + 1
	}
	if size > len(b.buf) {
		b.buf = make([]byte, size)
	}
	r.fetch(b)

	// One lane for each batch, the last error of all in the last of them.
	n, sealed, first := 0, b.sealed, b.first
	for {
		l := &r.lanes[n]
		n++
		size := min(r.batch*r.segmentSize, len(sealed))
		l.sealed, l.first, l.last, l.err = sealed[:size], first, false, nil
		sealed, first = sealed[size:], first+uint64(r.batch)
		if len(sealed) == 0 {
			l.last, l.err = b.last, b.err
			break
		}
	}
	r.ready = r.lanes[:n]
	next := 0
	relay(n, func(int) bool {
		next++
		return next <= n
	}, func(i int) {
		r.openLane(&r.lanes[i])
	}, func(int) bool { return true })
	for i := range r.ready {
		if r.err = r.ready[i].err; r.err != nil {
			r.ready = r.ready[:i+1]
			return
		}
	}
}

// openLane opens what a lane holds.
func (r *Reader) openLane(l *lane) {
	l.text = nil
	if len(l.sealed) > 0 {
		r.open(&r.suite, l)
	}
}

// fetch reads at least one whole segment and a byte of the next, or else the end
// of the stream, and more to the end of l.buf where one read gives more. An error
// goes to l.err, behind the segments that were read before it.
func (r *Reader) fetch(l *lane) {
	have := copy(l.buf, r.rest)
	n, err := fill(r.r, l.buf[have:], r.segmentSize+1-have)
	have += n
	l.first, l.last, l.err = r.next, err == io.EOF, err
	whole := have
	if !l.last {
		whole = max(0, have-1) / r.segmentSize * r.segmentSize
	}
	l.sealed, r.rest = l.buf[:whole], l.buf[whole:have]
	r.next += uint64((whole + r.segmentSize - 1) / r.segmentSize)
	if l.first == 0 && (whole > 0 || l.last) {
		if r.suite, err = r.readSuite(r.key, r.aad, l.buf[:min(whole, r.headerSize)]); err != nil {
			l.sealed, l.err = nil, err
		}
		clear(r.key)
	}
	if r.next > maxSegments {
		l.sealed, l.err = nil, refuse("the stream has more than 2³² segments")
	}
	r.ended = l.err != nil
}

// WriteTo opens the rest of the stream and writes its text to w. It is how
// [io.Copy] copies from a Reader. What it has written when it returns an error
// is authentic, and the beginning of the text. An error of w stays, as errors of
// Read do.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	defer breakOnPanic(&r.err)()
	write := func(l *lane) error {
		if len(l.text) == 0 {
			return nil
		}
		m, err := writeAll(w, l.text)
		n += int64(m)
		return err
	}
	for len(r.ready) > 0 {
		if err := write(&r.ready[0]); err != nil {
			r.err = err
			r.ready = nil
			return n, err
		}
		r.ready = r.ready[1:]
	}
	r.batches.buf = nil
	if r.err == nil {
		relay(len(r.lanes), func(i int) bool {
			if r.ended {
				return false
			}
			l := &r.lanes[i]
			if l.buf == nil {
				l.buf = make([]byte, r.batch*r.segmentSize+1)
			}
			r.fetch(l)
			return true
		}, func(i int) {
			r.openLane(&r.lanes[i])
		}, func(i int) bool {
			l := &r.lanes[i]
			if r.err = write(l); r.err == nil {
				r.err = l.err
			}
			return r.err == nil
		})
	}
	if r.err == io.EOF {
		return n, nil
	}
	return n, r.err
}
