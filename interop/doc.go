// SPDX-License-Identifier: ISC

// Package interop holds the tests of the package stream against Tink itself, in
// both directions, and a comparison of their speed. It is a module of its own, so
// that programs which import the package need not know of Tink.
package interop
