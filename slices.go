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

// refuseOverlap panics as crypto/cipher does: the output may share memory with
// the input only from the same first byte on, and with the additional data not
// at all.
func refuseOverlap(out, in, aad []byte) {
	if overlap(out, in) && &out[0] != &in[0] {
		panic(overlapInput)
	}
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

// overlap reports whether x and y share a byte.
func overlap(x, y []byte) bool {
	px, py := address(x), address(y)
	return len(x) > 0 && len(y) > 0 && px < py+uintptr(len(y)) && py < px+uintptr(len(x))
}

// address is where s begins.
func address(s []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
