// SPDX-License-Identifier: ISC

//go:build !amd64 && !arm64

package gcm

// detectProcessor finds nothing: no kernel is made for this architecture.
func (f *features) detectProcessor() {}
