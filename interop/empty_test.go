// SPDX-License-Identifier: ISC

package interop

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"testing"

	"github.com/stitchgcm/gcm/stream"
)

// sealEmptyLast seals text that fills its segments, and a last one without any.
func sealEmptyLast(t *testing.T, key, text []byte, o stream.Options) []byte {
	t.Helper()
	header := append([]byte{byte(1 + o.DerivedKeySize + 7)}, someBytes(o.DerivedKeySize+7)...)
	derived, err := hkdf.Key(sha256.New, key, header[1:1+o.DerivedKeySize], "", o.DerivedKeySize)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	sealed := bytes.Clone(header)
	size := o.SegmentSize - len(header) - 16
	for number := byte(0); ; number++ {
		n := min(size, len(text))
		last := byte(0)
		if n == 0 {
			last = 1
		}
		nonce := append(bytes.Clone(header[1+o.DerivedKeySize:]), 0, 0, 0, number, last)
		sealed = aead.Seal(sealed, nonce, text[:n], nil)
		if n == 0 {
			return sealed
		}
		text, size = text[n:], o.SegmentSize-16
	}
}
