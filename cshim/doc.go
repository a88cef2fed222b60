// SPDX-License-Identifier: ISC

// Package cshim is the C shim of the AES-GCM kernels: the header gcm.h, which a
// C program can use as well, the dispatch in shim.c, the generated kernels in
// the .S files, and thin Go functions over them.
//
// It checks nothing; package gcm is the door for everybody else. Where the
// kernels are not built (without cgo, and on architectures that have none), the
// package has nothing but Linked.
package cshim
