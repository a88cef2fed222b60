// SPDX-License-Identifier: ISC

//go:build go1.26

package gcm

import (
	"crypto/fips140"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFIPSExemptChild is no test: it makes AEADs where enforcement is off, and
// where it is on.
func TestFIPSExemptChild(t *testing.T) {
	if os.Getenv("GCM_TEST_CHILD") == "" {
		t.Skip("runs only as a child of TestFIPSExempt")
	}
	key := make([]byte, 32)
	for _, kernel := range Kernels() {
		fips140.WithoutEnforcement(func() {
			a, err := NewWithOptions(key, Options{Kernel: kernel})
			if err == nil {
				a.NewSealer(make([]byte, 12), nil).Tag(nil)
				newXAES(a).Seal(nil, make([]byte, 24), nil, nil)
			}
			fmt.Printf("%s: %v\n", kernel, err)
		})
	}
	_, err := New(key)
	fmt.Printf("outside: %v\n", err)
}

// TestFIPSExempt checks that fips140.WithoutEnforcement lets everything be made.
func TestFIPSExempt(t *testing.T) {
	got := childOf(t, "TestFIPSExemptChild", "GODEBUG=fips140=only")
	for _, kernel := range Kernels() {
		if !strings.Contains("\n"+got, "\n"+kernel+": <nil>\n") {
			t.Errorf("kernel %s cannot be made:\n%s", kernel, got)
		}
	}
	if !strings.Contains(got, "outside: "+errFIPS.Error()) {
		t.Errorf("New is not refused outside:\n%s", got)
	}
}
