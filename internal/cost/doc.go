// SPDX-License-Identifier: ISC

// Package cost estimates the kernels for arm64 without a processor to time them
// on, in two ways: the cycles that a model of a core gives the bulk loop, and
// the instructions of whole calls from C.
package cost
