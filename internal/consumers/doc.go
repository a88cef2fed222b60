// SPDX-License-Identifier: ISC

// Package consumers holds the test that builds and runs a program which uses
// the module, in the ways that programs are built: with other compilers and
// flags, vendored, static, as libraries and under sanitizers.
package consumers
