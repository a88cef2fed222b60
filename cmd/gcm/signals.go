// SPDX-License-Identifier: ISC

//go:build unix || windows

package main

import (
	"os"
	"syscall"
)

// endings are the signals that ask a program to end.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
