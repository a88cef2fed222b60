// SPDX-License-Identifier: ISC

package main

import (
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

// weather is what goes on round the workers, and what it counted.
type weather struct {
	collections, signals int64
}

// newWeather makes garbage be collected often.
func newWeather() *weather {
	debug.SetGCPercent(20)
	return new(weather)
}

// start begins to collect garbage without rest, to send signals to every thread,
// and to record a profile and a trace that nobody reads. stop ends all that.
func (w *weather) start() (stop func(), err error) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return nil, err
	}
	if err := trace.Start(io.Discard); err != nil {
		return nil, err
	}
	var over atomic.Bool
	var wg sync.WaitGroup
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wg.Go(func() {
		for !over.Load() {
			runtime.GC()
			time.Sleep(2 * time.Millisecond)
		}
	})
	wg.Go(func() {
		for !over.Load() {
			w.signals += signalThreads()
			time.Sleep(50 * time.Microsecond)
		}
	})
	return func() {
		over.Store(true)
		wg.Wait()
		trace.Stop()
		pprof.StopCPUProfile()
		runtime.ReadMemStats(&after)
		w.collections += int64(after.NumGC - before.NumGC)
	}, nil
}
