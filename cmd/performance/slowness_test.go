// SPDX-License-Identifier: ISC

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/record"
)

// tolerance is how much slower a time may be than another that it should not
// exceed: times differ from run to run.
const tolerance = 1.25

// A result is what a file of docs/results holds.
type result struct {
	path   string
	rows   []record.Row
	sweeps []record.Sweep
}

// results reads all files of docs/results with a name.
func results(t *testing.T, name string) (all []result) {
	t.Helper()
	paths, err := filepath.Glob("../../docs/results/*/" + name)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rows, sweeps, err := record.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, result{path, rows, sweeps})
	}
	return all
}

// TestWideIsNotSlower checks in what was timed that no kernel is slower than
// crypto/cipher, nor a wide one than a narrow one, at any size of a message.
func TestWideIsNotSlower(t *testing.T) {
	rank := func(kernel string) int {
		return slices.IndexFunc(dispatch.Kernels, func(k dispatch.Kernel) bool { return k.Name == kernel })
	}
	for _, result := range results(t, "sizes.jsonl") {
		for _, wide := range result.rows {
			if wide.Impl != record.GCM || wide.Kernel == dispatch.Generic || wide.Door != "" {
				continue
			}
			for _, r := range result.rows {
				rival := r.Impl == record.Stdlib || r.Impl == record.GCM && r.Door == "" && rank(r.Kernel) > rank(wide.Kernel)
				if rival && r.Op == wide.Op && r.Bits == wide.Bits && r.Size == wide.Size && wide.NS > tolerance*r.NS {
					t.Errorf("%s: kernel %s takes %v ns to %s %d bytes, %s %s only %v",
						result.path, wide.Kernel, wide.NS, wide.Op, wide.Size, r.Impl, r.Kernel, r.NS)
				}
			}
		}
	}
}

// TestLongerIsNotFaster checks in what was timed that no length just below a
// threshold is slower than one up to 64 bytes above it.
func TestLongerIsNotFaster(t *testing.T) {
	for _, result := range results(t, "every-size.jsonl") {
		for _, s := range result.sweeps {
			if s.Impl != record.GCM {
				continue
			}
			for i, ns := range s.NSEach {
				later := s.NSEach[i:min(len(s.NSEach), i+65)]
				if fastest := slices.Min(later); ns > tolerance*fastest {
					t.Errorf("%s: kernel %s takes %v ns to %s %d bytes, but %v for a few more",
						result.path, s.Kernel, ns, s.Op, s.From+i, fastest)
				}
			}
		}
	}
}
