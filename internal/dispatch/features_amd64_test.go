// SPDX-License-Identifier: ISC

package dispatch

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// TestHidden checks which settings hide VAES and VPCLMULQDQ.
func TestHidden(t *testing.T) {
	for _, c := range []struct {
		godebug string
		hidden  bool
	}{
		{"", false},
		{"cpu.vaes=off", true},
		{"cpu.avx512vaes=off", true},
		{"cpu.all=off", true},
		{"cpu.vaes=on", false},
		{"cpu.all=off,cpu.vaes=on", false},
		{"cpu.vaes=off,cpu.vaes=on", false},
		{"cpu.vaes=off,cpu.vaes=yes", true},
		{"gctrace=1,cpu.vaes=off,http2debug=1", true},
		{"cpu.vpclmulqdq=off", false},
		{"cpu.vaes", false},
		{"vaes=off", false},
	} {
		if got := hidden(c.godebug, "vaes", "avx512vaes"); got != c.hidden {
			t.Errorf("GODEBUG=%s: hidden %v, want %v", c.godebug, got, c.hidden)
		}
	}
}

// TestWideCrypto compares the two bits read here with what package cpu says of
// them where it knows them: beside AVX-512.
func TestWideCrypto(t *testing.T) {
	vaes, vpclmulqdq := wideCrypto("")
	if !cpu.X86.HasAVX && (vaes || vpclmulqdq) {
		t.Errorf("VAES %v and VPCLMULQDQ %v without AVX", vaes, vpclmulqdq)
	}
	if cpu.X86.HasAVX512VAES && !vaes || cpu.X86.HasAVX512VPCLMULQDQ && !vpclmulqdq {
		t.Errorf("VAES %v, VPCLMULQDQ %v; package cpu says %v, %v", vaes, vpclmulqdq,
			cpu.X86.HasAVX512VAES, cpu.X86.HasAVX512VPCLMULQDQ)
	}
	if vaes, vpclmulqdq := wideCrypto("cpu.all=off"); vaes || vpclmulqdq {
		t.Errorf("VAES %v, VPCLMULQDQ %v though GODEBUG hides them", vaes, vpclmulqdq)
	}
}
