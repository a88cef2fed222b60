// SPDX-License-Identifier: ISC

// Package stitch interleaves independent instruction streams into one. Each
// stream keeps its own order, so its meaning is what a reader sees in the
// source; the stitcher only decides whose turn it is, guided by a model of
// the processor's ports and latencies.
package stitch

import (
	"fmt"
	"strconv"

	"github.com/stitchgcm/gcm/internal/ir"
)

// A Cost tells how a processor model runs an instruction.
type Cost struct {
	Ports   uint // bit i: may issue on port i
	Latency int  // cycles until the result can be used
	Hold    int  // cycles for which the port is taken; 0 means 1
}

// A Model gives the cost of each form on one family of cores.
type Model struct {
	Name  string
	Width int // instructions issued in a cycle
	Ports int
	Names []string // of the ports, for people to read; those without one have a number
	Cost  func(i ir.Inst) Cost
}

// PortName returns what to call a port.
func (m *Model) PortName(port int) string {
	if port < len(m.Names) {
		return m.Names[port]
	}
	return strconv.Itoa(port)
}

// A Stream is a named sequence of instructions without branches.
type Stream struct {
	Name string
	Code []ir.Inst
}

// Merge interleaves streams. Streams may read the same registers and memory;
// it returns an error if one writes a register that another uses, or if two
// write memory of the same space. Where one stream loads what another stores,
// the load keeps its place before the store: that is how a message is opened
// in place. Both must then use base registers that stay as they are and plain
// displacements, so that their addresses can be compared.
func Merge(m *Model, streams ...Stream) ([]ir.Inst, error) {
	before, err := constraints(streams)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, s := range streams {
		total += len(s.Code)
	}
	sched := newSchedule(m)
	next := make([]int, len(streams))
	var out []ir.Inst
	for len(out) < total {
		best, bestKey := -1, [2]float64{}
		for n, s := range streams {
			i := next[n]
			if i == len(s.Code) || !released(before, streams, next, n, i) {
				continue
			}
			// Whoever can issue earliest goes first; among equals the
			// stream that lags behind its share of the whole.
			key := [2]float64{float64(sched.earliest(s.Code[i])), float64(i+1) / float64(len(s.Code))}
			if share := behind(next, streams, n); share > 0 {
				key[0] -= share
			}
			if best < 0 || key[0] < bestKey[0] || key[0] == bestKey[0] && key[1] < bestKey[1] {
				best, bestKey = n, key
			}
		}
		if best < 0 {
			return nil, fmt.Errorf("stitch: streams wait for each other")
		}
		for {
			i := streams[best].Code[next[best]]
			sched.issue(i)
			out = append(out, i)
			next[best]++
			if !i.Glue || next[best] == len(streams[best].Code) {
				break
			}
		}
	}
	return out, nil
}

// behind returns by how many cycles' worth a stream lags behind the average
// progress of all; streams then end together rather than the cheap one first.
func behind(next []int, streams []Stream, n int) float64 {
	done, total := 0, 0
	for i, s := range streams {
		done += next[i]
		total += len(s.Code)
	}
	own := float64(next[n]) / float64(len(streams[n].Code))
	return (float64(done)/float64(total) - own) * float64(len(streams[n].Code)) / 2
}

// pair is one instruction of one stream.
type pair struct{ stream, at int }

// released reports whether everything that must come before instruction at
// of stream n has been issued.
func released(before map[pair][]pair, streams []Stream, next []int, n, at int) bool {
	for {
		for _, p := range before[pair{n, at}] {
			if next[p.stream] <= p.at {
				return false
			}
		}
		if !streams[n].Code[at].Glue || at+1 == len(streams[n].Code) {
			return true
		}
		at++
	}
}

// constraints checks that the streams are independent, apart from loads of
// the text that another stream stores later, which it returns as orderings.
func constraints(streams []Stream) (map[pair][]pair, error) {
	type user struct {
		stream int
		write  bool
	}
	regs := map[ir.Reg]user{}
	note := func(n int, r ir.Reg, write bool) error {
		u, ok := regs[r]
		if ok && u.stream != n && (write || u.write) {
			return fmt.Errorf("stitch: streams %s and %s clash in register %v", streams[u.stream].Name, streams[n].Name, r)
		}
		if !ok || write {
			regs[r] = user{n, write || u.write}
		}
		return nil
	}
	before := map[pair][]pair{}
	for n, s := range streams {
		for _, i := range s.Code {
			if i.Form == nil || i.Form.Flow != ir.Next {
				return nil, fmt.Errorf("stitch: stream %s has a label or a jump in it", s.Name)
			}
			u := i.Uses()
			for _, r := range u.Reads {
				if err := note(n, r, false); err != nil {
					return nil, err
				}
			}
			for _, r := range u.Writes {
				if err := note(n, r, true); err != nil {
					return nil, err
				}
			}
		}
	}
	// A second pass over all pairs, since a register read by two streams
	// may be written by the first after the second was noted.
	for n, s := range streams {
		for _, i := range s.Code {
			for _, r := range i.Uses().Reads {
				if u := regs[r]; u.write && u.stream != n {
					return nil, fmt.Errorf("stitch: streams %s and %s clash in register %v", streams[u.stream].Name, s.Name, r)
				}
			}
		}
	}
	// fixed reports whether displacements alone tell addresses apart.
	fixed := func(m ir.Mem) bool {
		return m.Index.Bank == nil && m.Step == 0 && !m.Pre && !regs[m.Base].write
	}
	for a, sa := range streams {
		for ia, x := range sa.Code {
			for _, ca := range x.Uses().Cells {
				if !ca.Write {
					continue
				}
				for b, sb := range streams {
					if b == a {
						continue
					}
					for ib, y := range sb.Code {
						for _, cb := range y.Uses().Cells {
							if ca.Mem.Space != cb.Mem.Space {
								continue
							}
							if cb.Write {
								return nil, fmt.Errorf("stitch: streams %s and %s both store to the %s", sa.Name, sb.Name, ca.Mem.Space)
							}
							if !fixed(ca.Mem) || !fixed(cb.Mem) {
								return nil, fmt.Errorf("stitch: streams %s and %s use the %s at addresses that cannot be compared", sa.Name, sb.Name, ca.Mem.Space)
							}
							if overlap(ca, cb) {
								before[pair{a, ia}] = append(before[pair{a, ia}], pair{b, ib})
							}
						}
					}
				}
			}
		}
	}
	return before, nil
}

// overlap reports whether a store and a load of the same space may touch the
// same byte. In and out are equal or disjoint and their pointers advance
// together, so only displacements count.
func overlap(a, b ir.Cell) bool {
	return a.Mem.Disp < b.Mem.Disp+int64(b.Bytes) && b.Mem.Disp < a.Mem.Disp+int64(a.Bytes)
}
