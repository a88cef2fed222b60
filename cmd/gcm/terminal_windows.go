// SPDX-License-Identifier: ISC

package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// isTerminal reports whether f, a file perhaps, is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	var mode uint32
	return ok && windows.GetConsoleMode(windows.Handle(file.Fd()), &mode) == nil
}

// width is that of a terminal in characters.
func width(terminal *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(terminal.Fd()), &info) != nil || info.Size.X <= 0 {
		return 80
	}
	return int(info.Size.X)
}
