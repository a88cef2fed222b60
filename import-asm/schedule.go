// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/emit"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/stitch"
)

// turns is how many turns of a loop are modelled in a row to see how long one
// takes among others.
const turns = 8

// printSchedules prints the bulk loops of a kernel, seal and open, as the model
// runs them that they are stitched for.
func printSchedules(w io.Writer, kernel string, bits int) error {
	programs := kernels.Programs(kernel)
	if programs == nil {
		return fmt.Errorf("unknown kernel %q; choose one of %s", kernel, strings.Join(kernels.Names(), ", "))
	}
	if !slices.Contains([]int{128, 192, 256}, bits) {
		return fmt.Errorf("key size %d is not 128, 192 or 256", bits)
	}
	for _, p := range programs {
		if p.Contract.Bits == bits && p.Contract.Whole() {
			printSchedule(w, p)
		}
	}
	return nil
}

// printSchedule prints one turn of the bulk loop of p, an instruction a line,
// and how busy each port is in the long run.
func printSchedule(w io.Writer, p *ir.Program) {
	loop := kernels.BulkLoop(p)
	m := loop.Model
	code := slices.DeleteFunc(slices.Clone(loop.Code), func(i ir.Inst) bool { return i.Form == nil })
	slots := stitch.Schedule(m, slices.Concat(slices.Repeat([][]ir.Inst{code}, turns)...))
	// end is the cycle in which turn n, from 0, is the last to issue or to hold
	// a port.
	end := func(n int) (cycle int) {
		for _, s := range slots[n*len(code) : (n+1)*len(code)] {
			cycle = max(cycle, s.Cycle+s.Hold)
		}
		return cycle
	}
	cycles := float64(end(turns-1) - end(0)) // of all turns but the first
	busy := make([]int, m.Ports)             // of these
	for _, s := range slots[len(code):] {
		if s.Port >= 0 {
			busy[s.Port] += s.Hold
		}
	}

	fmt.Fprintf(w, "%s: one turn of %d blocks, for %s\n\ncycle  port   %-62s  origin\n", p.Name, loop.Bytes/16, m.Name, "instruction")
	n := 0
	for _, i := range loop.Code {
		if i.Form == nil {
			fmt.Fprintf(w, "%14s%s:\n", "", i.Label)
			continue
		}
		s, port := slots[n], "-"
		if s.Port >= 0 {
			port = m.PortName(s.Port)
		}
		n++
		fmt.Fprintf(w, "%5d  %-5s  %-62s  %s\n", s.Cycle, port, emit.Instruction(i, p), i.Origin)
	}
	fmt.Fprintf(w, "\n%d instructions, at most %d a cycle; %d cycles for a turn alone, %.1f for one of many\n", len(code), m.Width, end(0), cycles/(turns-1))
	for port, b := range busy {
		if b > 0 {
			fmt.Fprintf(w, "%-5s  busy in %5.1f of these cycles, %3.0f %%\n", m.PortName(port), float64(b)/(turns-1), 100*float64(b)/cycles)
		}
	}
	fmt.Fprintln(w)
}
