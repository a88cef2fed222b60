// SPDX-License-Identifier: ISC

package stream

import "io"

// fill reads at least the given number of bytes to p, and more where one Read
// gives more. The error is that of r, when it came before.
func fill(r io.Reader, p []byte, least int) (n int, err error) {
	for empty := 0; n < least && err == nil; {
		end := len(p)
		if n+maxRead+1 < least {
			end = n + maxRead
		}
		var m int
		m, err = r.Read(p[n:end])
		n += m
		if m > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
	}
	if n >= least {
		err = nil // it comes again
	}
	return n, err
}

// maxRead is how many bytes are read at once while more are needed. From 1 MiB on,
// copies in memory go past the cache, out of which the text is to be sealed.
const maxRead = 512 << 10

// maxEmptyReads in a row, each without an error, mean that a reader is broken.
const maxEmptyReads = 100

// writeAll writes p, and takes it for an error when less was written.
func writeAll(w io.Writer, p []byte) (n int, err error) {
	n, err = w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}
