// SPDX-License-Identifier: ISC

package traces

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
	"github.com/stitchgcm/gcm/internal/machine"
	"github.com/stitchgcm/gcm/internal/value"
)

// An event is an instruction begun, of 0 bytes, or an access to memory.
type event struct {
	pc    int // index into the program's code
	addr  uint64
	bytes int
	store bool
}

// A recorder is memory that remembers what it was asked for, and when.
type recorder struct {
	machine.Regions
	events []event
	pc     int
}

func (r *recorder) step(pc int) {
	r.pc = pc
	r.events = append(r.events, event{pc: pc})
}

func (r *recorder) Load(addr uint64, n int) (value.Value, error) {
	r.events = append(r.events, event{r.pc, addr, n, false})
	return r.Regions.Load(addr, n)
}

func (r *recorder) Store(addr uint64, v value.Value) error {
	r.events = append(r.events, event{r.pc, addr, v.Width() / 8, true})
	return r.Regions.Store(addr, v)
}

// run runs a call of a program on the machine, at the same addresses for all
// calls of one situation, and returns the trace.
func run(p *ir.Program, c call, block []byte) ([]event, error) {
	rec := &recorder{}
	m := machine.New(value.Concrete{}, rec)
	m.Trace = rec.step
	out, tag := make([]byte, c.text), append([]byte(nil), c.tagBytes...)
	buffers := map[string][]byte{"block": block, "key": c.key, "out": out, "in": c.in,
		"aad": c.aadBytes, "nonce": c.nonceBytes, "tag": tag, "state": tag}
	sizes := map[string]int{"len": c.text, "aad_len": c.aad, "nonce_len": c.nonce, "tag_len": c.tag}

	conv, below := p.ISA.Call, p.Contract.StackBytes
	stack := make([]byte, below+int(conv.Stack))
	for i, a := range p.Contract.Args {
		x := uint64(sizes[a.Name])
		if a.Perm != "" {
			x = rec.Add(a.Name, buffers[a.Name], a.Perm != "r", 8).Base
		}
		if i < len(conv.Args) {
			m.SetReg(conv.Args[i], value.FromUint64(x))
		} else {
			stack = binary.LittleEndian.AppendUint64(stack, x)
		}
	}
	m.SetReg(conv.SP, value.FromUint64(rec.Add("stack", stack, true, 0).Base+uint64(below)))
	m.Place(p, &rec.Regions)
	if err := m.Run(p); err != nil {
		return nil, err
	}
	return rec.events, c.verify(m.Reg(conv.Result).(*value.Bits).Uint64(), out, tag)
}

// A difference is where two traces part.
type difference struct {
	p         *ir.Program
	want, got event
}

func (d *difference) Error() string {
	show := func(e event) string {
		i := d.p.Code[e.pc]
		s := fmt.Sprintf("instruction %d, %s (%s)", e.pc, i.Form.Mnemonic, i.Origin)
		if e.bytes != 0 {
			s += fmt.Sprintf(", of %d bytes at %#x", e.bytes, e.addr)
		}
		return s
	}
	return fmt.Sprintf("%s: the trace depends on a secret: one has %s where another has %s", d.p.Name, show(d.want), show(d.got))
}

// compare runs all calls of a situation and returns a *difference where their
// traces are not the same, and otherwise the number of their events.
func compare(p *ir.Program, init *ir.Program, s situation) (events int, err error) {
	var first []event
	for i, c := range s.calls() {
		block := make([]byte, 1536)
		if s.op != "init" {
			if _, err := run(init, call{situation: situation{op: "init"}, key: c.key}, block); err != nil {
				return 0, err
			}
		}
		trace, err := run(p, c, block)
		if err != nil {
			return 0, fmt.Errorf("%v: %w", s, err)
		}
		if i == 0 {
			first = trace
		}
		for j := range min(len(first), len(trace)) {
			if first[j] != trace[j] {
				return 0, &difference{p, first[j], trace[j]}
			}
		}
		if len(first) != len(trace) { // impossible: both end with the same return
			return 0, fmt.Errorf("%v: traces of %d and %d events", s, len(first), len(trace))
		}
	}
	return len(first), nil
}

// onPrograms runs a test for the programs of each kernel and key size.
func onPrograms(t *testing.T, test func(t *testing.T, bits int, ops map[string]*ir.Program)) {
	for _, ps := range kernels.All() {
		for _, bits := range []int{128, 192, 256} {
			ops := map[string]*ir.Program{}
			for _, p := range ps {
				if p.Contract.Bits == bits {
					ops[p.Contract.Op] = p
				}
			}
			t.Run(fmt.Sprintf("%s/%d", ps[0].Contract.Kernel, bits), func(t *testing.T) { test(t, bits, ops) })
		}
	}
}

// TestMachine traces every kernel on the machine, whatever the host.
func TestMachine(t *testing.T) {
	onPrograms(t, func(t *testing.T, bits int, ops map[string]*ir.Program) {
		n, events := 0, 0
		for i, s := range situations(bits, ops["init"].Contract.Turn, false) {
			if testing.Short() && i%7 != 0 {
				continue
			}
			e, err := compare(ops[s.program()], ops["init"], s)
			if err != nil {
				t.Error(err)
			}
			n, events = n+1, events+e
		}
		t.Logf("%d situations, %d secrets each, %d events", n, secrets, events)
	})
}

// TestMachineCatches plants leaks into every program.
func TestMachineCatches(t *testing.T) {
	onPrograms(t, func(t *testing.T, bits int, ops map[string]*ir.Program) {
		for _, s := range plantedSituations(bits, ops["init"].Contract.Turn) {
			for _, l := range leaks {
				_, err := compare(l.plant(ops[s.program()]), ops["init"], s)
				if d := (*difference)(nil); !errors.As(err, &d) {
					t.Errorf("%v: the planted %v is not caught: %v", s, l, err)
				}
			}
		}
	})
}
