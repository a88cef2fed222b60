// SPDX-License-Identifier: ISC

// Package documents tests the documents: every command that they show is run by
// a test, what they link to exists, and the Go code in them compiles.
package documents
