// SPDX-License-Identifier: ISC

package limit

import (
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	for _, kernel := range []string{"vaes-avx512", "vaes-avx2", "aesni", "eor3", "pmull"} {
		aes, clmul, ok := Measure(kernel, 4*time.Millisecond)
		if !ok {
			t.Logf("%s: nothing to measure here", kernel)
			continue
		}
		t.Logf("%s: %.4f ns a round and block, %.4f ns a multiply and block", kernel, aes, clmul)
		// Nothing computes a round of a block in a picosecond, nor, emulated
		// or not, takes longer than 100 µs over it.
		for _, ns := range []float64{aes, clmul} {
			if ns < 0.001 || ns > 100_000 {
				t.Errorf("%s: %g ns is out of reason", kernel, ns)
			}
		}
	}
	if _, _, ok := Measure("generic", time.Millisecond); ok {
		t.Error("generic has no port limit, yet Measure returned one")
	}
}

func TestNsPerBlock(t *testing.T) {
	for _, c := range []struct {
		aes, clmul float64
		bits       int
		want       float64
	}{
		{1, 1, 128, 10}, {1, 1, 192, 12}, {1, 1, 256, 14}, {0.25, 1, 128, 3}, {0.25, 1, 256, 3.5},
	} {
		if got := NsPerBlock(c.aes, c.clmul, c.bits); got != c.want {
			t.Errorf("NsPerBlock(%g, %g, %d) = %g, want %g", c.aes, c.clmul, c.bits, got, c.want)
		}
	}
}
