// SPDX-License-Identifier: ISC

package stitch

import "github.com/stitchgcm/gcm/internal/ir"

// A Slot is when and where a model runs an instruction.
type Slot struct {
	ir.Inst
	Cycle int // in which it issues, from 0
	Port  int // -1 where the model says none
	Hold  int // cycles for which the port is taken; 0 where there is none
}

// Schedule returns when a model issues each instruction of straight code, in
// its order, when everything is ready and every port is free at the start. The
// model looks ahead without bound, but each port takes instructions in order.
func Schedule(m *Model, code []ir.Inst) []Slot {
	s := newSchedule(m)
	slots := make([]Slot, len(code))
	for n, i := range code {
		slots[n] = s.issue(i)
	}
	return slots
}

// A schedule simulates issue in program order.
type schedule struct {
	m     *Model
	ready map[ir.Reg]int // cycle at which a register's value is there
	busy  []int          // cycle from which a port is free
	now   int
	slots int // instructions issued in cycle now
}

func newSchedule(m *Model) *schedule {
	return &schedule{m: m, ready: map[ir.Reg]int{}, busy: make([]int, m.Ports)}
}

// earliest returns the cycle in which i could issue.
func (s *schedule) earliest(i ir.Inst) int {
	t, _ := s.place(i)
	return t
}

func (s *schedule) place(i ir.Inst) (cycle, port int) {
	t := s.now
	for _, r := range i.Uses().Reads {
		t = max(t, s.ready[r])
	}
	c := s.m.Cost(i)
	port = -1
	if c.Ports == 0 {
		return t, port
	}
	first := 1 << 30
	for p := range s.busy {
		if c.Ports>>p&1 == 1 && s.busy[p] < first {
			first, port = s.busy[p], p
		}
	}
	return max(t, first), port
}

// issue runs i.
func (s *schedule) issue(i ir.Inst) Slot {
	t, port := s.place(i)
	c := s.m.Cost(i)
	slot := Slot{Inst: i, Cycle: t, Port: port}
	if port >= 0 {
		slot.Hold = max(1, c.Hold)
		s.busy[port] = t + slot.Hold
	}
	for _, r := range i.Uses().Writes {
		s.ready[r] = t + c.Latency
	}
	if s.slots++; s.slots == s.m.Width {
		s.now, s.slots = s.now+1, 0
	}
	return slot
}
