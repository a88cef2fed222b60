// SPDX-License-Identifier: ISC

//go:build !amd64 && !arm64

package dispatch

// Features returns nothing: no kernel is made for this architecture.
func Features() []Feature { return nil }
