// SPDX-License-Identifier: ISC

//go:build !unix

package guard

// New returns size bytes of plain memory.
func New(size int) (m Memory, free func() error, err error) {
	return make(Memory, size), func() error { return nil }, nil
}

// ReadOnly does nothing here.
func (m Memory) ReadOnly(bool) error { return nil }
