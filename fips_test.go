// SPDX-License-Identifier: ISC

package gcm

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFIPSChild is no test: it prints what the constructors do in the
// environment that TestFIPS gives it.
func TestFIPSChild(t *testing.T) {
	if os.Getenv("GCM_TEST_CHILD") == "" {
		t.Skip("runs only as a child of TestFIPS")
	}
	key := make([]byte, 32)
	_, err := New(key)
	fmt.Printf("New: %v\n", err)
	_, err = NewWithOptions(key, Options{Kernel: "generic"})
	fmt.Printf("NewWithOptions: %v\n", err)
	_, err = NewWithRandomNonce(key)
	fmt.Printf("NewWithRandomNonce: %v\n", err)
	_, err = NewWithCounterNonce(key, make([]byte, 12))
	fmt.Printf("NewWithCounterNonce: %v\n", err)
	_, err = NewXAES(key)
	fmt.Printf("NewXAES: %v\n", err)
}

// TestFIPS checks that everything is refused under fips140=only, and nothing
// under fips140=on, each in a program of its own.
func TestFIPS(t *testing.T) {
	for _, c := range []struct{ mode, want string }{
		{"off", "<nil>"},
		{"on", "<nil>"},
		{"only", "gcm: refused under GODEBUG=fips140=only: this package is not part of the FIPS 140-3 " +
			"Go Cryptographic Module; use crypto/cipher.NewGCMWithRandomNonce"},
	} {
		got := childOf(t, "TestFIPSChild", "GODEBUG=fips140="+c.mode)
		for _, f := range []string{"New", "NewWithOptions", "NewWithRandomNonce", "NewWithCounterNonce", "NewXAES"} {
			if !strings.Contains("\n"+got, "\n"+f+": "+c.want+"\n") {
				t.Errorf("GODEBUG=fips140=%s: want %s: %s, got\n%s", c.mode, f, c.want, got)
			}
		}
	}
}
