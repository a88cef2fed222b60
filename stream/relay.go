// SPDX-License-Identifier: ISC

package stream

import (
	"sync"
	"sync/atomic"
)

// relay does read, work and write for the lanes 0 to n-1 in turn, over and over,
// on n goroutines of which the caller's is one. Reads are done one at a time and
// in order, and so are writes; work is done side by side. A lane stays with its
// goroutine from read to write, and so in the cache of one core.
//
// It ends when read or write returns false: no read begins after that, and after
// a write no write. A panic in one of them ends it in the same way and goes on
// in the caller. All its goroutines have ended when it returns.
func relay(n int, read func(lane int) bool, work func(lane int), write func(lane int) bool) {
	if n == 1 {
		for read(0) {
			work(0)
			if !write(0) {
				return
			}
		}
		return
	}

	// One token goes round for reading and one for writing. It says whether to
	// go on.
	reading, writing := make([]chan bool, n), make([]chan bool, n)
	for i := range n {
		reading[i], writing[i] = make(chan bool, 1), make(chan bool, 1)
	}
	reading[0] <- true
	writing[0] <- true

	var stopped atomic.Bool
	var panicked atomic.Pointer[any]
	guard := func(f func(int) bool, lane int) (ok bool) {
		defer func() {
			if p := recover(); p != nil {
				first := p // so that only a panic allocates
				panicked.CompareAndSwap(nil, &first)
				ok = false
			}
		}()
		return f(lane)
	}
	working := func(lane int) bool {
		work(lane)
		return true
	}
	run := func(lane int) {
		next := (lane + 1) % n
		for {
			more := <-reading[lane] && !stopped.Load() && guard(read, lane)
			reading[next] <- more
			if !more {
				return
			}
			worked := guard(working, lane)
			ok := <-writing[lane] && worked && guard(write, lane)
			if !ok {
				stopped.Store(true)
			}
			writing[next] <- ok
		}
	}
	var others sync.WaitGroup
	for i := range n - 1 {
		others.Go(func() { run(i + 1) })
	}
	run(0)
	others.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// breakOnPanic returns a function to be deferred, which sets err where a panic
// comes by, so that a deferred Close does not make a whole stream of a part.
func breakOnPanic(err *error) func() {
	return func() {
		if p := recover(); p != nil {
			*err = errPanic
			panic(p)
		}
	}
}
