// SPDX-License-Identifier: ISC

package gcm

import "errors"

// errFIPS is the error of New and its like where only FIPS 140-3 is allowed.
var errFIPS = errors.New("gcm: refused under GODEBUG=fips140=only: " +
	"this package is not part of the FIPS 140-3 Go Cryptographic Module; use crypto/cipher.NewGCMWithRandomNonce")
