// SPDX-License-Identifier: ISC

package main

import (
	"math"
	"slices"
	"time"
)

// A pulse tells how fast the processor's clock runs, which on many machines
// changes from one millisecond to the next. It times a chain of operations each
// of which waits for the one before: that takes the same number of cycles
// whatever else happens in the core.
type pulse struct {
	last float64 // nanoseconds of the chain
	all  []float64
}

// laps are the times of something that was timed again and again.
type laps struct {
	least  float64 // nanoseconds; 0: none yet
	steady []lap   // while the clock was steady
}

// A lap is a time and that of the chain then, in nanoseconds.
type lap struct{ ns, chain float32 }

// start forgets what the clock was, such as that of another processor.
func (p *pulse) start() { p.last = chain() }

// note notes what has just been timed. The clock was steady if it is the same as
// it was the last time, and nothing came between.
func (p *pulse) note(l *laps, ns float64) {
	if l.least == 0 || ns < l.least {
		l.least = ns
	}
	now := chain()
	if math.Abs(now-p.last) < 0.02*now {
		l.steady = append(l.steady, lap{float32(ns), float32(now)})
	}
	p.last = now
	p.all = append(p.all, now)
}

// usual returns what the chain took in most cases.
func (p *pulse) usual() float64 {
	slices.Sort(p.all)
	return p.all[len(p.all)/2]
}

// best returns the least time, as it would have been with the usual clock. It
// trusts no lap in which the clock was quite another, nor one of more than twice
// the least time, which no clock explains: another program had the processor. It
// takes the least of all where there is none left.
func (l laps) best(usual float64) float64 {
	best := math.Inf(1)
	for _, x := range l.steady {
		if scale := usual / float64(x.chain); scale > 0.93 && scale < 1.07 {
			best = min(best, float64(x.ns)*scale)
		}
	}
	if best > 2*l.least {
		return l.least
	}
	return best
}

// chainLength is the number of multiplications in the chain.
const chainLength = 1000

// sink keeps the compiler from leaving the chain out.
var sink uint64

// chain times a chain of multiplications in nanoseconds.
func chain() float64 {
	x := sink | 1
	start := time.Now()
	for range chainLength {
		x = x*x + 2
	}
	d := time.Since(start)
	sink = x
	return float64(d)
}
