// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"crypto/cipher"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestSoak works for a second, and wants operations of every kernel through every
// door, and no failure.
func TestSoak(t *testing.T) {
	s, err := newSoak(16, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.round = 100 * time.Millisecond
	w, err := s.work(time.Now().Add(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.failures.Load(); n > 0 {
		t.Errorf("%d failures", n)
	}
	if w.collections == 0 {
		t.Error("no garbage was collected")
	}
	for k, doors := range s.tallies() {
		for d, n := range doors {
			there := dispatch.Door(d) == dispatch.Direct ||
				s.kernels[k] != dispatch.Generic && (dispatch.Door(d) != dispatch.Cgo || cshim.Linked)
			if done := n.sealed > 0 && n.opened > 0 && n.refused > 0; done != there {
				t.Errorf("kernel %s, door %s: %+v", s.kernels[k], dispatch.Doors[d], n)
			}
		}
	}
	var out bytes.Buffer
	s.print(&out)
	for _, want := range append(s.kernels, " operations, 0 failures\n") {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &out)
		}
	}
}

// liar is crypto/cipher with a fault: a wrong tag for some lengths.
type liar struct{ cipher.AEAD }

func (l liar) Seal(dst, nonce, text, aad []byte) []byte {
	out := l.AEAD.Seal(dst, nonce, text, aad)
	if len(text)%16 == 5 {
		out[len(text)] ^= 1
	}
	return out
}

// TestPlanted gives one key a fault and wants every form of a message to notice.
func TestPlanted(t *testing.T) {
	s, err := newSoak(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	subject := *s.subjects[0].Load()
	subject.std = liar{subject.std}
	w := s.workers[0]
	for _, f := range forms {
		for n := range 32 {
			m := message{subject: &subject, nonce: make([]byte, subject.aead.NonceSize()), text: w.bytes(n)}
			m.want = subject.std.Seal(nil, m.nonce, m.text, nil)
			failures := 0
			f.run(w, m, func(string) { failures++ })
			if (failures > 0) != (n%16 == 5) {
				t.Errorf("%s, text of %d bytes: %d failures", f.name, n, failures)
			}
		}
	}
}

// TestWrong checks what wrong arguments are told.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		total      time.Duration
		goroutines int
		want       string
	}{
		{time.Second, 0, "0 goroutines are too few"},
		{-time.Second, 1, "a time of -1s is too short"},
	} {
		if err := run(io.Discard, c.total, c.goroutines, 1); err == nil || err.Error() != c.want {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
