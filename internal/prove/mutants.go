// SPDX-License-Identifier: ISC

package prove

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// The proof is tested by changing programs: a proof that accepts a program with
// one instruction changed has a hole, unless that program does the same.
//
// A mutant first meets scouts, a sample of the proof's cases that runs every
// instruction, and of those only the ones that run the changed instruction: one
// that is not refused after all is refused quickly. What passes them and does
// the same by a rule (see reason) is equivalent. What is left meets every case
// of every part of the proof whose scouts run the instruction; what passes must
// stand in the table of equivalents with the reason, or is a survivor.

// A MutantReport is the outcome for one kernel.
type MutantReport struct {
	Kernel     string         `json:"kernel"`
	Mutants    int            `json:"mutants"`
	Refused    map[string]int `json:"refused"` // by kind
	Made       map[string]int `json:"made"`    // by kind
	Cases      int            `json:"cases"`   // run in all
	Equivalent []Equivalent   `json:"equivalent"`
	Survivors  []string       `json:"survivors,omitempty"`
	Stale      []string       `json:"stale,omitempty"` // entries of the table that match no mutant that passes
	Seconds    float64        `json:"seconds"`
}

// An Equivalent is a mutant that does the same, with the reason.
type Equivalent struct {
	Mutant string `json:"mutant"`
	Reason string `json:"reason"`
}

// errEndless is what a mutant meets that jumps more often than any case of a
// right program does.
var errEndless = errors.New("an endless loop")

const maxJumps = 500

// golden spreads the choice of mutants over programs that are alike.
var golden = math.Phi - 1

// Mutants tests the proofs of one kernel with about n mutants: those that the
// table of equivalents lists, and others spread evenly over the instructions.
func Mutants(programs []*ir.Program, n int) (r MutantReport, err error) {
	r = MutantReport{Kernel: programs[0].Contract.Kernel, Refused: map[string]int{}, Made: map[string]int{}}
	if cases[r.Kernel] == nil {
		return r, fmt.Errorf("no proof for kernel %s", r.Kernel)
	}
	begin := time.Now()
	passed := map[equivalent]bool{} // entries of the table that passed wherever they were met
	all, behind := 0, 0             // instructions
	for _, p := range programs {
		all += p.Count()
	}
	for k, p := range programs {
		t, err := newTrial(p)
		if err != nil {
			return r, err
		}
		_, phase := math.Modf(float64(k+1) * golden)
		share := n*(behind+p.Count())/all - n*behind/all
		behind += p.Count()
		chosen := choose(mutate(p), r.Kernel, share, phase)
		verdicts := t.judge(chosen)
		for i, m := range chosen {
			v := verdicts[i]
			r.Mutants++
			r.Made[m.Kind]++
			r.Cases += v.cases
			e, listed := lookUp(r.Kernel, m)
			if before, met := passed[e]; listed && v.reason == "" {
				passed[e] = v.err == nil && (before || !met)
			}
			switch {
			case v.err != nil:
				r.Refused[m.Kind]++
			case v.reason != "":
				r.Equivalent = append(r.Equivalent, Equivalent{m.String(), v.reason})
			case listed:
				r.Equivalent = append(r.Equivalent, Equivalent{m.String(), e.reason})
			default:
				r.Survivors = append(r.Survivors, m.String())
			}
		}
	}
	for _, e := range equivalents {
		if e.kernel == r.Kernel && !passed[e] {
			r.Stale = append(r.Stale, e.what)
		}
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// choose returns n mutants of a program, and one for each entry of the table
// that none of them is like.
func choose(all map[string][]*Mutant, kernel string, n int, phase float64) []*Mutant {
	chosen := pick(all, n, phase)
	met := map[equivalent]bool{}
	for _, m := range chosen {
		if e, listed := lookUp(kernel, m); listed {
			met[e] = true
		}
	}
	for _, k := range Kinds {
		for _, m := range all[k] {
			if e, listed := lookUp(kernel, m); listed && !met[e] {
				met[e] = true
				chosen = append(chosen, m)
			}
		}
	}
	return chosen
}

// lookUp returns the entry for a mutant in the table of equivalents.
func lookUp(kernel string, m *Mutant) (equivalent, bool) {
	for _, e := range equivalents {
		if e.kernel == kernel && fits(m.String(), e.what) {
			return e, true
		}
	}
	return equivalent{}, false
}

// fits reports whether text is like the pattern, in which each * stands for
// anything.
func fits(text, pattern string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, first)
	if !star || !ok {
		return ok && text == ""
	}
	for i := range len(text) + 1 {
		if fits(text[i:], rest) {
			return true
		}
	}
	return false
}

// DefaultMutants is how many mutants of a kernel are tried unless said
// otherwise.
const DefaultMutants = 1200

// A trial is the proof of a program prepared for its mutants.
type trial struct {
	p      *ir.Program
	cases  []proofCase
	scouts []scout
	live   []map[ir.Reg]bool
}

// A scout is a case with the instructions that it runs.
type scout struct {
	index int // of the case
	runs  []bool
	steps int // how many instructions in all
}

// A verdict on a mutant: what refuses it, or the rule by which it does the
// same, or neither.
type verdict struct {
	err    error
	reason string
	cases  int // run
}

// newTrial chooses the scouts: of each part the first two cases, the last two
// and some between, and then whatever it takes to run every instruction.
func newTrial(p *ir.Program) (*trial, error) {
	const some = 24 // of a part
	w := newWatched(p)
	t := &trial{p: p, cases: cases[p.Contract.Kernel](w.p), live: live(p)}
	covered := make([]bool, len(p.Code))
	missing := p.Count()
	run := func(c int) error {
		s, err := w.scout(t.cases[c], c)
		if err != nil {
			return fmt.Errorf("%s: %s (%s): %w", p.Name, t.cases[c].part, t.cases[c].detail, err)
		}
		for n, ran := range s.runs {
			if ran && !covered[n] {
				covered[n] = true
				missing--
			}
		}
		t.scouts = append(t.scouts, s)
		return nil
	}
	var rest []int
	for lo := 0; lo < len(t.cases); {
		hi := lo
		for hi < len(t.cases) && t.cases[hi].part == t.cases[lo].part {
			hi++
		}
		size := hi - lo
		for k := range size {
			if size > some && k > 1 && k < size-2 && k*some/size == (k-1)*some/size {
				rest = append(rest, lo+k)
			} else if err := run(lo + k); err != nil {
				return nil, err
			}
		}
		lo = hi
	}
	for _, c := range rest {
		if missing == 0 {
			break
		}
		if err := run(c); err != nil {
			return nil, err
		}
	}
	for n, i := range p.Code {
		if i.Form != nil && !covered[n] {
			return nil, fmt.Errorf("%s: no case runs instruction %d, %s (%s)", p.Name, n, instruction(p, i), i.Origin)
		}
	}
	slices.SortStableFunc(t.scouts, func(a, b scout) int { return cmp.Compare(a.steps, b.steps) })
	return t, nil
}

// judge tries mutants, as many at a time as there are cores.
func (t *trial) judge(ms []*Mutant) []verdict {
	out := make([]verdict, len(ms))
	todo := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range todo {
				out[i] = t.try(ms[i])
			}
		})
	}
	for i := range ms {
		todo <- i
	}
	close(todo)
	wg.Wait()
	return out
}

// try runs the cases that may refuse a mutant.
func (t *trial) try(m *Mutant) verdict {
	w := newWatched(m.build())
	list := cases[t.p.Contract.Kernel](w.p)
	v := t.scouting(m, w, list)
	if v.err != nil {
		return v
	}
	if v.reason = t.reason(m); v.reason != "" {
		return v
	}
	parts, done := map[string]bool{}, map[int]bool{}
	for _, s := range t.order(m) {
		parts[t.cases[s.index].part], done[s.index] = true, true
	}
	for c := range list {
		if parts[list[c].part] && !done[c] {
			w.jumps = 0
			v.cases++
			if v.err = attempt(list[c]); v.err != nil {
				break
			}
		}
	}
	return v
}

// scouting runs the scouts of a mutant until one refuses it; list holds the
// cases of the watched mutant.
func (t *trial) scouting(m *Mutant, w *watched, list []proofCase) (v verdict) {
	if len(list) != len(t.cases) {
		v.err = errors.New("it has not the cases of the original")
		return v
	}
	for _, s := range t.order(m) {
		w.jumps = 0
		v.cases++
		if v.err = attempt(list[s.index]); v.err != nil {
			break
		}
	}
	return v
}

// order returns the scouts that run what a mutant changes, the cheapest of each
// part first.
func (t *trial) order(m *Mutant) (first []scout) {
	var rest []scout
	seen := map[string]bool{}
	for _, s := range t.scouts {
		if m.Kind != "constant" && !slices.ContainsFunc(m.at, func(n int) bool { return s.runs[n] }) {
			continue // of constants the address may be in a register
		}
		if part := t.cases[s.index].part; !seen[part] {
			seen[part] = true
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	return append(first, rest...)
}

// A watched program notes what it runs and bounds how often it jumps.
type watched struct {
	p            *ir.Program
	runs         []bool
	steps, jumps int
}

func newWatched(p *ir.Program) *watched {
	q := *p
	q.Code = slices.Clone(p.Code)
	w := &watched{p: &q, runs: make([]bool, len(p.Code))}
	for n, i := range q.Code {
		if i.Form == nil {
			continue
		}
		f := *i.Form
		f.Meaning = func(in ir.In) []value.Value {
			w.runs[n] = true
			w.steps++
			if f.Flow == ir.Jump || f.Flow == ir.Branch {
				if w.jumps++; w.jumps > maxJumps {
					panic(unprovable{errEndless})
				}
			}
			return i.Form.Meaning(in)
		}
		q.Code[n].Form = &f
	}
	return w
}

// scout runs a case of the watched program.
func (w *watched) scout(c proofCase, index int) (scout, error) {
	clear(w.runs)
	w.steps, w.jumps = 0, 0
	err := attempt(c)
	return scout{index, slices.Clone(w.runs), w.steps}, err
}

// reason returns the rule by which a mutant does the same as the original, or
// nothing.
func (t *trial) reason(m *Mutant) string {
	switch m.Kind {
	case "constant":
		return cmp.Or(t.unread(m), indices(m))
	case "target":
		if t.place(t.p.Code[m.at[0]]) == t.place(m.now[0]) {
			return "both labels stand at one place"
		}
	case "order":
		a, b := t.p.Code[m.at[0]], t.p.Code[m.at[1]]
		x, y := a.Uses(), b.Uses()
		if a.Form.Mnemonic == "movk" && b.Form.Mnemonic == "movk" && a.Args[2].Imm != b.Args[2].Imm {
			return "they write different parts of a register"
		}
		if r, ok := sumOf(a); ok && slices.Equal(shared(a, b), []ir.Reg{r}) {
			if q, ok := sumOf(b); ok && q == r {
				return "both add to the same sum"
			}
		}
		for _, r := range shared(a, b) {
			if slices.Contains(x.Reads, r) || slices.Contains(y.Reads, r) || t.live[m.at[1]][r] {
				return ""
			}
		}
		return "both write only what is overwritten before anything reads it, or apart"
	}
	was := t.p.Code[m.at[0]]
	if len(m.now) > 0 && m.Kind == "mnemonic" && stem(was) != "" && stem(was) == stem(m.now[0]) {
		return "without a mask the size of elements says nothing"
	}
	if len(m.now) > 0 && noCarry[was.Form.Mnemonic] == m.now[0].Form.Mnemonic && m.at[0] > 0 && clearsCarry(t.p.Code[m.at[0]-1]) {
		return "behind test there is no carry"
	}
	if len(m.now) > 0 && m.Kind == "mnemonic" && was.Form.Mnemonic+"s" == m.now[0].Form.Mnemonic &&
		!slices.ContainsFunc(m.now[0].Form.ImplicitWrites, func(r ir.Reg) bool { return t.live[m.at[0]][r] }) {
		return "it sets flags besides, which nothing reads"
	}
	if len(m.now) > 0 && isConstant(was) && isConstant(m.now[0]) && was.Args[0].Reg == m.now[0].Args[0].Reg &&
		t.lastWrite(m.at[0]) {
		return "any constant will do to overwrite a secret"
	}
	if base, ok := onlySteps(was, m.now); ok && !t.live[m.at[0]][base] {
		return "nothing reads the pointer that it moves"
	}
	for _, i := range append([]ir.Inst{was}, m.now...) {
		if i.Form.Flow != ir.Next {
			return ""
		}
		u := i.Uses()
		for _, c := range u.Cells {
			if c.Write || m.Kind == "address" || m.Kind == "base" || m.Kind == "mask" {
				return ""
			}
		}
		if len(u.Writes) == 0 || slices.ContainsFunc(u.Writes, func(r ir.Reg) bool { return t.live[m.at[0]][r] }) {
			return ""
		}
	}
	return "nothing reads what it writes"
}

// place returns the instruction that stands where another jumps to.
func (t *trial) place(jump ir.Inst) int {
	n := slices.IndexFunc(t.p.Code, func(i ir.Inst) bool {
		return i.Form == nil && slices.ContainsFunc(jump.Args, func(a ir.Operand) bool { return a.Kind == ir.Target && a.Label == i.Label })
	})
	for n >= 0 && n < len(t.p.Code) && t.p.Code[n].Form == nil {
		n++
	}
	return n
}

// onlySteps reports whether an instruction differs from what it was only in
// what it adds to the base of an address afterwards.
func onlySteps(was ir.Inst, now []ir.Inst) (base ir.Reg, ok bool) {
	if len(now) != 1 || len(was.Args) != len(now[0].Args) || was.Form != now[0].Form {
		return base, false
	}
	for n, a := range was.Args {
		b := now[0].Args[n]
		if a.Mem.Step != b.Mem.Step && a.Mem.Disp == b.Mem.Disp {
			base, ok = a.Mem.Base, true
			b.Mem.Step = a.Mem.Step
		}
		if a != b {
			return base, false
		}
	}
	return base, ok
}

// unread is the reason for a constant of which no operand covers the byte.
func (t *trial) unread(m *Mutant) string {
	at := -1
	now := m.build()
	for d, datum := range t.p.Data {
		for b, x := range datum.Bytes {
			if now.Data[d].Bytes[b] != x {
				at = b
			}
		}
	}
	for _, n := range m.at {
		i := t.p.Code[n]
		for _, a := range i.Args {
			in := at - int(a.Mem.Disp)
			half := i.Form.Mnemonic == "vpclmulqdq" && int64(in/8%2) != i.Args[3].Imm>>4 // which it does not multiply
			if a.Mem.Symbol == m.Where && (a.Width == 0 || in >= 0 && in < a.Width/8 && !half) {
				return ""
			}
		}
	}
	return "no instruction reads that byte"
}

// sumOf returns the register to which an instruction adds (xor) others.
func sumOf(i ir.Inst) (r ir.Reg, ok bool) {
	from := 2
	switch m := i.Form.Mnemonic; {
	case m == "vpternlogq" && i.Args[3].Imm == 0x96:
		from = 1
	case m == "eor" || m == "eor3" || m == "vpxorq" || m == "vpxor":
		if i.Args[0].Reg != i.Args[1].Reg {
			return r, false
		}
	default:
		return r, false
	}
	r = i.Args[0].Reg
	for _, a := range i.Args[from:] {
		if a.Kind == ir.Register && a.Reg == r || a.Masked() {
			return r, false
		}
	}
	return r, true
}

// isConstant recognises the forms that set a register to a known value.
func isConstant(i ir.Inst) bool {
	reads, writes := flowing(i)
	return i.Form.Flow == ir.Next && len(reads) == 0 && len(writes) > 0 && len(i.Uses().Cells) == 0
}

// lastWrite reports whether nothing but the return follows that reads what an
// instruction writes.
func (t *trial) lastWrite(n int) bool {
	r := t.p.Code[n].Args[0].Reg
	for _, i := range t.p.Code[n+1:] {
		if i.Form == nil || i.Form.Flow == ir.Jump || i.Form.Flow == ir.Branch {
			return false
		}
		if reads, _ := flowing(i); slices.Contains(reads, r) {
			return false
		}
		if i.Form.Flow == ir.Return {
			return true
		}
	}
	return false
}

// noCarry lists conditions that are the same where the carry flag is clear.
var noCarry = map[string]string{"je": "jbe", "jbe": "je", "jne": "ja", "ja": "jne", "cmove": "cmovbe", "cmovne": "cmova"}

// clearsCarry recognises the forms that clear the carry flag.
func clearsCarry(i ir.Inst) bool {
	return i.Form != nil && slices.Contains([]string{"test", "and", "xor"}, i.Form.Mnemonic)
}

// stem returns what is common to the mnemonics of forms that do the same whatever
// their elements, if it is one of those.
func stem(i ir.Inst) string {
	for _, s := range []string{"vmovdqu", "vpxor"} {
		if strings.HasPrefix(i.Form.Mnemonic, s) && !slices.ContainsFunc(i.Args, ir.Operand.Masked) {
			return s
		}
	}
	return ""
}
