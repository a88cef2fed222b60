// SPDX-License-Identifier: ISC

package gcm

import (
	"fmt"
	"strings"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// keySizeError is the size in bytes of a key that is no AES key.
type keySizeError int

func (e keySizeError) Error() string {
	return fmt.Sprintf("gcm: invalid key size %d: want 16, 24 or 32 bytes", int(e))
}

// xaesKeySizeError is the size in bytes of a key that is none of XAES-256-GCM.
type xaesKeySizeError int

func (e xaesKeySizeError) Error() string {
	return fmt.Sprintf("gcm: invalid key size %d for XAES-256-GCM: want 32 bytes", int(e))
}

// ivSizeError is the size in bytes of an IV that no sequence number fits.
type ivSizeError int

func (e ivSizeError) Error() string {
	return fmt.Sprintf("gcm: invalid IV size %d: want 12 bytes", int(e))
}

// nonceSizeError is a nonce size in bytes that GCM does not have.
type nonceSizeError int

func (e nonceSizeError) Error() string {
	return fmt.Sprintf("gcm: invalid nonce size %d: want 1 byte or more", int(e))
}

// tagSizeError is a tag size in bytes that this package does not offer.
type tagSizeError int

func (e tagSizeError) Error() string {
	return fmt.Sprintf("gcm: invalid tag size %d: want 12 to 16 bytes", int(e))
}

// kernelError is a kernel name that cannot be had.
type kernelError struct {
	name   string
	source string   // who asked for it
	usable []string // what can be had instead
}

func (e kernelError) Error() string {
	reason := "no such kernel"
	for _, k := range dispatch.Kernels {
		if k.Name == e.name {
			reason = "it cannot run in this program on this machine"
		}
	}
	return fmt.Sprintf("gcm: kernel %q, asked for by %s, is unusable: %s; usable are %s",
		e.name, e.source, reason, strings.Join(e.usable, ", "))
}
