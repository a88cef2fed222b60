// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

const (
	stuck     = 10 * time.Minute // a round that takes so long will not end
	sharedPer = 9                // shared keys of each kernel: three of each size
	maxShown  = 20               // failures that are told in words
)

// A soak is one run: its shared keys, its workers and what they counted.
type soak struct {
	round    time.Duration // how long the doors stay as they are
	kernels  []string
	subjects []atomic.Pointer[subject] // sharedPer of each kernel
	workers  []*worker
	keys     atomic.Int64 // made
	failures atomic.Int64
}

// A tally counts what one kernel did through one door.
type tally struct {
	sealed, opened, refused int64 // operations
	bytes                   int64 // of text and AAD
}

func (t *tally) add(u tally) {
	t.sealed += u.sealed
	t.opened += u.opened
	t.refused += u.refused
	t.bytes += u.bytes
}

// newSoak makes keys and workers for every kernel that can run here.
func newSoak(goroutines int, seed uint64) (*soak, error) {
	s := &soak{round: time.Second, kernels: gcm.Kernels()}
	s.subjects = make([]atomic.Pointer[subject], sharedPer*len(s.kernels))
	for i := range goroutines {
		w, err := newWorker(s, seed, uint64(i))
		if err != nil {
			return nil, err
		}
		s.workers = append(s.workers, w)
	}
	for i := range s.subjects {
		s.workers[0].renew(i)
	}
	return s, nil
}

// force sends all messages through one door, in turns, and in one turn of them
// each message through the door that its length asks for.
func force(turn int) (undo func()) {
	door := dispatch.Door(turn % (1 + len(dispatch.Doors)))
	if int(door) == len(dispatch.Doors) || door == dispatch.Cgo && !cshim.Linked {
		return func() {}
	}
	return dispatch.Force(door)
}

// work runs rounds until end. Doors change while no message is on its way.
func (s *soak) work(end time.Time) (*weather, error) {
	w := newWeather()
	for turn := 0; time.Now().Before(end); turn++ {
		undo := force(turn)
		alarm := time.AfterFunc(stuck, func() { panic("soak: a round does not end") })
		stop, err := w.start()
		if err != nil {
			return nil, err
		}
		until := time.Now().Add(s.round)
		var wg sync.WaitGroup
		for _, worker := range s.workers {
			wg.Go(func() {
				for time.Now().Before(until) {
					worker.step()
				}
			})
		}
		wg.Wait()
		stop()
		alarm.Stop()
		undo()
	}
	return w, nil
}

// fail counts a failure, and tells of the first ones.
func (s *soak) fail(format string, args ...any) {
	if s.failures.Add(1) <= maxShown {
		fmt.Fprintf(os.Stderr, "soak: "+format+"\n", args...)
	}
}

// tallies adds up what the workers counted, for each kernel and door.
func (s *soak) tallies() [][len(dispatch.Doors)]tally {
	sum := make([][len(dispatch.Doors)]tally, len(s.kernels))
	for _, w := range s.workers {
		for k := range sum {
			for d := range sum[k] {
				sum[k][d].add(w.tallies[k][d])
			}
		}
	}
	return sum
}

// print writes a table of what was done.
func (s *soak) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kernel\tdoor\tsealed\topened\trefused\tGiB\t")
	var all tally
	for k, doors := range s.tallies() {
		for d, n := range doors {
			door := dispatch.Doors[d]
			if s.kernels[k] == dispatch.Generic {
				door = ""
			}
			if n != (tally{}) {
				row(t, s.kernels[k], door, n)
			}
			all.add(n)
		}
	}
	row(t, "all", "", all)
	t.Flush()
	fmt.Fprintf(out, "%d operations, %d failures\n", all.sealed+all.opened+all.refused, s.failures.Load())
}

func row(out io.Writer, kernel, door string, n tally) {
	fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%.1f\t\n", kernel, door, n.sealed, n.opened, n.refused, float64(n.bytes)/(1<<30))
}
