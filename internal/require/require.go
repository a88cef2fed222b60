// SPDX-License-Identifier: ISC

// Package require tells tests which kernels they must not skip: those that the
// environment variable GCM_REQUIRE names, with commas between them.
package require

import (
	"os"
	"slices"
	"strings"
)

// Kernels returns the names in GCM_REQUIRE.
func Kernels() []string {
	return strings.FieldsFunc(os.Getenv("GCM_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
}

// Kernel reports whether GCM_REQUIRE names a kernel.
func Kernel(name string) bool { return slices.Contains(Kernels(), name) }
