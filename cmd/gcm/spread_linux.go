// SPDX-License-Identifier: ISC

package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// spread calls f n times, or until it fails, on each of the processors in turn
// that this program may use. A processor is often one of two hardware threads of
// a core; while the other is busy, for seconds or minutes, a core looks half as
// far ahead, and short messages take up to twice the time.
func spread(n int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all unix.CPUSet
	var cpus []int
	if unix.SchedGetaffinity(0, &all) == nil {
		defer unix.SchedSetaffinity(0, &all)
		for cpu := range 64 * len(all) {
			if all.IsSet(cpu) {
				cpus = append(cpus, cpu)
			}
		}
	}
	for i := range n {
		if len(cpus) > 1 {
			var one unix.CPUSet
			one.Set(cpus[i%len(cpus)])
			unix.SchedSetaffinity(0, &one) // without it the turn is as good as elsewhere
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
