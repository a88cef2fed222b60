// SPDX-License-Identifier: ISC

//go:build !arm64

package dispatch

// DIT says that no processor of this architecture must be asked for instructions
// whose time does not depend on data, or that Go's runtime does not know how.
const DIT = false

// DITSupported reports false.
func DITSupported() bool { return false }

// DITEnabled reports false.
func DITEnabled() bool { return false }
