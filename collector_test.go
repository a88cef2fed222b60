// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestPiecesDoor seals and opens messages in pieces, from such as have no whole
// turn to such as take several calls, and compares them with crypto/cipher's.
func TestPiecesDoor(t *testing.T) {
	long := bytes.Repeat(pool, 3*maxCall/len(pool))
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		defer dispatch.Force(dispatch.Pieces)()
		for _, o := range []Options{{Kernel: kernel, NonceSize: 12, TagSize: 16}, {Kernel: kernel, NonceSize: 17, TagSize: 16}, {Kernel: kernel, NonceSize: 12, TagSize: 13}} {
			a, want := make1(t, key, o), stdlib(t, key, o.NonceSize, o.TagSize)
			for _, n := range []int{0, 1, 16, 100, maxTurn - 33, maxTurn - 32, maxTurn - 31, maxTurn, maxTurn + 17, 10000,
				maxCall - 1, maxCall, maxCall + maxTurn - 32, maxCall + maxTurn - 31, 2*maxCall + maxTurn + 17} {
				nonce, text, aad := randomBytes(o.NonceSize), long[n%99:][:n], long[n%98:][:n%9700]
				sealed := a.Seal(nil, nonce, text, aad)
				if !bytes.Equal(sealed, want.Seal(nil, nonce, text, aad)) {
					t.Fatalf("%d bytes: sealed otherwise than crypto/cipher does", n)
				}
				opened, err := a.Open(nil, nonce, sealed, aad)
				if err != nil || !bytes.Equal(opened, text) {
					t.Fatalf("%d bytes: opened to something else, error %v", n, err)
				}
				sealed[len(sealed)/2] ^= 1
				dst := bytes.Repeat([]byte{0xa5}, n)
				if opened, err := a.Open(dst[:0], nonce, sealed, aad); err == nil || opened != nil || !bytes.Equal(dst, make([]byte, n)) {
					t.Fatalf("%d bytes, forged: error %v, %d bytes, cleared %v", n, err, len(opened), bytes.Equal(dst, make([]byte, n)))
				}
			}
		}
	})
}

// TestPiecesDoorNonces does the same for AEADs with nonces of their own: an IV and
// a number, and random ones, in place as well.
func TestPiecesDoorNonces(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		if kernel == dispatch.Generic {
			t.Skip("has no doors")
		}
		defer dispatch.Force(dispatch.Pieces)()
		a, std := make1(t, key, Options{Kernel: kernel}), stdlib(t, key, 12, 16)
		numbered, random := &counterNonce{a: a}, &randomNonce{a}
		for n := range uint64(40) {
			text, aad := randomBytes(int(n*n*7)), randomBytes(int(n))
			number := binary.BigEndian.AppendUint64(nil, n)
			buf := append(make([]byte, 0, len(text)+28), text...)
			sealed := numbered.Seal(buf[:0], number, buf, aad)
			if !bytes.Equal(sealed, std.Seal(nil, append(make([]byte, 4), number...), text, aad)) {
				t.Fatalf("%d bytes with a number: sealed otherwise than crypto/cipher does", len(text))
			}
			if opened, err := numbered.Open(sealed[:0], number, sealed, aad); err != nil || !bytes.Equal(opened, text) {
				t.Fatalf("%d bytes with a number: opened to something else, error %v", len(text), err)
			}
			sealed = random.Seal(buf[:0], nil, append(buf[:0], text...), aad)
			if opened, err := std.Open(nil, sealed[:12], sealed[12:], aad); err != nil || !bytes.Equal(opened, text) {
				t.Fatalf("%d bytes with a random nonce: crypto/cipher opens something else, error %v", len(text), err)
			}
			if opened, err := random.Open(sealed[:0], nil, sealed, aad); err != nil || !bytes.Equal(opened, text) {
				t.Fatalf("%d bytes with a random nonce: opened to something else, error %v", len(text), err)
			}
		}
		// Where the key block names no kernel, the stack tells which way was taken.
		a.block = direct.KeyBlock{}
		taken := func(way string, call func()) {
			t.Helper()
			defer func() {
				if recover() == nil || !strings.Contains(string(debug.Stack()), way) {
					t.Errorf("the nonce keeps a message from going by %s", way)
				}
			}()
			call()
		}
		sealed := make([]byte, 40)
		taken("sealPieces", func() { random.Seal(nil, nil, nil, nil) })
		taken("openPieces", func() { random.Open(nil, nil, sealed, nil) })
		taken("sealPieces", func() { numbered.Seal(nil, binary.BigEndian.AppendUint64(nil, 40), nil, nil) })
		taken("openPieces", func() { numbered.Open(nil, make([]byte, 8), sealed, nil) })
	})
}

// TestTurns checks what maxTurn, maxCall and the hash take a turn for.
func TestTurns(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		if kernel == dispatch.Generic {
			t.Skip("has no turns")
		}
		turn := direct.Turn(&make1(t, randomBytes(16), Options{Kernel: kernel}).block)
		if turn&(turn-1) != 0 || turn < 64 || maxTurn%turn != 0 || maxCall%maxTurn != 0 {
			t.Errorf("a turn has %d bytes", turn)
		}
	})
}

// TestMove copies to overlapping places before and behind, and wipes, in several
// steps.
func TestMove(t *testing.T) {
	const n = 2*maxCall + 77
	all := bytes.Repeat(pool, n/len(pool)+1)[:n]
	for _, at := range [][2]int{{0, 12}, {12, 0}, {0, 0}, {0, maxCall}, {maxCall, 0}, {50, 51}} {
		from, to := at[0], at[1]
		size := n - max(from, to)
		got, want := bytes.Clone(all), bytes.Clone(all)
		copy(want[to:], want[from:][:size])
		if moved := move(got[to:], got[from:][:size]); len(moved) != size || &moved[0] != &got[to] || !bytes.Equal(got, want) {
			t.Errorf("moved wrongly from %d to %d", from, to)
		}
	}
	got := bytes.Clone(all)
	if wipe(got[1 : n-1]); !bytes.Equal(got[1:n-1], make([]byte, n-2)) || got[0] != all[0] || got[n-1] != all[n-1] {
		t.Error("wiped wrongly")
	}
}

// BenchmarkCollector measures how long a garbage collection takes while another
// goroutine seals messages of 256 MiB: the median and the worst of the run.
func BenchmarkCollector(b *testing.B) {
	const size = 256 << 20
	key := randomBytes(32)
	for _, kernel := range Kernels() {
		b.Run(fmt.Sprintf("%s/%dMiB", kernel, size>>20), func(b *testing.B) {
			a, err := NewWithOptions(key, Options{Kernel: kernel})
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, size+a.Overhead())
			nonce := make([]byte, a.NonceSize())
			var stop atomic.Bool
			done := make(chan struct{})
			go func() {
				defer close(done)
				for !stop.Load() {
					a.Seal(buf[:0], nonce, buf[:size], nil)
				}
			}()
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				runtime.GC()
				took = append(took, time.Since(begin))
			}
			stop.Store(true)
			<-done
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "ms-median")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1e3, "ms-worst")
			b.ReportMetric(0, "ns/op")
		})
	}
}
