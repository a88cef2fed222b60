// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/stitchgcm/gcm/internal/ir"
)

// The cases of a program prove it for the C ABI. What they say holds for the same
// program under Go's ABI0, as ForGo makes it, if one simulates the other: both
// run the same instructions on the same values, but for
//
//   - the stack pointer, and where the arguments and the result are;
//   - Frame instructions, which are absent there. They touch nothing but the
//     stack pointer, registers that C preserves, flags and stack of their own,
//     and no other instruction depends on what they did;
//   - what stands instead of them, right before the return. It takes everything
//     out of the registers that they would have restored, and touches nothing
//     else.
//
// simulates decides that. It looks at every instruction, not at paths, and knows
// no kernel.
func simulates(p, q *ir.Program) error {
	f := &flavours{p: p, q: q}
	for _, step := range []func() error{f.findDepths, f.prologue, f.match, f.restored, f.returns, f.reserved} {
		if err := step(); err != nil {
			return fmt.Errorf("for Go: %w", err)
		}
	}
	return nil
}

// flavours are a program for the C ABI, and the same for Go.
type flavours struct {
	p, q  *ir.Program
	depth []*int64 // the stack pointer before each place of p, from where it is at the entry; nil if never reached
	next  int      // how far q is matched
}

// at adds the place in p to an error.
func (f *flavours) at(n int, format string, args ...any) error {
	i := f.p.Code[n]
	return fmt.Errorf("instruction %d, %s (%s): %s", n, i.Form.Mnemonic, i.Origin, fmt.Sprintf(format, args...))
}

// follow calls visit with each place that may come behind n.
func follow(p *ir.Program, n int, visit func(m int)) {
	i := p.Code[n]
	if i.Form == nil || i.Form.Flow == ir.Next || i.Form.Flow == ir.Branch {
		if n+1 < len(p.Code) {
			visit(n + 1)
		}
	}
	for _, a := range i.Args {
		if a.Kind == ir.Target {
			visit(slices.IndexFunc(p.Code, func(j ir.Inst) bool { return j.Form == nil && j.Label == a.Label }))
		}
	}
}

// findDepths finds where the stack pointer is at each place, which must be the
// same on all paths. Only Frame instructions may move it.
func (f *flavours) findDepths() error {
	p := f.p
	f.depth = make([]*int64, len(p.Code))
	f.depth[0] = new(int64)
	todo := []int{0}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i, after := p.Code[n], *f.depth[n]
		if i.Form != nil && slices.Contains(i.Uses().Writes, p.ISA.Call.SP) {
			if !i.Frame {
				return f.at(n, "the stack pointer moves outside of the frame")
			}
			moved, err := moves(p, i)
			if err != nil {
				return f.at(n, "%v", err)
			}
			after += moved
		}
		if i.Form != nil && i.Form.Flow == ir.Return && after != 0 {
			return f.at(n, "the stack pointer does not come back")
		}
		var err error
		follow(p, n, func(m int) {
			switch {
			case m < 0:
				err = f.at(n, "a jump to nowhere")
			case f.depth[m] == nil:
				f.depth[m] = &after
				todo = append(todo, m)
			case *f.depth[m] != after:
				err = f.at(n, "the stack pointer depends on the path")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// moves returns how far an instruction moves the stack pointer.
func moves(p *ir.Program, i ir.Inst) (int64, error) {
	ses := newSession(p)
	stack := ses.mem.add("stack", ses.s.Fresh("stack", 8192), true, false)
	sp := p.ISA.Call.SP
	ses.m.SetReg(sp, stack.at(4096))
	if _, err := ses.m.Step(i); err != nil {
		return 0, err
	}
	to, ok := ses.m.Reg(sp).(Pointer)
	if !ok {
		return 0, fmt.Errorf("the stack pointer becomes something unknown")
	}
	return int64(to) - int64(stack.at(4096)), nil
}

// prologue checks that q begins by loading the arguments that C passes in
// registers, and changes no other register.
func (f *flavours) prologue() error {
	call, ses := f.q.ISA.Call, newSession(f.q)
	args := ses.s.Fresh("argument", 8*len(f.p.Contract.Args))
	ses.m.SetReg(ir.FP, ses.mem.add("arguments", args, false, false).at(0))
	passed := min(len(call.Args), len(f.p.Contract.Args))
	for ; f.next < passed; f.next++ {
		i := f.q.Code[f.next]
		if i.Form == nil || i.Form.Flow != ir.Next {
			return fmt.Errorf("%d instructions load arguments, want %d", f.next, passed)
		}
		if _, err := ses.m.Step(i); err != nil {
			return err
		}
	}
	for n, r := range call.Args[:passed] {
		if err := ses.want("argument "+f.p.Contract.Args[n].Name, r, args[8*n:][:8]); err != nil {
			return err
		}
	}
	return ses.wantJunk(call.Args[:passed]...)
}

// wantJunk checks that all registers but some hold what they began with.
func (ses *session) wantJunk(but ...ir.Reg) error {
	for r, junk := range ses.junk {
		if have := ses.m.Reg(r); !slices.Contains(but, r) && !same(ses.s, have, junk) {
			return fmt.Errorf("%v changes", r)
		}
	}
	return nil
}

// take returns the next instruction or label of q.
func (f *flavours) take() ir.Inst {
	if f.next == len(f.q.Code) {
		return ir.Inst{}
	}
	f.next++
	return f.q.Code[f.next-1]
}

// match walks through both programs side by side.
func (f *flavours) match() error {
	for n, i := range f.p.Code {
		switch {
		case i.Form == nil:
			if j := f.take(); j.Form != nil || j.Label != i.Label {
				return fmt.Errorf("no label %s", i.Label)
			}
			continue
		case f.depth[n] == nil:
			return f.at(n, "it is never reached")
		case i.Frame:
			if err := f.frame(n); err != nil {
				return err
			}
			continue
		case i.Form.Flow == ir.Return && f.p.Contract.Result != "":
			if err := f.result(f.take()); err != nil {
				return f.at(n, "%v", err)
			}
		}
		want, err := f.moved(n)
		if err != nil {
			return err
		}
		if j := f.take(); j.Form != want.Form || !reflect.DeepEqual(j.Args, want.Args) || j.Frame {
			return f.at(n, "Go has another instruction")
		}
	}
	if f.next != len(f.q.Code) {
		return fmt.Errorf("there are %d instructions too many", len(f.q.Code)-f.next)
	}
	return nil
}

// frame checks a Frame instruction and what stands instead of it.
func (f *flavours) frame(n int) error {
	i, call := f.p.Code[n], f.p.ISA.Call
	u := i.Uses()
	for _, r := range append(u.Reads, u.Writes...) {
		flag := r.Bank.Width == 1 && !slices.Contains(u.Reads, r) // restored sees to it
		if r != call.SP && !call.Preserved(r) && !flag {
			return f.at(n, "it is called frame, but uses %v", r)
		}
	}
	for _, c := range u.Cells {
		if c.Mem.Base != call.SP {
			return f.at(n, "it is called frame, but uses memory apart from the stack")
		}
	}
	if i.Form.Flow != ir.Next {
		return f.at(n, "it is called frame, but jumps")
	}
	for _, want := range i.Instead {
		if j := f.take(); j.Form != want.Form || !reflect.DeepEqual(j.Args, want.Args) {
			return f.at(n, "Go has something else instead")
		}
		if err := f.instead(n, want); err != nil {
			return f.at(n, "instead of it stands %s, but %v", want.Form.Mnemonic, err)
		}
	}
	return nil
}

// instead checks an instruction that stands instead of the Frame instruction at
// place n: that it writes registers which C preserves, and that what it puts
// there is known, or is what an instruction just before put into registers that
// come back to the caller, so that it is no secret.
func (f *flavours) instead(n int, i ir.Inst) error {
	call := f.p.ISA.Call
	if i.Form.Flow != ir.Next {
		return fmt.Errorf("it jumps")
	}
	reads, writes := flowing(i)
	for _, r := range writes {
		if !call.Preserved(r) || r == call.SP {
			return fmt.Errorf("it writes %v", r)
		}
	}
	cells := i.Uses().Cells
	if len(cells) == 0 && len(reads) == 0 {
		return nil // a constant
	}
	for m := n - 1; m >= 0; m-- {
		j := f.p.Code[m]
		if j.Form == nil || j.Form.Flow != ir.Next {
			break
		}
		if slices.ContainsFunc(j.Uses().Writes, func(r ir.Reg) bool { return slices.Contains(reads, r) }) && !j.Frame {
			break
		}
		if slices.ContainsFunc(j.Uses().Cells, func(c ir.Cell) bool { return c.Write }) {
			break
		}
		if j.Form == i.Form && len(cells) > 0 && reflect.DeepEqual(j.Uses().Cells, cells) && f.comesBack(m, j) {
			return nil
		}
	}
	return fmt.Errorf("what it reads may be a secret")
}

// comesBack reports whether the registers that the instruction at place n writes
// hold the same at the return that follows, and C preserves none of them: then
// the proof has seen that they hold no secret.
func (f *flavours) comesBack(n int, i ir.Inst) bool {
	writes := i.Uses().Writes
	if slices.ContainsFunc(writes, f.p.ISA.Call.Preserved) {
		return false
	}
	for _, j := range f.p.Code[n+1:] {
		if j.Form == nil || j.Form.Flow == ir.Jump || j.Form.Flow == ir.Branch {
			return false
		}
		if j.Form.Flow == ir.Return {
			return true
		}
		_, over := flowing(j)
		if slices.ContainsFunc(over, func(r ir.Reg) bool { return slices.Contains(writes, r) }) {
			return false
		}
	}
	return false
}

// result checks the instruction that stores the result: nothing but the 8 bytes
// behind the arguments.
func (f *flavours) result(i ir.Inst) error {
	if i.Form == nil || i.Form.Flow != ir.Next {
		return fmt.Errorf("the result is not stored")
	}
	ses, n := newSession(f.q), 8*len(f.p.Contract.Args)
	args := ses.mem.add("arguments", ses.s.Fresh("argument", n+8), true, false)
	ses.m.SetReg(ir.FP, args.at(0))
	if _, err := ses.m.Step(i); err != nil {
		return err
	}
	if err := ses.wantBytes(args, n, ses.s.bytes(ses.junk[f.q.ISA.Call.Result])); err != nil {
		return err
	}
	if err := args.wantWritten([2]int{n, n + 8}); err != nil {
		return err
	}
	return ses.wantJunk()
}

// moved returns the instruction at place n of p as Go must have it: with
// arguments from where they are there. Stack keeps its distance to the stack
// pointer, which must have all of it above itself, and apart from what Frame
// instructions store.
func (f *flavours) moved(n int) (ir.Inst, error) {
	i, call, c := f.p.Code[n], f.p.ISA.Call, f.p.Contract
	for _, a := range i.Args {
		if a.Kind == ir.Register && a.Reg == call.SP {
			return i, f.at(n, "it uses the stack pointer")
		}
	}
	i.Args = slices.Clone(i.Args)
	for k, a := range i.Args {
		if a.Kind != ir.Memory || a.Mem.Base != call.SP && a.Mem.Index != call.SP {
			continue
		}
		from, bytes := *f.depth[n]+a.Mem.Disp, int64(a.Width/8)
		switch {
		case a.Mem.Index.Bank != nil || a.Mem.Step != 0 || a.Mem.Pre || bytes == 0:
			return i, f.at(n, "it uses the stack pointer for more than an address")
		case from >= call.Stack:
			arg := int64(8*len(call.Args)) + from - call.Stack
			if arg+bytes > int64(8*len(c.Args)) {
				return i, f.at(n, "there is no such argument")
			}
			i.Args[k].Mem = ir.Mem{Space: ir.Args, Base: ir.FP, Disp: arg}
		case from < -int64(c.StackBytes) || from+bytes > 0:
			return i, f.at(n, "it uses stack beyond %d bytes", c.StackBytes)
		case *f.depth[n] != -int64(c.StackBytes) || f.q.Contract.StackBytes != c.StackBytes:
			return i, f.at(n, "Go has not all of the stack above the stack pointer")
		case f.saves(from, bytes):
			return i, f.at(n, "it uses stack of the frame")
		}
	}
	return i, nil
}

// saves reports whether a Frame instruction uses any of the bytes of stack that
// begin at a distance from the stack pointer at the entry.
func (f *flavours) saves(from, bytes int64) bool {
	for n, i := range f.p.Code {
		if !i.Frame || f.depth[n] == nil {
			continue
		}
		for _, c := range i.Uses().Cells {
			if at := *f.depth[n] + c.Mem.Disp; at < from+bytes && from < at+int64(c.Bytes) {
				return true
			}
		}
	}
	return false
}

// restored checks that no instruction reads a register that a Frame instruction
// brought back, or a flag that it set.
func (f *flavours) restored() error {
	for n, i := range f.p.Code {
		if !i.Frame {
			continue
		}
		for _, r := range i.Uses().Writes {
			if r == f.p.ISA.Call.SP {
				continue
			}
			seen := map[int]bool{n: true}
			todo := []int{n}
			for len(todo) > 0 {
				var err error
				follow(f.p, todo[0], func(m int) {
					j := f.p.Code[m]
					if seen[m] {
						return
					}
					seen[m] = true
					if j.Form != nil {
						reads, writes := flowing(j)
						if slices.Contains(reads, r) && !j.Frame {
							err = f.at(m, "it reads %v, which the frame wrote", r)
						}
						if slices.Contains(writes, r) {
							return
						}
					}
					todo = append(todo, m)
				})
				if err != nil {
					return err
				}
				todo = todo[1:]
			}
		}
	}
	return nil
}

// returns checks that each register that C preserves, and that something other
// than the frame writes, is overwritten right before each return by what stands
// instead of the frame.
func (f *flavours) returns() error {
	var written []ir.Reg
	for _, i := range f.p.Code {
		written = append(written, f.preserved(i)...)
	}
	for n, i := range f.p.Code {
		if i.Form == nil || i.Form.Flow != ir.Return {
			continue
		}
		wiped := map[ir.Reg]bool{}
		for m := n - 1; m >= 0 && f.p.Code[m].Form != nil && f.p.Code[m].Form.Flow == ir.Next; m-- {
			for _, r := range f.preserved(f.p.Code[m]) {
				if !wiped[r] {
					return f.at(m, "what it writes to %v is left there", r)
				}
			}
			for _, j := range f.p.Code[m].Instead {
				for _, r := range j.Uses().Writes {
					wiped[r] = true
				}
			}
		}
		for _, r := range written {
			if !wiped[r] {
				return f.at(n, "%v may be left with a secret", r)
			}
		}
	}
	return nil
}

// preserved returns the registers that C preserves among those that an
// instruction writes, unless it is one of the frame.
func (f *flavours) preserved(i ir.Inst) (regs []ir.Reg) {
	_, writes := flowing(i)
	for _, r := range writes {
		if f.p.ISA.Call.Preserved(r) && !i.Frame {
			regs = append(regs, r)
		}
	}
	return regs
}

// reserved checks that no instruction writes a register that Go's runtime, or
// its assembler, keeps for itself.
func (f *flavours) reserved() error {
	for n, i := range f.q.Code {
		for _, r := range i.Uses().Writes {
			if slices.Contains(f.q.ISA.Call.GoKeeps, r) {
				return fmt.Errorf("instruction %d of Go's, %s (%s): it writes %v, which Go keeps", n, i.Form.Mnemonic, i.Origin, r)
			}
		}
	}
	return nil
}
