// SPDX-License-Identifier: ISC

package prove

import (
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/amd64"
	"github.com/stitchgcm/gcm/internal/arm64"
	"github.com/stitchgcm/gcm/internal/ir"
	"github.com/stitchgcm/gcm/internal/kernels"
)

// TestMutants tries a few mutants of each kernel; cmd/prove-mutants tries more.
func TestMutants(t *testing.T) {
	for _, ps := range kernels.All() {
		kernel := ps[0].Contract.Kernel
		if cases[kernel] == nil {
			continue
		}
		refused, mutants := 0, 0
		ops := len(ps) / 3
		for k, p := range ps {
			if k/ops != k%ops%3 { // one program of each operation, sizes taking turns
				continue
			}
			tr, err := newTrial(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range pick(mutate(p), 20, float64(k)/float64(len(ps))) {
				mutants++
				w := newWatched(m.build())
				if v := tr.scouting(m, w, cases[kernel](w.p)); v.err != nil {
					refused++
				} else if _, listed := lookUp(kernel, m); !listed && tr.reason(m) == "" {
					if tr.try(m).err == nil {
						t.Errorf("a mutant survives: %v", m)
					}
				}
			}
		}
		if refused < mutants*4/5 {
			t.Errorf("%s: only %d of %d mutants are refused", kernel, refused, mutants)
		}
	}
}

// TestMutate finds every kind of change in some program, and that none reads
// like the original.
func TestMutate(t *testing.T) {
	for _, ps := range kernels.All() {
		made := map[string]int{}
		for _, p := range ps {
			for kind, ms := range mutate(p) {
				made[kind] += len(ms)
				for _, m := range ms {
					if strings.HasSuffix(strings.Split(m.Where, " (")[0], strings.TrimPrefix(m.Change, "becomes ")) {
						t.Errorf("%v changes nothing", m)
					}
				}
			}
		}
		for _, k := range Kinds {
			kernel := ps[0].Contract.Kernel
			possible := true
			switch arm := ps[0].ISA == arm64.ISA; k {
			case "lane":
				possible = arm
			case "constant":
				possible = !arm
			case "mask":
				possible = kernel == "vaes-avx512"
			}
			if made[k] == 0 && possible {
				t.Errorf("%s: no mutant of kind %s", kernel, k)
			}
		}
	}
}

// TestLive checks the analysis behind the rule for what is never read.
func TestLive(t *testing.T) {
	p := kernels.VaesAVX512()[1]
	after := live(p)
	call := p.ISA.Call
	if !after[0][call.SP] || !after[0][call.Args[0]] {
		t.Error("the stack pointer or the first argument is dead at the entry")
	}
	for n, i := range p.Code {
		if i.Form != nil && i.Form.Flow == ir.Return && (!after[n][call.Result] || after[n][amd64.ZF]) {
			t.Error("at the return flags matter, or a register does not")
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"abc", "abc", true}, {"abc", "ab", false}, {"abc", "a*", true}, {"abc", "*c", true}, {"abc", "*b", false},
		{"abcabd", "*ab*d", true}, {"", "*", true}, {"abc", "a*x*c", false},
	} {
		if got := fits(c.text, c.pattern); got != c.want {
			t.Errorf("%q fits %q: %v", c.text, c.pattern, got)
		}
	}
}
