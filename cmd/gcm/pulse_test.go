// SPDX-License-Identifier: ISC

package main

import (
	"math"
	"testing"
)

// TestBest scales times to the usual clock, and leaves out those of another
// clock.
func TestBest(t *testing.T) {
	for name, c := range map[string]struct {
		l    laps
		want float64
	}{
		"the usual clock":      {laps{9, []lap{{12, 100}, {11, 100}, {13, 100}}}, 11},
		"a faster clock":       {laps{9, []lap{{12, 100}, {11.6, 96}}}, 12},
		"a slower clock":       {laps{9, []lap{{12, 100}, {12, 105}}}, 12 / 1.05},
		"quite another clock":  {laps{6, []lap{{12, 100}, {6, 200}, {9, 60}}}, 12},
		"no clock to be right": {laps{6, []lap{{6, 200}}}, 6},
		"never steady":         {laps{7, nil}, 7},
		"steady and disturbed": {laps{7, []lap{{30, 100}, {15, 100}}}, 7},
	} {
		if got := c.l.best(100); math.Abs(got-c.want) > 1e-5 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestNote takes a time for steady only where the clock was the same before.
func TestNote(t *testing.T) {
	var p pulse
	var l laps
	p.start()
	for range 100 {
		p.note(&l, 5)
	}
	p.last *= 2
	n := len(l.steady)
	p.note(&l, 4)
	if len(l.steady) != n {
		t.Error("the clock has changed and counts as steady")
	}
	if l.least != 4 || len(p.all) != 101 || p.usual() <= 0 {
		t.Errorf("least %v, %d times of the chain, usually %v", l.least, len(p.all), p.usual())
	}
}
