// SPDX-License-Identifier: ISC

package consumers

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// racing seals or opens in one goroutine and touches a byte of one of the
// slices in another, without any order between them.
const racing = `package main

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"github.com/stitchgcm/gcm"
)

func main() {
	op, victim, write := os.Args[1], os.Args[2], os.Args[3] == "write"
	size, _ := strconv.Atoi(os.Args[4])
	a, err := gcm.New(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	nonce, aad, in, out := make([]byte, 12), make([]byte, 20), make([]byte, size), make([]byte, size+16)
	batch := func() []gcm.Packet { // the packet, and three others with memory of their own
		p := []gcm.Packet{{Dst: out[:0], Nonce: nonce, Text: in, AAD: aad}}
		for range 3 {
			p = append(p, gcm.Packet{Nonce: make([]byte, 12), Text: make([]byte, len(in)), AAD: make([]byte, 20)})
		}
		return p
	}
	call := func() { a.Seal(out[:0], nonce, in, aad) }
	var p []gcm.Packet
	if op == "seal a batch" {
		p = batch()
		call = func() { a.SealBatch(p) }
	}
	if op == "open" || op == "open a batch" {
		sealed := a.Seal(nil, nonce, in, aad)
		in = sealed
		call = func() {
			if _, err := a.Open(out[:0], nonce, sealed, aad); err != nil {
				panic(err)
			}
		}
		if op == "open a batch" {
			p = batch()
			call = func() {
				if a.OpenBatch(p); p[0].Err != nil {
					panic(p[0].Err)
				}
			}
		}
	}
	touched := map[string][]byte{"nonce": nonce, "AAD": aad, "input": in, "output": out[:size], "none": make([]byte, 1)}[victim]
	if victim == "Dst" { // to the detector a slice is its first byte
		touched = unsafe.Slice((*byte)(unsafe.Pointer(&p[0].Dst)), 1)
	}
	done := make(chan bool)
	go func() {
		call()
		close(done)
	}()
	last := &touched[len(touched)-1]
	if write {
		*last = *last ^ 0
	} else {
		fmt.Fprintln(os.Stderr, "read", *last)
	}
	<-done
}
`

// TestRacesAreReported plants races on each slice that Seal and Open get, and
// wants the race detector to report each, and none where there is none: short
// messages, long ones and such as go in pieces, on the best kernel and on generic.
func TestRacesAreReported(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	c := newConsumer(t)
	c.write("main.go", racing)
	c.env = append(c.env, "CGO_ENABLED=1")
	if out, err := c.command("go", "build", "-race", "-o", "out", ".").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "-race is not supported") || strings.Contains(string(out), "-race requires cgo") {
			t.Skip("no race detector here")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	for _, kernel := range []string{"", "generic"} {
		for _, size := range []int{100, 40000, 200000} {
			for _, op := range []string{"seal", "open", "seal a batch", "open a batch"} {
				for _, v := range []struct{ name, touch, want string }{
					{"nonce", "write", "read"}, {"AAD", "write", "read"}, {"input", "write", "read"},
					{"output", "write", "write"}, {"output", "read", "write"},
					{"nonce", "read", ""}, {"AAD", "read", ""}, {"input", "read", ""}, {"none", "write", ""},
					{"Dst", "read", "write"},
				} {
					if v.name == "Dst" && !strings.HasSuffix(op, "batch") {
						continue // which the call writes only in a packet
					}
					name := fmt.Sprintf("kernel %q, %s of %d bytes, %s of %s", kernel, op, size, v.touch, v.name)
					var out []byte
					var err error
					right := false
					for range 3 { // the detector forgets what a goroutine did that ended long ago
						cmd := c.command("./out", op, v.name, v.touch, fmt.Sprint(size))
						cmd.Env = append(cmd.Env, "GCM_KERNEL="+kernel, "GORACE=atexit_sleep_ms=0")
						out, err = cmd.CombinedOutput()
						if v.want == "" {
							right = err == nil
							break
						}
						var exit *exec.ExitError
						right = errors.As(err, &exit) && strings.Contains(string(out), "WARNING: DATA RACE") &&
							strings.Contains(string(out), "github.com/stitchgcm/gcm.(*AEAD)")
						if right {
							break
						}
					}
					if !right {
						t.Errorf("%s: wanted is a report of a race with a %q by the call: %v\n%s", name, v.want, err, out)
					}
				}
			}
		}
	}
}
