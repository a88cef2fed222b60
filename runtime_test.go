// SPDX-License-Identifier: ISC

//go:build unix

package gcm

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// onStack seals and opens memory of its own stack frame, below depth frames.
// Through an AEAD all memory would escape to the heap, as it may be crypto/cipher
// that gets it: so this calls the kernel behind it.
func onStack(block *direct.KeyBlock, depth int, want []byte) bool {
	var frame [600]byte
	if depth > 0 {
		copy(frame[:], want)
		return onStack(block, depth-1, want) && bytes.Equal(frame[:len(want)], want)
	}
	var nonce [12]byte
	copy(nonce[:], pool)
	n := len(want) - 16
	text, tag, aad := frame[:n], frame[n:len(want)], frame[len(frame)-20:]
	copy(text, pool)
	copy(aad, pool)
	seal(block, text, text, aad, nonce[:], tag)
	same := bytes.Equal(frame[:len(want)], want)
	return open(block, text, text, aad, nonce[:], tag) && same && bytes.Equal(text, pool[:n])
}

// TestStacks calls from goroutines whose stacks are small, then deep, and move
// as they grow, and passes memory that lies on them.
func TestStacks(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic {
			return // crypto/cipher looks after its own
		}
		a, std := make1(t, make([]byte, 16), Options{Kernel: kernel}), stdlib(t, make([]byte, 16), 12, 16)
		var wg sync.WaitGroup
		for n := range 500 {
			want := std.Seal(nil, pool[:12], pool[:n], pool[:20])
			wg.Go(func() {
				if !onStack(&a.block, n%40*(n%40), want) {
					t.Errorf("text of %d bytes differs", n)
				}
				if a.hasFours() && n > 0 && !batchOnStack(a, n%40*(n%40), want) {
					t.Errorf("batch of texts of %d bytes differs", n)
				}
			})
		}
		wg.Wait()
	})
}

// batchOnStack seals and opens a batch on its own stack frame, from below depth
// frames, for which that may have to move.
func batchOnStack(a *AEAD, depth int, want []byte) bool {
	var memory [4][600]byte
	var packets [4]Packet
	n := len(want) - 16
	for i := range packets {
		m := memory[i][:]
		copy(m, pool[:12])
		copy(m[12:], pool[:20])
		copy(m[32:], pool[:n])
		packets[i] = Packet{Dst: m[32:32], Nonce: m[:12], Text: m[32:][:n], AAD: m[12:32]}
	}
	runBelow(a, depth, packets[:], tags{out: 16})
	same := true
	for i := range packets {
		p := &packets[i]
		same = same && bytes.Equal(p.Dst, want) && &p.Dst[0] == &memory[i][32]
		p.Dst, p.Text = p.Text[:0], p.Dst
	}
	opened := runBelow(a, depth, packets[:], tags{in: 16})
	for i := range packets {
		same = same && bytes.Equal(memory[i][32:][:n], pool[:n])
	}
	return same && opened == len(packets)
}

// runBelow has the kernel seal or open packets, below depth frames.
func runBelow(a *AEAD, depth int, p []Packet, t tags) (opened int) {
	var frame [600]byte
	if depth == 0 {
		return a.run(p, t)
	}
	frame[depth%len(frame)] = 1
	return runBelow(a, depth-1, p, t) + int(frame[depth%len(frame)]) - 1
}

// TestBusyRuntime runs kernels in a storm of signals while the profilers sample,
// the tracer records and the collector never rests: registers that a signal or
// a switch does not keep would show.
func TestBusyRuntime(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tracer is on already")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	if pprof.StartCPUProfile(io.Discard) == nil {
		defer pprof.StopCPUProfile()
	}
	if err := trace.Start(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer trace.Stop()
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, std := make1(t, make([]byte, 32), Options{Kernel: kernel}), stdlib(t, make([]byte, 32), 12, 16)
		end := time.Now().Add(400 * time.Millisecond)
		var wg sync.WaitGroup
		wg.Go(func() {
			for time.Now().Before(end) {
				unix.Kill(unix.Getpid(), unix.SIGURG) // the signal that preempts
				time.Sleep(20 * time.Microsecond)
			}
		})
		for g := range 4 {
			wg.Go(func() {
				for n := g; time.Now().Before(end); n = (n*5 + 401) % 70001 {
					nonce, text, aad := pool[n%50:][:12], pool[g:][:n], pool[:n%200]
					want := std.Seal(nil, nonce, text, aad)
					got := a.Seal(nil, nonce, text, aad)
					if !bytes.Equal(got, want) {
						t.Errorf("text of %d bytes: Seal differs", n)
					}
					if got, err := a.Open(nil, nonce, got, aad); err != nil || !bytes.Equal(got, text) {
						t.Errorf("text of %d bytes: Open differs", n)
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestCollectorNeedNotWait collects garbage while a kernel works on a message
// that takes it a tenth of a second: the collector must be done first.
func TestCollectorNeedNotWait(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	aad := make([]byte, 4<<20)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic {
			t.Skip("crypto/cipher has its own ways")
		}
		a := make1(t, make([]byte, 16), Options{Kernel: kernel})
		alone := time.Hour
		for range 5 {
			start := time.Now()
			a.Seal(nil, pool[:12], nil, aad)
			alone = min(alone, max(time.Since(start), time.Microsecond))
		}
		long := make([]byte, len(aad)*min(256, int(100*time.Millisecond/alone)+1))
		// The machine may stand still for as long as the call takes, but hardly
		// each time.
		for range 10 {
			var started, done atomic.Bool
			finished := make(chan bool)
			go func() {
				started.Store(true)
				a.Seal(nil, pool[:12], nil, long)
				done.Store(true)
				close(finished)
			}()
			for !started.Load() {
				runtime.Gosched()
			}
			time.Sleep(5 * time.Millisecond)
			runtime.GC()
			waited := done.Load()
			<-finished
			if !waited {
				return
			}
		}
		t.Error("the collector waited for the kernel")
	})
}

// TestBytesBesidePointers passes arrays that lie in one object with pointers,
// which cgo's checks must not object to.
func TestBytesBesidePointers(t *testing.T) {
	type message struct {
		next  *message
		nonce [12]byte
		name  *string
		text  [100]byte
		aad   [20]byte
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, make([]byte, 16), Options{Kernel: kernel})
		m := &message{name: new(string)}
		m.next = m
		sealed := a.Seal(m.text[:0], m.nonce[:], m.text[:84], m.aad[:])
		if got, err := a.Open(m.text[:0], m.nonce[:], sealed, m.aad[:]); err != nil || !bytes.Equal(got, make([]byte, 84)) {
			t.Error("Open differs: ", err)
		}
	})
}
