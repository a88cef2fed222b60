// SPDX-License-Identifier: ISC

//go:build !unix && !windows

package main

import "os"

// isTerminal reports whether f is a terminal, which nothing is here.
func isTerminal(f any) bool { return false }

// width is that of a terminal in characters.
func width(terminal *os.File) int { return 80 }
