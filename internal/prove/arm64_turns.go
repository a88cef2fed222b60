// SPDX-License-Identifier: ISC

package prove

import (
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// armTurnsCases lists the cases of a program for turns only.
func armTurnsCases(p *ir.Program, add func(part, detail string, run func() error)) {
	armBulkCases(p, "leave", armTurnsEntryCase, add)
	add("Xi and the counter block", "any", func() error { return armTurnsLeaveCase(p) })
}

// armTurnsEntryCase: entry to bulk_turn or bulk_end.
func armTurnsEntryCase(p *ir.Program, left Count, to string) error {
	e := newArmEntry(p)
	t := e.anyTurn()
	text := e.firstText()
	xi := e.s.Fresh("Xi", 16)
	state := e.mem.add("state", append(append(Vec{}, xi...), e.firstBlock(t)...), false, false)
	stack := e.stack(false, nil)
	saved := stack.bytes
	stack.bytes = e.s.Fresh("junk below the stack pointer", 64)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp))
	e.hold(x("bytes", 3, left), x("state", 4, state.at(0)))
	if err := landing(p); err != nil {
		return err
	}
	if err := e.run("", to); err != nil {
		return err
	}
	if err := e.wantBytes(stack, 0, saved); err != nil {
		return err
	}
	c := armConstants()
	want := []held{
		{"stack pointer", arm64.SP.Reg, Pointer(stack.base)},
		v128("Xi", 27, e.s.reverse(xi)),
		v128("tbl indices", 29, value.FromBytes(c[:16])), v128("tbl indices", 30, value.FromBytes(c[16:32])),
	}
	set := t
	if !p.Contract.Opens() {
		set = e.next(t)
	}
	// The counter is no secret, though it comes from memory.
	want = append(want, x("counter in v12", 12, value.Extend(e.s, value.Reverse(e.s, set.word), 64)))
	return e.entered(t, text, left, want...)
}

// armTurnsLeaveCase: leave to the return.
func armTurnsLeaveCase(p *ir.Program) error {
	e := newArm(p)
	t, _ := e.atTurn()
	xi := e.s.Fresh("Xi", 16)
	state := e.mem.add("state", e.s.Fresh("junk", 32), true, true)
	e.stack(true, nil)
	e.m.SetReg(arm64.SP.Reg, Pointer(e.sp-64))
	e.hold(v128("Xi", 27, xi), x("state", 4, state.at(0)))
	if err := e.run("leave", ""); err != nil {
		return err
	}
	if err := e.wantBytes(state, 0, append(e.s.reverse(xi), e.firstBlock(t)...)); err != nil {
		return err
	}
	return e.returned()
}
