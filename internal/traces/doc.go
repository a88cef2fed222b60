// SPDX-License-Identifier: ISC

// Package traces holds tests only: a second opinion, by running, on what is
// proved of every kernel, that no branch and no address depends on a secret.
//
// A trace is the sequence of the instructions run and of the addresses, sizes
// and directions of all accesses to memory. Calls which differ in nothing but
// secrets (key, and with it H and whatever comes of them; text; right tag) must
// leave the same trace. Leaks planted into an address and into a branch must
// be caught.
//
// TestMachine runs the programs of all kernels on package machine, on any
// host. TestQEMU runs the C shim and the assembled kernels aesni, eor3 and pmull
// under qemu, with a plugin of our own, testdata/plugin.c, which compares the
// traces of one process; testdata/subject.c is the program. Both check what the
// calls return too, and TestQEMU that the right kernel ran.
//
// The assembled kernels vaes-avx512 and vaes-avx2 are not traced, only their
// programs on the machine: neither valgrind (3.19) nor the emulation in qemu
// (7.2) knows AVX-512, and qemu stops at vpclmulqdq of ymm registers, valgrind at
// vaesenc of those. Nor is there another C path to run under valgrind: the
// kernel generic is the Go standard library's.
package traces
