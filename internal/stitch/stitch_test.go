// SPDX-License-Identifier: ISC

package stitch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/ir"
)

// The tests have an instruction set of their own.
var (
	bank  = &ir.Bank{Name: "r", Count: 64, Width: 64}
	flags = ir.Reg{Bank: &ir.Bank{Name: "f", Count: 1, Width: 1}}

	add   = form("add", ir.Write, ir.Read, ir.Read)
	acc   = form("acc", ir.Read|ir.Write, ir.Read)
	load  = form("load", ir.Write, ir.Read)
	store = form("store", ir.Write, ir.Read)
	jump  = &ir.Form{Mnemonic: "jump", Flow: ir.Jump}
	test  = &ir.Form{Mnemonic: "test", ImplicitWrites: []ir.Reg{flags}}
	take  = &ir.Form{Mnemonic: "take", ImplicitReads: []ir.Reg{flags}}
)

func form(name string, access ...ir.Access) *ir.Form {
	f := &ir.Form{Mnemonic: name}
	for _, a := range access {
		f.Slots = append(f.Slots, ir.Slot{Access: a})
	}
	return f
}

func reg(n int) ir.Operand { return ir.Operand{Width: 64, Reg: ir.Reg{Bank: bank, Num: n}} }

func mem(space ir.Space, base int, disp int64) ir.Operand {
	return ir.Operand{Kind: ir.Memory, Width: 64, Mem: ir.Mem{Space: space, Base: reg(base).Reg, Disp: disp}}
}

func inst(f *ir.Form, args ...ir.Operand) ir.Inst { return ir.Inst{Form: f, Args: args} }

var model = &Model{Name: "two ports", Width: 2, Ports: 2, Cost: func(i ir.Inst) Cost {
	switch i.Form {
	case load:
		return Cost{Ports: 1, Latency: 5}
	case store:
		return Cost{Ports: 2, Latency: 1, Hold: 2}
	}
	return Cost{Ports: 3, Latency: 2}
}}

// stream returns n instructions on registers of its own, named by their origin.
func stream(name string, first, n int, rng *rand.Rand) Stream {
	s := Stream{Name: name}
	r := func() ir.Operand { return reg(first + rng.IntN(8)) }
	for k := range n {
		i := inst(add, r(), r(), r())
		switch rng.IntN(4) {
		case 0:
			i = inst(acc, r(), r())
		case 1:
			i = inst(load, r(), mem(ir.KeyBlock, 60, 8))
		}
		i.Origin, i.Glue = fmt.Sprintf("%s %d", name, k), rng.IntN(5) == 0
		s.Code = append(s.Code, i)
	}
	return s
}

func origins(code []ir.Inst) (names []string) {
	for _, i := range code {
		names = append(names, i.Origin)
	}
	return names
}

// TestMerge checks on random streams that each instruction comes once, in its
// stream's order, that what is glued stays together, and that the same input
// gives the same output.
func TestMerge(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var streams []Stream
		for k := range 1 + rng.IntN(4) {
			streams = append(streams, stream(string(rune('a'+k)), 10*k, rng.IntN(30), rng))
		}
		code, err := Merge(model, streams...)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, s := range streams {
			total += len(s.Code)
			var own []string
			for _, name := range origins(code) {
				if strings.HasPrefix(name, s.Name+" ") {
					own = append(own, name)
				}
			}
			if !slices.Equal(own, origins(s.Code)) {
				t.Fatalf("seed %d: stream %s is now %v", seed, s.Name, own)
			}
			for k, i := range s.Code[:max(0, len(s.Code)-1)] {
				at := slices.Index(origins(code), i.Origin)
				if i.Glue && code[at+1].Origin != s.Code[k+1].Origin {
					t.Fatalf("seed %d: %s is torn from what follows", seed, i.Origin)
				}
			}
		}
		if len(code) != total {
			t.Fatalf("seed %d: %d instructions, want %d", seed, len(code), total)
		}
		if again, _ := Merge(model, streams...); !slices.Equal(origins(again), origins(code)) {
			t.Fatalf("seed %d: another run gives another order", seed)
		}
	}
}

// TestInterleaves checks that long streams of equal length do not come one
// after the other.
func TestInterleaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	code, err := Merge(model, stream("a", 0, 100, rng), stream("b", 20, 100, rng))
	if err != nil {
		t.Fatal(err)
	}
	half := strings.Join(origins(code[:100]), ",")
	if n := strings.Count(half, "a "); n < 30 || n > 70 {
		t.Errorf("the first half has %d instructions of one stream", n)
	}
}

// TestClash offers streams that are not independent, in either order.
func TestClash(t *testing.T) {
	out := func(disp int64) ir.Operand { return mem(ir.Text, 50, disp) }
	for name, c := range map[string]struct {
		a, b []ir.Inst
		want string // a part of the error, or "" where the streams fit
	}{
		"write and write":  {[]ir.Inst{inst(add, reg(1), reg(2), reg(3))}, []ir.Inst{inst(add, reg(1), reg(4), reg(5))}, "r1"},
		"write and read":   {[]ir.Inst{inst(add, reg(1), reg(2), reg(3))}, []ir.Inst{inst(add, reg(4), reg(1), reg(5))}, "r1"},
		"write and update": {[]ir.Inst{inst(add, reg(1), reg(2), reg(3))}, []ir.Inst{inst(acc, reg(1), reg(5))}, "r1"},
		"read, then write and read": {[]ir.Inst{inst(add, reg(2), reg(1), reg(1)), inst(add, reg(1), reg(2), reg(2))},
			[]ir.Inst{inst(add, reg(4), reg(1), reg(5))}, "r1"},
		"write and address":    {[]ir.Inst{inst(add, reg(1), reg(2), reg(3))}, []ir.Inst{inst(load, reg(4), mem(ir.KeyBlock, 1, 0))}, "r1"},
		"flags":                {[]ir.Inst{inst(test)}, []ir.Inst{inst(take)}, "f0"},
		"both write flags":     {[]ir.Inst{inst(test)}, []ir.Inst{inst(test)}, "f0"},
		"both read a register": {[]ir.Inst{inst(add, reg(1), reg(2), reg(3))}, []ir.Inst{inst(add, reg(4), reg(2), reg(3))}, ""},
		"both store":           {[]ir.Inst{inst(store, out(0), reg(1))}, []ir.Inst{inst(store, out(64), reg(2))}, "both store to the text"},
		"store apart":          {[]ir.Inst{inst(store, out(0), reg(1))}, []ir.Inst{inst(store, mem(ir.Tag, 51, 0), reg(2))}, ""},
		"a jump":               {[]ir.Inst{inst(jump)}, []ir.Inst{inst(take)}, "label or a jump"},
		"a label":              {[]ir.Inst{{Label: "here"}}, []ir.Inst{inst(take)}, "label or a jump"},
	} {
		for _, streams := range [][]Stream{{{"a", c.a}, {"b", c.b}}, {{"b", c.b}, {"a", c.a}}} {
			_, err := Merge(model, streams...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: error is %v, want one about %q", name, err, c.want)
			}
		}
	}
}

// TestMaskedWriteReads takes a merging mask for a read, and the mask too.
func TestMaskedWriteReads(t *testing.T) {
	masked := reg(1)
	masked.Mask = reg(9).Reg
	for name, other := range map[string]ir.Inst{
		"the register": inst(add, reg(1), reg(2), reg(3)),
		"the mask":     inst(add, reg(9), reg(2), reg(3)),
	} {
		if _, err := Merge(model, Stream{"a", []ir.Inst{inst(add, masked, reg(4), reg(5))}}, Stream{"b", []ir.Inst{other}}); err == nil {
			t.Errorf("a clash in %s is accepted", name)
		}
	}
}

// TestLoadBeforeStore opens in place: a load keeps before the store that
// overwrites what it loads, however late the model would have it.
func TestLoadBeforeStore(t *testing.T) {
	const n = 20
	var stores, loads Stream
	for k := range int64(n) {
		s := inst(store, mem(ir.Text, 50, 8*k), reg(1))
		s.Origin = fmt.Sprint("store ", k)
		stores.Code = append(stores.Code, s)
		for range 5 { // so that this stream is the longer one
			loads.Code = append(loads.Code, inst(acc, reg(11), reg(12)))
		}
		l := inst(load, reg(10), mem(ir.Text, 51, 8*k))
		l.Origin = fmt.Sprint("load ", k)
		loads.Code = append(loads.Code, l)
	}
	for _, streams := range [][]Stream{{stores, loads}, {loads, stores}} {
		code, err := Merge(model, streams...)
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if slices.Index(origins(code), fmt.Sprint("load ", k)) > slices.Index(origins(code), fmt.Sprint("store ", k)) {
				t.Errorf("store %d comes before load %d", k, k)
			}
		}
	}
}

// TestOverlapByOneByte orders a load and a store that share as little as a byte.
func TestOverlapByOneByte(t *testing.T) {
	for _, disp := range []int64{-8, -7, 0, 7, 8} {
		a := Stream{"a", []ir.Inst{inst(store, mem(ir.Text, 50, 0), reg(1))}}
		b := Stream{"b", []ir.Inst{inst(add, reg(10), reg(11), reg(12)), inst(load, reg(10), mem(ir.Text, 51, disp))}}
		before, err := constraints([]Stream{a, b})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(before) > 0, disp > -8 && disp < 8; got != want {
			t.Errorf("a load of 8 bytes %d past the store: ordered is %v, want %v", disp, got, want)
		}
	}
}

// TestMovingAddresses refuses a load and a store whose displacements do not
// tell whether they meet.
func TestMovingAddresses(t *testing.T) {
	at := func(change func(m *ir.Mem)) ir.Operand {
		o := mem(ir.Text, 51, 0)
		change(&o.Mem)
		return o
	}
	for name, code := range map[string][]ir.Inst{
		"post-index":      {inst(load, reg(10), at(func(m *ir.Mem) { m.Step = 16 }))},
		"pre-index":       {inst(load, reg(10), at(func(m *ir.Mem) { m.Pre = true }))},
		"index register":  {inst(load, reg(10), at(func(m *ir.Mem) { m.Index = reg(12).Reg }))},
		"base that moves": {inst(add, reg(51), reg(51), reg(12)), inst(load, reg(10), mem(ir.Text, 51, 0))},
	} {
		stores := Stream{"stores", []ir.Inst{inst(store, mem(ir.Text, 50, 0), reg(1))}}
		for _, streams := range [][]Stream{{stores, {"loads", code}}, {{"loads", code}, stores}} {
			if _, err := Merge(model, streams...); err == nil || !strings.Contains(err.Error(), "cannot be compared") {
				t.Errorf("%s: error is %v", name, err)
			}
		}
	}
}

// TestSchedule follows a few instructions by hand: an operand that is not ready,
// a port that is held, a full cycle.
func TestSchedule(t *testing.T) {
	m := *model
	m.Names = []string{"left"}
	slots := Schedule(&m, []ir.Inst{
		inst(load, reg(1), mem(ir.Text, 50, 0)),  // on port 0, there in cycle 5
		inst(store, mem(ir.Text, 51, 0), reg(2)), // on port 1, for two cycles
		inst(add, reg(3), reg(1), reg(4)),        // waits for the load, there in cycle 7
		inst(store, mem(ir.Text, 51, 8), reg(3)), // waits for the sum
		inst(store, mem(ir.Text, 51, 16), reg(4)),
		inst(add, reg(5), reg(4), reg(4)), // in the third cycle at the earliest
	})
	for n, want := range []struct{ cycle, port, hold int }{{0, 0, 1}, {0, 1, 2}, {5, 0, 1}, {7, 1, 2}, {9, 1, 2}, {6, 0, 1}} {
		if s := slots[n]; s.Cycle != want.cycle || s.Port != want.port || s.Hold != want.hold {
			t.Errorf("instruction %d, %s: %+v, want %+v", n, s.Form.Mnemonic, struct{ cycle, port, hold int }{s.Cycle, s.Port, s.Hold}, want)
		}
	}
	if a, b := m.PortName(0), m.PortName(1); a != "left" || b != "1" {
		t.Errorf("ports are called %s and %s", a, b)
	}
	free := &Model{Width: 2, Cost: func(ir.Inst) Cost { return Cost{Latency: 1} }}
	for n, s := range Schedule(free, []ir.Inst{inst(add, reg(1), reg(2), reg(3)), inst(add, reg(4), reg(1), reg(3))}) {
		if s.Cycle != n || s.Port != -1 || s.Hold != 0 {
			t.Errorf("without ports, instruction %d: cycle %d, port %d, hold %d", n, s.Cycle, s.Port, s.Hold)
		}
	}
}
