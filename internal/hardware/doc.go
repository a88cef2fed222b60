// SPDX-License-Identifier: ISC

// Package hardware holds the tests that check the instruction tables against
// processors: every form, in every combination of its operand classes, runs
// on corner and random states, once on the machine by its meaning and once
// on the processor, or on qemu for a foreign one. All registers, the flags
// and the memory must agree.
//
// The processor's side is a program that gcc builds from one assembly file:
// for each instruction a few lines between the code that loads a state and
// the code that stores it. It reads states and writes back what became of
// them. Without a compiler or emulator the tests skip, unless GCM_REQUIRE
// names the kernel that the table serves.
//
// The package itself is empty.
package hardware
