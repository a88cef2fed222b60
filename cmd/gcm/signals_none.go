// SPDX-License-Identifier: ISC

//go:build !unix && !windows

package main

import "os"

// endings are the signals that ask a program to end.
var endings = []os.Signal{os.Interrupt}
