// SPDX-License-Identifier: ISC

//go:build !go1.26

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/fips140"
)

// fipsOnly says that the program runs under GODEBUG=fips140=only. Go 1.25 does
// not tell "only" from "on", but under "only" crypto/cipher refuses to make a
// GCM for nonces of the caller's choice.
var fipsOnly = func() bool {
	if !fips140.Enabled() {
		return false
	}
	block, err := aes.NewCipher(make([]byte, 16))
	if err == nil {
		_, err = cipher.NewGCM(block)
	}
	return err != nil
}()

// enforced reports whether nothing but the FIPS 140-3 module may be used here.
func enforced() bool { return fipsOnly }
