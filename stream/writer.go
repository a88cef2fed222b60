// SPDX-License-Identifier: ISC

package stream

import (
	"crypto/rand"
	"io"
)

// Writer seals a stream. Make it with [NewWriter]; only one goroutine may use it
// at a time.
type Writer struct {
	config
	suite
	w      io.Writer
	header []byte
	lanes  []lane // those up to lanes[filling] hold text that is not yet sealed
	// filling is the lane that takes more text. It is sealed once text follows,
	// since the last segment of the stream is sealed differently.
	filling int
	next    uint64 // number of the first segment that is not yet sealed
	closed  bool
	err     error // of everything from now on
}

var (
	_ io.WriteCloser = (*Writer)(nil)
	_ io.ReaderFrom  = (*Writer)(nil)
)

// NewWriter returns a Writer that seals to w what is written to it, under a key
// of at least 16 bytes and at least the size of the derived key, and under
// additional data of any length, which are not part of the stream. It writes
// nothing yet, and keeps no reference to key and aad.
func NewWriter(w io.Writer, key, aad []byte, o Options) (*Writer, error) {
	c, err := o.check(key)
	if err != nil {
		return nil, err
	}
	header := make([]byte, c.headerSize)
	header[0] = byte(c.headerSize)
	rand.Read(header[1:])
	s, err := c.newSuite(key, aad, header)
	if err != nil {
		return nil, err
	}
	return &Writer{config: c, suite: s, w: w, header: header, lanes: make([]lane, c.workers)}, nil
}

// Write takes over p and writes what segments become full. It holds back
// up to Workers segments, or 256 KiB for each worker where that is more. After an
// error the stream is broken, and every later call returns that error.
func (w *Writer) Write(p []byte) (n int, err error) {
	if w.err != nil {
		return 0, w.err
	}
	for n < len(p) {
		l := &w.lanes[w.filling]
		room := w.textSize(w.firstOf(w.filling)) - len(l.text)
		if len(l.text) > 0 || len(p)-n <= room {
			n += w.append(l, p[n:], room)
			if n == len(p) {
				break
			}
			if w.filling+1 < len(w.lanes) && len(p)-n <= w.textSize(1) {
				w.filling++
				continue
			}
		}
		direct, err := w.flush(p[n:])
		n += direct
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// firstOf is the number of the first segment in a lane that is being filled.
func (w *Writer) firstOf(lane int) uint64 { return w.next + uint64(lane*w.batch) }

// append copies from p to the room that a lane has, and returns how many bytes.
func (w *Writer) append(l *lane, p []byte, room int) int {
	if len(l.text) == 0 {
		w.start(l, w.firstOf(w.filling))
	}
	n := len(l.text)
	l.text = l.text[:n+min(room, len(p))]
	return copy(l.text[n:], p)
}

// start makes room for the text of a lane whose first segment has this number.
func (w *Writer) start(l *lane, first uint64) {
	w.allocate(l)
	l.text0 = w.textAt(first)
	l.text = l.buf[l.text0:l.text0]
}

func (w *Writer) allocate(l *lane) {
	if l.buf == nil {
		l.buf = make([]byte, w.batch*w.segmentSize)
	}
}

// flush seals and writes the lanes that were filled, and then what full lanes p
// holds besides at least one more byte. It returns how many bytes of p it took.
func (w *Writer) flush(p []byte) (n int, err error) {
	filled := w.filling
	if len(w.lanes[filled].text) > 0 {
		filled++
	}
	w.filling = 0
	taken := 0
	jobs := filled + (len(p)-1)/w.textSize(1) + 1
	w.relay(jobs, func(i int) bool {
		l := &w.lanes[i]
		if taken++; taken > filled {
			size := w.textSize(w.next)
			if len(p)-n <= size {
				return false
			}
			// From where it is: there is no need to copy it first.
			w.allocate(l)
			l.text, l.text0 = p[n:n+size], -1
			n += size
		}
		w.take(l, false)
		return true
	})
	return n, w.err
}

// take numbers the segments of a lane that is going to be sealed.
func (w *Writer) take(l *lane, last bool) {
	l.first, l.last, l.err = w.next, last, nil
	segments := w.batch
	if last {
		size := w.segmentSize - tagSize
		text := len(l.text)
		if w.next == 0 {
			text += w.headerSize
		}
		segments = max(1, (text+size-1)/size)
	}
	w.next += uint64(segments)
	if w.next > maxSegments {
		l.err = errTooLong
	}
}

// relay seals and writes the lanes that read prepares, at most jobs of them at a
// time.
func (w *Writer) relay(jobs int, read func(i int) bool) {
	defer breakOnPanic(&w.err)()
	relay(min(jobs, len(w.lanes)), read, func(i int) {
		if l := &w.lanes[i]; l.err == nil {
			w.seal(&w.suite, l, w.header)
		}
	}, func(i int) bool {
		l := &w.lanes[i]
		l.text = nil
		if w.err = l.err; w.err == nil {
			_, w.err = writeAll(w.w, l.sealed)
		}
		return w.err == nil
	})
}

// ReadFrom reads r to its end and seals what it reads, but for what it holds back
// as Write does. It is how [io.Copy] copies to a Writer. An error of r leaves the
// stream as it is, so that more can be written; any other breaks it.
func (w *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	if w.err != nil {
		return 0, w.err
	}
	filled, turn, tail := w.filling, 0, 0
	var carry byte // the first byte that the lane read last has no room for
	w.relay(len(w.lanes), func(i int) bool {
		l := &w.lanes[i]
		if turn++; turn <= filled {
			w.take(l, false)
			return true
		}
		if len(l.text) == 0 {
			w.start(l, w.next)
		}
		if turn > filled+1 {
			l.text = append(l.text, carry)
		}
		size := w.textSize(w.next)
		have := len(l.text)
		m, e := fill(r, l.text[have:size+1], size+1-have)
		n, have = n+int64(m), have+m
		l.text = l.text[:min(have, size)]
		if have <= size {
			tail, err = i, e
			return false
		}
		carry = l.text[:size+1][size]
		w.take(l, false)
		return true
	})
	if w.err != nil {
		return n, w.err
	}
	w.filling = 0
	w.lanes[0], w.lanes[tail] = w.lanes[tail], w.lanes[0]
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// Close seals what was held back as the end of the stream and writes it; it does
// not close the underlying writer. Only a closed stream is whole: who cannot
// write all of it must not close it, and readers refuse what there is. Close
// after Close does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	if w.err != nil {
		return w.err
	}
	turn := 0
	w.relay(w.filling+1, func(i int) bool {
		if turn++; turn > w.filling+1 {
			return false
		}
		l := &w.lanes[i]
		if len(l.text) == 0 {
			w.start(l, w.next)
		}
		w.take(l, turn == w.filling+1)
		return true
	})
	if w.err != nil {
		return w.err
	}
	w.closed, w.err, w.lanes = true, errClosed, nil
	return nil
}
