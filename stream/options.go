// SPDX-License-Identifier: ISC

package stream

import (
	"crypto"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"math"
	"runtime"
)

const (
	minKeySize         = 16      // bytes
	defaultDerivedSize = 32      // bytes
	defaultSegmentSize = 1 << 20 // bytes
	maxDefaultWorkers  = 8       // more of them wait for memory

	// batchSize is how many bytes are worth a turn on another core. Smaller
	// segments are worked on, read and written several at a time.
	batchSize = 256 << 10
)

// Options are the choices of a stream. They are not written in it: who reads it
// must make the same. The zero value is Tink's AES256_GCM_HKDF_1MB.
type Options struct {
	// SegmentSize is the size of a sealed segment in bytes, header and tag
	// included: more than DerivedKeySize + 24, and at most 2³¹ - 1. 0 means
	// 1 MiB. A Reader or Writer holds Workers segments in memory, or 256 KiB for
	// each worker where that is more.
	SegmentSize int

	// DerivedKeySize is the size in bytes of the AES key that is derived for the
	// stream: 16 or 32. 0 means 32.
	DerivedKeySize int

	// Hash is that of HKDF: crypto.SHA1, crypto.SHA256 or crypto.SHA512. 0
	// means crypto.SHA256.
	Hash crypto.Hash

	// Workers is how many segments are sealed or opened at a time, 1 and up. 0
	// means one for each processor that Go uses, and at most 8. With 1 no
	// goroutine is started.
	Workers int
}

// config is Options that were checked, with what follows from them.
type config struct {
	segmentSize int // bytes of a sealed segment, header included
	headerSize  int // bytes
	derivedSize int // bytes of the derived key
	batch       int // how many segments go in a lane
	hash        func() hash.Hash
	workers     int
}

// check puts defaults in the place of zeros and refuses what the format does
// not have.
func (o Options) check(key []byte) (config, error) {
	c := config{segmentSize: o.SegmentSize, derivedSize: o.DerivedKeySize, workers: o.Workers}
	if c.segmentSize == 0 {
		c.segmentSize = defaultSegmentSize
	}
	if c.derivedSize == 0 {
		c.derivedSize = defaultDerivedSize
	}
	if c.workers == 0 {
		c.workers = min(runtime.GOMAXPROCS(0), maxDefaultWorkers)
	}
	switch o.Hash {
	case crypto.SHA1:
		c.hash = sha1.New
	case crypto.SHA256, 0:
		c.hash = sha256.New
	case crypto.SHA512:
		c.hash = sha512.New
	default:
		return c, fmt.Errorf("stream: invalid hash %v: want SHA-1, SHA-256 or SHA-512", o.Hash)
	}
	c.headerSize = 1 + c.derivedSize + prefixSize
	switch {
	case c.derivedSize != 16 && c.derivedSize != 32:
		return c, fmt.Errorf("stream: invalid derived key size %d: want 16 or 32 bytes", c.derivedSize)
	case len(key) < max(minKeySize, c.derivedSize):
		return c, fmt.Errorf("stream: invalid key size %d: want %d bytes or more, to derive keys of %d bytes",
			len(key), max(minKeySize, c.derivedSize), c.derivedSize)
	case c.segmentSize <= c.headerSize+tagSize || c.segmentSize > math.MaxInt32:
		return c, fmt.Errorf("stream: invalid segment size %d: want %d to 2³¹ - 1 bytes", c.segmentSize, c.headerSize+tagSize+1)
	case c.workers < 0:
		return c, fmt.Errorf("stream: invalid number of workers %d: want 1 or more", c.workers)
	}
	c.batch = max(1, batchSize/c.segmentSize)
	return c, nil
}

// textSize is how many bytes of text go in batch many segments from the given
// number on.
func (c *config) textSize(number uint64) int {
	n := c.batch * (c.segmentSize - tagSize)
	if number == 0 {
		n -= c.headerSize
	}
	return n
}
