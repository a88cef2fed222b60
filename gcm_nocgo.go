// SPDX-License-Identifier: ISC

//go:build !cgo || !linux || (!amd64 && !arm64)

package gcm

// linked says that no kernel but generic is part of this program, so that
// nothing below is ever called.
const linked = false

const keyBlockSize = 0

func setup(kernel string, _ *[keyBlockSize]byte, _ []byte) {
	panic("gcm: kernel " + kernel + " is not part of this program")
}

func seal(_ *[keyBlockSize]byte, _, _, _, _, _ []byte) {
	panic("gcm: no kernel is part of this program")
}

func open(_ *[keyBlockSize]byte, _, _, _, _, _ []byte) bool {
	panic("gcm: no kernel is part of this program")
}
