// SPDX-License-Identifier: ISC

package main

import (
	"os"
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"
)

func init() {
	ignored := make(chan os.Signal, 1) // full most of the time, and then signals are dropped
	signal.Notify(ignored, unix.SIGUSR1)
}

// signalThreads sends two signals to each thread of the program, the one that
// preempts goroutines and one that a program may take, and counts them.
func signalThreads() (sent int64) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		for _, s := range []unix.Signal{unix.SIGURG, unix.SIGUSR1} {
			if unix.Tgkill(unix.Getpid(), id, s) == nil { // a thread may have ended
				sent++
			}
		}
	}
	return sent
}
