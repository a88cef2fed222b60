// SPDX-License-Identifier: ISC

//go:build unix

package guard

import (
	"os"

	"golang.org/x/sys/unix"
)

// New returns at least size bytes, whole pages, and a function that gives them
// back.
func New(size int) (m Memory, free func() error, err error) {
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			return nil, nil, err
		}
	}
	return all[page:][:size:size], func() error { return unix.Munmap(all) }, nil
}

// ReadOnly forbids writing to all of m, or allows it again.
func (m Memory) ReadOnly(on bool) error {
	prot := unix.PROT_READ
	if !on {
		prot |= unix.PROT_WRITE
	}
	return unix.Mprotect(m, prot)
}
