// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/value"
)

// A proofCase is one run on symbols. A program is proved when all its cases
// pass: each decides one part for all values of everything but what detail
// names.
type proofCase struct {
	part   string // from which label to which, in words
	detail string // what is fixed in this case, such as the length
	run    func() error
}

// cases lists what each kernel's proof consists of.
var cases = map[string]func(p *ir.Program) []proofCase{
	"vaes-avx512": vaesCases,
	"vaes-avx2":   avxCases,
	"aesni":       avxCases,
	"eor3":        armCases,
	"pmull":       armCases,
}

// A Result is the outcome of the proof of one program.
type Result struct {
	Kernel       string   `json:"kernel"`
	Bits         int      `json:"bits"`
	Op           string   `json:"op"`
	Instructions int      `json:"instructions"`
	Cases        int      `json:"cases"`
	Parts        []Part   `json:"parts"`
	Seconds      float64  `json:"seconds"`
	Failures     []string `json:"failures,omitempty"`
}

// A Part tells what the cases of one part of a program cover.
type Part struct {
	Name   string `json:"name"`
	Cases  int    `json:"cases"`
	Covers string `json:"covers"`
}

// Program proves one program, on as many cores as there are. It stops at the
// first failures.
func Program(p *ir.Program) (Result, error) {
	c := p.Contract
	r := Result{Kernel: c.Kernel, Bits: c.Bits, Op: c.Op, Instructions: p.Count()}
	list, ok := cases[c.Kernel]
	if !ok {
		return r, fmt.Errorf("no proof for kernel %s", c.Kernel)
	}
	begin := time.Now()
	todo := append(list(p), proofCase{"the same for Go", "every call", func() error { return simulates(p, p.ForGo()) }})
	r.Cases = len(todo)
	for _, t := range todo {
		i := slices.IndexFunc(r.Parts, func(p Part) bool { return p.Name == t.part })
		if i < 0 {
			r.Parts = append(r.Parts, Part{t.part, 1, t.detail})
			continue
		}
		r.Parts[i].Cases++
		r.Parts[i].Covers = span(r.Parts[i].Covers, t.detail)
	}
	k := &cuts{from: map[string]bool{}, to: map[string]bool{}}
	running.Store(p, k)
	defer running.Delete(p)
	for _, f := range failures(todo, 3) {
		r.Failures = append(r.Failures, f.Error())
	}
	if len(r.Failures) == 0 {
		if err := k.joined(); err != nil {
			r.Failures = append(r.Failures, err.Error())
		}
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// Covers says in words which inputs the cases together decide.
func (r Result) Covers() string {
	switch r.Op {
	case "init":
		return "every key"
	case "seal_turns", "open_turns":
		return "every text of one turn or more, every Xi and counter block that begins a turn"
	case "seal_fours", "open_fours":
		return "every text from 0 to 2^36-32 bytes, every AAD up to 64 bytes and nonce of 12"
	}
	return "every text from 0 to 2^36-32 bytes, every AAD and nonce"
}

// Lemma decides what the meaning of products rests on; see checkProduct.
func Lemma() error { return checkProduct() }

// span joins the first and the last detail of a part.
func span(covers, last string) string {
	first, _, _ := strings.Cut(covers, " to ... to ")
	return first + " to ... to " + last
}

// failures runs cases and returns the first errors, at most limit of them.
func failures(todo []proofCase, limit int) (errs []error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := 0
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= len(todo) || len(errs) >= limit
				mu.Unlock()
				if stop {
					return
				}
				if err := attempt(todo[i]); err != nil {
					mu.Lock()
					errs = append(errs, fmt.Errorf("%s (%s): %w", todo[i].part, todo[i].detail, err))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return errs
}

// attempt runs a case; what has no normal form is an error like any other.
func attempt(c proofCase) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case unprovable:
			err = e.error
		case error:
			err = fmt.Errorf("internal: %w", e)
		default:
			err = fmt.Errorf("internal: %v", e)
		}
	}()
	return c.run()
}

// number returns a known 64-bit number.
func number(n int) value.Value { return value.FromUint64(uint64(n)) }

// vaesCases lists the cases of a program of vaes-avx512.
func vaesCases(p *ir.Program) (list []proofCase) {
	if p.Contract.Op == "seal_fours" || p.Contract.Op == "open_fours" {
		return foursCases(p)
	}
	add := func(part, detail string, run func() error) { list = append(list, proofCase{part, detail, run}) }
	if p.Contract.Op == "init" {
		add("key schedule and H", "every key", func() error { return vaesScheduleCase(p) })
		add("H times x^-1", "every H", func() error { return vaesHalveCase(p) })
		add("powers of H", "every H", func() error { return vaesPowersCase(p) })
		return list
	}
	if !p.Contract.Whole() {
		return vaesTurnsCases(p)
	}
	for n := 1; n <= 64; n++ {
		if n != 12 {
			add("entry to J0", fmt.Sprintf("nonce of %d bytes", n), func() error { return vaesNonceCase(p, number(n), nil, nil) })
		}
	}
	add("entry to J0", "nonce of more", func() error { return vaesNonceCase(p, Count{Min: 65}, nil, nil) })
	for _, l := range []struct {
		what      string
		text, aad value.Value
	}{
		{fmt.Sprintf("%d bytes of text and more", briefTextMax+1), Count{Of: "text", Min: briefTextMax + 1}, nil},
		{fmt.Sprintf("%d bytes of text, %d of AAD and more", briefTextMax, briefAADMax+1), number(briefTextMax), Count{Of: "AAD", Min: briefAADMax + 1}},
		{fmt.Sprintf("less text, %d bytes of AAD and more", briefAADMax+1), Count{Of: "text", Max: briefTextMax - 1}, Count{Of: "AAD", Min: briefAADMax + 1}},
	} {
		add("entry to J0, nonce of 12 bytes", l.what, func() error { return vaesNonceCase(p, number(12), l.text, l.aad) })
	}
	for _, text := range []value.Value{Count{Of: "text", Max: briefTextMax - 1}, number(briefTextMax)} {
		for _, aad := range []value.Value{Count{Of: "AAD", Max: briefAADMax - 1}, number(briefAADMax)} {
			add("brief: entry, J0", "every length", func() error { return vaesBriefEntryCase(p, text, aad) })
		}
	}
	for blocks := 0; 16*blocks <= briefTextMax; blocks++ {
		for _, full := range []bool{false, true} {
			for n := 0; n <= briefAADMax && (full || blocks > 0); n++ {
				add("brief: AAD and length", fmt.Sprintf("%d blocks of text, the last full: %v, %d bytes of AAD", blocks, full, n),
					func() error { return vaesBriefCase(p, n, blocks, full) })
			}
		}
	}
	for n := 0; n <= briefTextMax; n++ {
		add("brief: text", fmt.Sprintf("%d bytes", n), func() error { return vaesBriefTextCase(p, n) })
	}
	for n := 4; n <= 16; n++ {
		if p.Contract.Op == "seal" {
			add("brief: tag", fmt.Sprintf("%d bytes", n), func() error { return vaesBriefSealCase(p, n) })
			continue
		}
		add("brief: right tag", fmt.Sprintf("%d bytes", n), func() error { return vaesBriefOpenCase(p, n, 100, true) })
		add("brief: wrong tag", fmt.Sprintf("%d bytes", n), func() error { return vaesBriefOpenCase(p, n, 100, false) })
	}
	for n := 0; n <= briefTextMax && p.Contract.Op == "open"; n++ {
		add("brief: wrong tag, clearing", fmt.Sprintf("%d bytes of text", n), func() error { return vaesBriefOpenCase(p, 16, n, false) })
	}
	for k := 1; k <= vaesRun/64; k++ {
		add("nonce to its last 64 bytes", fmt.Sprintf("%d to %d bytes left", 64*k+1, 64*k+63), func() error { return vaesNoncePartCase(p, k, false) })
		add("nonce to its last 64 bytes", fmt.Sprintf("%d bytes left", 64*k+64), func() error { return vaesNoncePartCase(p, k, true) })
	}
	add("nonce to its last 64 bytes", "more left, a part at a time", func() error { return vaesNoncePartCase(p, 0, false) })
	for n := 1; n <= 64; n++ {
		add("last of the nonce to J0", fmt.Sprintf("%d bytes", n), func() error { return vaesNonceLastCase(p, n) })
	}
	for n := 0; n <= 64; n++ {
		add("J0 to text", fmt.Sprintf("AAD of %d bytes", n), func() error { return vaesAADCase(p, number(n)) })
	}
	add("J0 to text", "AAD of more", func() error { return vaesAADCase(p, Count{Min: 65}) })
	for k := 1; k <= vaesRun/64; k++ {
		add("AAD to its last 64 bytes", fmt.Sprintf("%d to %d bytes left", 64*k+1, 64*k+63), func() error { return vaesAADPartCase(p, k, false) })
		add("AAD to its last 64 bytes", fmt.Sprintf("%d bytes left", 64*k+64), func() error { return vaesAADPartCase(p, k, true) })
	}
	add("AAD to its last 64 bytes", "more left, a part at a time", func() error { return vaesAADPartCase(p, 0, false) })
	for n := 1; n <= 64; n++ {
		add("last of the AAD to text", fmt.Sprintf("%d bytes", n), func() error { return vaesAADLastCase(p, n) })
	}
	for texts := 0; 16*texts <= vaesLeft; texts++ {
		for _, full := range []bool{false, true} {
			if texts == 0 && !full {
				continue
			}
			for lead := range 5 {
				add("leading blocks and length", fmt.Sprintf("%d blocks of text, the last full: %v, %d leading", texts, full, lead),
					func() error { return vaesLeadCase(p, texts, full, lead, false) })
			}
			if 16*texts < vaesRun || !full && 16*texts == vaesRun {
				add("leading lanes and length", fmt.Sprintf("%d blocks of text, the last full: %v", texts, full),
					func() error { return vaesLeadCase(p, texts, full, 4, true) })
			}
		}
	}
	for n := 0; n <= vaesLeft; n++ {
		add("short text", fmt.Sprintf("%d bytes", n), func() error { return vaesShortCase(p, n) })
	}
	for lead := range 5 {
		for n := 1; n < 12; n++ {
			add("64 blocks alone", fmt.Sprintf("nonce of %d bytes, %d blocks leading", n, lead), func() error { return vaesPartCase(p, number(n), lead) })
		}
		add("64 blocks alone", fmt.Sprintf("nonce of 13 bytes and more, %d blocks leading", lead), func() error { return vaesPartCase(p, Count{Min: 13}, lead) })
	}
	for lead := range 5 {
		add("into the bulk loop", fmt.Sprintf("%d bytes and more, %d blocks leading", vaesLeft+1, lead), func() error { return vaesEnterCase(p, lead) })
	}
	add("from turn to turn", "any turn", func() error { return vaesTurnCase(p) })
	add("last turn", "any turn", func() error { return vaesLastTurnCase(p) })
	for n := 4; n <= 16; n++ {
		if p.Contract.Op == "seal" {
			add("tag", fmt.Sprintf("%d bytes", n), func() error { return vaesSealFinishCase(p, n) })
			continue
		}
		add("right tag", fmt.Sprintf("%d bytes", n), func() error { return vaesOpenFinishCase(p, n, 100, true) })
	}
	for n := 4; n <= 16 && p.Contract.Op == "open"; n++ {
		add("wrong tag", fmt.Sprintf("%d bytes", n), func() error { return vaesOpenFinishCase(p, n, 100, false) })
	}
	if p.Contract.Op == "open" {
		for n := range 192 {
			add("wrong tag, clearing", fmt.Sprintf("%d bytes of text", n), func() error { return vaesOpenFinishCase(p, 16, n, false) })
		}
		add("wrong tag, clearing", "64 bytes and more", func() error { return vaesToClearCase(p) })
		add("wrong tag, clearing", "64 bytes of any more", func() error { return vaesClearCase(p) })
	}
	return list
}
