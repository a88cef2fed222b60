// SPDX-License-Identifier: ISC

//go:build go1.26

package gcm

import "crypto/fips140"

// enforced reports whether nothing but the FIPS 140-3 module may be used here.
func enforced() bool { return fips140.Enforced() }
