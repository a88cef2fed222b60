// SPDX-License-Identifier: ISC

// Package guard gives tests memory between two pages that nobody may touch, so
// that a read or write of one byte too many ends the program. On systems that
// are not Unix it gives plain memory.
package guard

// Memory is such memory, or a piece of it.
type Memory []byte

// Take returns n bytes of m that touch the page after it, or the page before.
func (m Memory) Take(n int, end bool) []byte {
	if end {
		return m[len(m)-n:]
	}
	return m[:n:n]
}
