// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"crypto/hkdf"
	"encoding/binary"

	"github.com/stitchgcm/gcm"
)

const (
	tagSize     = 16      // bytes
	nonceSize   = 12      // bytes
	prefixSize  = 7       // bytes of a nonce that are the same in the whole stream
	maxSegments = 1 << 32 // in a stream
)

// suite is what seals and opens the segments of one stream.
type suite struct {
	aead   *gcm.AEAD
	prefix [prefixSize]byte
}

// newSuite derives the key of the stream that has this header.
func (c *config) newSuite(key, aad, header []byte) (suite, error) {
	var s suite
	salt := header[1 : 1+c.derivedSize]
	copy(s.prefix[:], header[1+c.derivedSize:])
	derived, err := hkdf.Key(c.hash, key, salt, string(aad), c.derivedSize)
	if err != nil {
		return s, err
	}
	s.aead, err = gcm.New(derived)
	clear(derived)
	return s, err
}

// readSuite is newSuite for a header that was read.
func (c *config) readSuite(key, aad, header []byte) (suite, error) {
	if len(header) < c.headerSize {
		return suite{}, refuse("%d bytes are too few for a header of %d: the stream is truncated", len(header), c.headerSize)
	}
	if header[0] != byte(c.headerSize) {
		return suite{}, refuse("the stream begins with %d and not with %d, the size of its header: another derived key size, or none of this format", header[0], c.headerSize)
	}
	return c.newSuite(key, aad, header)
}

// lane is what one worker works on: a run of segments, at most config.batch.
type lane struct {
	buf    []byte // where they lie, made when first used
	first  uint64 // number of the first segment
	last   bool   // the last segment of the run is that of the stream
	text   []byte // plaintext: to be sealed, or opened
	text0  int    // where in buf the text to be sealed lies, or -1: not in buf
	sealed []byte // ciphertext: sealed, or to be opened, with the header if first is 0
	nonce  [nonceSize]byte
	err    error // what comes after the text
}

// number writes the nonce of a segment.
func (l *lane) number(s *suite, number uint64, last bool) []byte {
	copy(l.nonce[:], s.prefix[:])
	binary.BigEndian.PutUint32(l.nonce[prefixSize:], uint32(number))
	l.nonce[nonceSize-1] = 0
	if last {
		l.nonce[nonceSize-1] = 1
	}
	return l.nonce[:]
}

// textAt is where text goes in the buffer of a lane, so that each segment can be
// moved to its place before it is sealed there without running over the text of
// the next one. A lane of one segment has it in place from the start.
func (c *config) textAt(first uint64) int {
	n := (c.batch - 1) * tagSize
	if first == 0 {
		n += c.headerSize
	}
	return n
}

// seal seals l.text to the front of l.buf, after the header if there is one.
func (c *config) seal(s *suite, l *lane, header []byte) {
	out := 0
	if l.first == 0 {
		out = copy(l.buf, header)
	}
	for done, number := 0, l.first; ; number++ {
		size := c.segmentSize - tagSize
		if number == 0 {
			size -= c.headerSize
		}
		text := l.text[done:min(done+size, len(l.text))]
		if l.text0 >= 0 && l.text0+done != out {
			text = l.buf[out : out+copy(l.buf[out:], text)]
		}
		done += len(text)
		end := done == len(l.text)
		s.aead.Seal(l.buf[out:out], l.number(s, number, l.last && end), text, nil)
		out += len(text) + tagSize
		if end {
			break
		}
	}
	l.sealed = l.buf[:out]
}

// open opens l.sealed in place and closes the gaps that the tags leave. It ends
// at the first segment that is not authentic, with l.err.
func (c *config) open(s *suite, l *lane) {
	begin, in := 0, 0
	if l.first == 0 {
		begin, in = c.headerSize, c.headerSize
	}
	out := begin
	for number := l.first; ; number++ {
		end := min(int(number-l.first+1)*c.segmentSize, len(l.sealed))
		text, err := c.openSegment(s, l, nil, l.sealed[in:end], number, l.last && end == len(l.sealed))
		if err != nil {
			l.err = err
			break
		}
		if in != out {
			copy(l.sealed[out:], text)
		}
		out += len(text)
		if in = end; in == len(l.sealed) {
			break
		}
	}
	l.text = l.sealed[begin:out]
}

// openSegment opens one segment to dst, or in place when dst is nil. It says why
// when it cannot.
func (c *config) openSegment(s *suite, l *lane, dst, sealed []byte, number uint64, last bool) ([]byte, error) {
	full := len(sealed) == c.segmentSize || number == 0 && len(sealed) == c.segmentSize-c.headerSize
	kept := sealed
	if dst == nil {
		dst = sealed
		if last && full {
			kept = bytes.Clone(sealed) // for the question below
		}
	}
	text, err := s.aead.Open(dst[:0], l.number(s, number, last), sealed, nil)
	switch {
	case err == nil:
		return text, nil
	case len(sealed) < tagSize:
		return nil, refuse("segment %d, the last, has %d bytes, fewer than a tag: the stream is truncated", number, len(sealed))
	}
	if last && full {
		if _, err := s.aead.Open(kept[:0], l.number(s, number, false), kept, nil); err == nil {
			clear(kept)
			return nil, refuse("the stream ends after segment %d, which is not its last: it is truncated", number)
		}
	}
	switch {
	case number == 0 && last:
		return nil, refuse("the only segment does not open: the key, the additional data or the options are wrong, or the stream is truncated or corrupt")
	case number == 0:
		return nil, refuse("segment 0 does not open: the key, the additional data or the options are wrong, or the stream is corrupt")
	case last:
		return nil, refuse("segment %d, the last, does not open: the stream is truncated or corrupt", number)
	}
	return nil, refuse("segment %d does not open: it is corrupt or out of its place", number)
}
