// SPDX-License-Identifier: ISC

package gcm

import "unsafe"

// extend returns dst made n bytes longer, and the new bytes alone. The memory
// is that of dst where it has room, and otherwise fresh.
func extend(dst []byte, n int) (whole, tail []byte) {
	if total := len(dst) + n; cap(dst) >= total {
		whole = dst[:total]
	} else {
		whole = make([]byte, total)
		copy(whole, dst)
	}
	return whole, whole[len(dst):]
}

// move copies src to the beginning of dst, which it may overlap, and returns its
// copy. The garbage collector need not wait for all of it.
func move(dst, src []byte) []byte {
	dst = dst[:len(src)]
	if address(dst) < address(src) {
		for at := 0; at < len(src); at += maxCall {
			end := min(at+maxCall, len(src))
			copy(dst[at:end], src[at:end])
		}
		return dst
	}
	for end := len(src); end > 0; end -= maxCall {
		at := max(0, end-maxCall)
		copy(dst[at:end], src[at:end])
	}
	return dst
}

// wipe fills p with zeros, likewise.
func wipe(p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxCall)
		clear(p[:n])
		p = p[n:]
	}
}

// refuseOverlap panics as crypto/cipher does: the output may share memory with
// the input only from the same first byte on, and with the additional data not
// at all.
func refuseOverlap(out, in, aad []byte) {
	refuseInput(out, in)
	refuseAAD(out, aad)
}

// refuseInput is the half of refuseOverlap for the input. The halves are inlined
// where short messages are to be fast.
func refuseInput(out, in []byte) {
	if overlap(out, in) && address(out) != address(in) {
		panic(overlapInput)
	}
}

// refuseAAD is the other half.
func refuseAAD(out, aad []byte) {
	if overlap(out, aad) {
		panic(overlapAAD)
	}
}

// refuseAnyOverlap panics as crypto/cipher does where the output shares memory
// with the input or the additional data.
func refuseAnyOverlap(out, in, aad []byte) {
	if overlap(out, in) {
		panic(overlapInput)
	}
	if overlap(out, aad) {
		panic(overlapAAD)
	}
}

// Texts of panics, as crypto/cipher has them.
const (
	overlapInput = "crypto/cipher: invalid buffer overlap of output and input"
	overlapAAD   = "crypto/cipher: invalid buffer overlap of output and additional data"
)

// overlap reports whether x and y share a byte. A distance below zero wraps and is
// more than any length.
func overlap(x, y []byte) bool {
	px, py := address(x), address(y)
	return (px-py < uintptr(len(y)) || py-px < uintptr(len(x))) && len(x) > 0 && len(y) > 0
}

// address is where s begins.
func address(s []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
