// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/internal/ir"
)

// A Mutant is a program with one change.
type Mutant struct {
	Program string    // name of the program
	Kind    string    // of the change, one of Kinds
	Where   string    // instruction, origin and which of several that read alike
	Change  string    // in words
	at      []int     // instructions of the original that it concerns
	now     []ir.Inst // what stands there instead, of a constant nothing
	build   func() *ir.Program
}

// String names the mutant, in reports and in the table of equivalents.
func (m *Mutant) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", m.Program, m.Kind, m.Where, m.Change)
}

// Kinds are the kinds of change, in the order of reports.
var Kinds = []string{"register", "swap", "mnemonic", "immediate", "lane", "address", "base", "mask",
	"order", "missing", "condition", "target", "constant"}

// A mutator makes the mutants of one program.
type mutator struct {
	p      *ir.Program
	where  []string // of each instruction
	labels []string
	bases  []ir.Mem             // one address for each space and base register
	all    map[string][]*Mutant // by kind, in the order of the code
}

// mutate lists all mutants of a program, some thousands.
func mutate(p *ir.Program) map[string][]*Mutant {
	mu := &mutator{p: p, where: make([]string, len(p.Code)), all: map[string][]*Mutant{}}
	seen := map[string]int{}
	for n, i := range p.Code {
		if i.Form == nil {
			mu.labels = append(mu.labels, i.Label)
			continue
		}
		w := fmt.Sprintf("%s (%s)", instruction(p, i), i.Origin)
		seen[w]++
		mu.where[n] = fmt.Sprintf("%s #%d", w, seen[w])
		for _, a := range i.Args {
			if a.Kind == ir.Memory && a.Mem.Base.Bank != nil && a.Mem.Base != p.ISA.Call.SP &&
				!slices.ContainsFunc(mu.bases, func(m ir.Mem) bool { return m.Space == a.Mem.Space && m.Base == a.Mem.Base }) {
				mu.bases = append(mu.bases, a.Mem)
			}
		}
	}
	for n, i := range p.Code {
		if i.Form != nil && !i.Form.Hint { // every change of a hint is equivalent
			mu.instruction(n)
		}
	}
	for d := range p.Data {
		mu.constant(d)
	}
	return mu.all
}

// add adds a mutant with other code in the place of the neighbours at.
func (mu *mutator) add(kind, change string, now []ir.Inst, at ...int) {
	p := mu.p
	mu.all[kind] = append(mu.all[kind], &Mutant{Program: p.Name, Kind: kind, Where: mu.where[at[0]], Change: change,
		at: at, now: now, build: func() *ir.Program {
			q := *p
			q.Code = slices.Concat(p.Code[:at[0]], now, p.Code[at[0]+len(at):])
			return &q
		}})
}

// change adds a mutant of instruction n that f makes, unless it reads like the
// one before.
func (mu *mutator) change(kind string, n int, f func(j *ir.Inst)) {
	j := copyInst(mu.p.Code[n])
	f(&j)
	text := "becomes " + instruction(mu.p, j)
	if all := mu.all[kind]; len(all) > 0 && all[len(all)-1].at[0] == n && all[len(all)-1].Change == text {
		return
	}
	mu.add(kind, text, []ir.Inst{j}, n)
}

// constant adds mutants in which a bit of a constant differs: one of the lowest
// two of a byte, since indices of vpshufb and tbl have more bits than count.
// They concern the instructions that name the constant.
func (mu *mutator) constant(d int) {
	p := mu.p
	datum := p.Data[d]
	var at []int
	for n, i := range p.Code {
		if slices.ContainsFunc(i.Args, func(a ir.Operand) bool { return a.Mem.Symbol == datum.Name }) {
			at = append(at, n)
		}
	}
	if at == nil {
		return // init needs few of the constants that a kernel's programs share
	}
	for b, x := range datum.Bytes {
		x ^= 1 << (b % 2)
		mu.all["constant"] = append(mu.all["constant"], &Mutant{Program: p.Name, Kind: "constant", Where: datum.Name,
			Change: fmt.Sprintf("byte %d is %#02x", b, x), at: at, build: func() *ir.Program {
				q := *p
				q.Data = slices.Clone(p.Data)
				q.Data[d].Bytes = slices.Clone(datum.Bytes)
				q.Data[d].Bytes[b] = x
				return &q
			}})
	}
}

// instruction writes an instruction as the assembler reads it.
func instruction(p *ir.Program, i ir.Inst) string {
	var args []string
	for _, a := range i.Args {
		args = append(args, strings.TrimPrefix(p.ISA.Text(a, p), ".L"+p.Name+"_"))
	}
	return strings.TrimSpace(i.Form.Mnemonic + " " + strings.Join(args, ", "))
}

// instruction adds the mutants of instruction n.
func (mu *mutator) instruction(n int) {
	i := mu.p.Code[n]
	mu.add("missing", "is missing", nil, n)
	if next := n + 1; next < len(mu.p.Code) && mu.p.Code[next].Form != nil && len(shared(i, mu.p.Code[next])) > 0 {
		mu.add("order", "comes after the next", []ir.Inst{mu.p.Code[next], i}, n, next)
	}
	for k := range i.Args {
		mu.operand(n, k)
	}
	for _, f := range mu.likeForms(i) {
		kind := "mnemonic"
		if f.Mnemonic == inverse[i.Form.Mnemonic] {
			kind = "condition"
		}
		mu.change(kind, n, func(j *ir.Inst) { j.Form = f })
	}
	if k, ok := swappable(i); ok {
		mu.change("swap", n, func(j *ir.Inst) { j.Args[k], j.Args[k+1] = j.Args[k+1], j.Args[k] })
	}
}

// operand adds the mutants of instruction n whose operand k differs.
func (mu *mutator) operand(n, k int) {
	i := mu.p.Code[n]
	a := i.Args[k]
	change := func(kind string, f func(o *ir.Operand)) {
		mu.change(kind, n, func(j *ir.Inst) { f(&j.Args[k]) })
	}
	switch a.Kind {
	case ir.Register:
		if a.Reg.Bank.Count > 1 && !strings.HasPrefix(a.Class, "{16b") && a.Class != "16b}" {
			for _, by := range []int{1, 1 + (5*n+3*k)%(a.Reg.Bank.Count-1)} {
				change("register", func(o *ir.Operand) { o.Reg.Num = (o.Reg.Num + by) % o.Reg.Bank.Count })
			}
		}
		if strings.HasSuffix(a.Class, "[]") {
			change("lane", func(o *ir.Operand) { o.Lane ^= 1 })
		}
	case ir.Immediate:
		if a.Class != "imm" && a.Class != "lsl" {
			if c, ok := inverse[a.Class]; ok {
				j := copyInst(i)
				j.Args[k].Class = c
				if f, err := mu.p.ISA.Find(i.Form.Mnemonic, j.Args); err == nil {
					mu.change("condition", n, func(j *ir.Inst) { j.Form, j.Args[k].Class = f, c })
				}
			}
			break
		}
		for _, x := range immediates(i, a) {
			change("immediate", func(o *ir.Operand) { o.Imm = x })
		}
	case ir.Memory:
		size := int64(max(a.Width/8, 8))
		for _, by := range []int64{size, -size, 1} {
			change("address", func(o *ir.Operand) {
				if o.Mem.Step != 0 {
					o.Mem.Step += by
				} else {
					o.Mem.Disp += by
				}
			})
		}
		for _, d := range mu.p.Data {
			if a.Mem.Symbol != "" && d.Name != a.Mem.Symbol {
				change("base", func(o *ir.Operand) { o.Mem.Symbol = d.Name })
			}
		}
		for _, m := range mu.bases {
			if m.Space == a.Mem.Space && a.Mem.Base.Bank != nil && m.Base != a.Mem.Base {
				change("base", func(o *ir.Operand) { o.Mem.Base = m.Base })
			}
		}
	case ir.Target:
		for d, l := range mu.labels {
			if l != a.Label && (d+n)%4 == 0 {
				change("target", func(o *ir.Operand) { o.Label = l })
			}
		}
	}
	if a.Masked() {
		change("mask", func(o *ir.Operand) { o.Mask = ir.Reg{} })
		for by := 1; by < a.Mask.Bank.Count; by += 3 {
			num := (a.Mask.Num + by) % a.Mask.Bank.Count
			if num != 0 { // k0 is no mask
				change("mask", func(o *ir.Operand) { o.Mask.Num = num })
			}
		}
		if a.Kind == ir.Register {
			change("mask", func(o *ir.Operand) { o.Zero = !o.Zero })
		}
	}
}

// limits are the greatest immediates of forms that take only a few.
var limits = map[string]int64{"vextracti32x4": 3, "vextracti64x4": 1, "vpinsrq": 1, "vpinsrd": 3, "ext": 15,
	"vpsllq": 63, "vpsrlq": 63, "vpsrad": 31, "vpslldq": 15, "vpsrldq": 15, "vpextrb": 15, "vpextrw": 7, "vpextrd": 3, "vpextrq": 1,
	"vpinsrb": 15, "vpinsrw": 7, "vinserti128": 1, "vextracti128": 1, "vpternlogq": 255, "vpshufd": 255, "vshufi64x2": 255,
	"shl": 31, "shr": 31, "lsl": 31, "lsr": 31, "ushr": 63, "sshr": 63, "movi": 255, "tbz": 63}

// immediates returns others that the form takes.
func immediates(i ir.Inst, a ir.Operand) []int64 {
	x := a.Imm
	switch {
	case a.Class == "lsl":
		return []int64{(x + 16) % 64}
	case strings.HasPrefix(i.Form.Mnemonic, "vpclmul"): // other bits of it have no meaning
		return []int64{x ^ 1, x ^ 16}
	case i.Form.Mnemonic == "movi" && i.Args[0].Class == "2d": // each byte 0 or 255
		return []int64{^x, x ^ 255}
	}
	top := int64(1)
	for top<<1 <= x {
		top <<= 1
	}
	var out []int64
	for _, y := range []int64{x ^ 1, x + 1, x ^ 2, x ^ 16, x &^ top} {
		most, limited := limits[i.Form.Mnemonic]
		if limited && (y > most || y < 0) || y == x || slices.Contains(out, y) || strings.Contains(i.Form.Mnemonic, "sh") && y == 0 {
			continue
		}
		out = append(out, y)
	}
	return out
}

// inverse turns conditions round.
var inverse = map[string]string{"je": "jne", "jne": "je", "jb": "jae", "jae": "jb", "ja": "jbe", "jbe": "ja",
	"cmove": "cmovne", "cmovne": "cmove", "cmovb": "cmovae", "cmovae": "cmovb", "cmovbe": "cmova", "cmova": "cmovbe",
	"b.eq": "b.ne", "b.ne": "b.eq", "b.hs": "b.lo", "b.lo": "b.hs", "b.hi": "b.lo", "cbz": "cbnz", "cbnz": "cbz",
	"eq": "ne", "ne": "eq", "hs": "lo", "lo": "hs", "hi": "lo"}

// vex forms do not reach all registers.
var vex = map[string]bool{"vpxor": true, "vptest": true}

// likeForms returns the other forms that take the same operands.
func (mu *mutator) likeForms(i ir.Inst) (out []*ir.Form) {
	for _, f := range mu.p.ISA.Forms {
		if vex[f.Mnemonic] || f.Mnemonic == i.Form.Mnemonic || f.Flow != i.Form.Flow || f.Flow == ir.Return || len(i.Args) == 0 {
			continue
		}
		if g, err := mu.p.ISA.Find(f.Mnemonic, i.Args); err == nil && g == f &&
			slices.EqualFunc(f.Slots, i.Form.Slots, func(a, b ir.Slot) bool { return a.Access == b.Access }) {
			out = append(out, f)
		}
	}
	return out
}

// commutative forms do not change when their sources change places.
var commutative = strings.Fields("xor and test add vpxor vpxorq vpand vpaddd eor eor3 orr pmull pmull2")

// swappable finds two neighbouring registers of the same class and use whose
// order matters.
func swappable(i ir.Inst) (k int, ok bool) {
	m := i.Form.Mnemonic
	last := i.Args
	if len(last) > 0 && last[len(last)-1].Kind == ir.Immediate {
		imm := last[len(last)-1].Imm
		if m == "vpternlogq" && imm == 0x96 || m == "vpclmulqdq" && (imm == 0 || imm == 17) {
			return 0, false
		}
	}
	if slices.Contains(commutative, m) {
		return 0, false
	}
	for k := range max(len(i.Args)-1, 0) {
		a, b := i.Args[k], i.Args[k+1]
		if a.Kind == ir.Register && b.Kind == ir.Register && a.Class == b.Class && a.Reg != b.Reg &&
			i.Form.Slots[k].Access == i.Form.Slots[k+1].Access {
			return k, true
		}
	}
	return 0, false
}

func copyInst(i ir.Inst) ir.Inst {
	i.Args = slices.Clone(i.Args)
	return i
}

// pick chooses n of the mutants of a program, evenly over kinds and, within a
// kind, over the code. Kinds with few candidates leave their share to others.
// phase, from 0 to 1, shifts the choice, so that programs which are much alike
// have others of their instructions changed.
func pick(all map[string][]*Mutant, n int, phase float64) (out []*Mutant) {
	share := map[string]int{}
	for left := n; left > 0; {
		before := left
		for _, k := range Kinds {
			if left > 0 && share[k] < len(all[k]) {
				share[k]++
				left--
			}
		}
		if left == before {
			break
		}
	}
	for _, k := range Kinds {
		for j := range share[k] {
			at := int((float64(j) + phase) * float64(len(all[k])) / float64(share[k]))
			out = append(out, all[k][min(at, len(all[k])-1)])
		}
	}
	return out
}
