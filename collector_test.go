// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// TestPiecesDoor seals and opens messages in pieces, as the longest are where
// there is no cgo, and compares them with crypto/cipher's.
func TestPiecesDoor(t *testing.T) {
	defer dispatch.Force(dispatch.Pieces)()
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for _, o := range []Options{{Kernel: kernel, NonceSize: 12, TagSize: 16}, {Kernel: kernel, NonceSize: 17, TagSize: 16}, {Kernel: kernel, NonceSize: 12, TagSize: 13}} {
			a, want := make1(t, key, o), stdlib(t, key, o.NonceSize, o.TagSize)
			for _, n := range []int{0, 1, 16, 100, chunkSize - 1, chunkSize, chunkSize + 17, 10000} {
				nonce, text, aad := randomBytes(o.NonceSize), randomBytes(n), randomBytes(n%97)
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
		if raceEnabled {
			return
		}
		// One call of a kernel allocates nothing. Pieces do, so here they were taken.
		buf := make([]byte, 200)
		if testing.AllocsPerRun(10, func() { random.Seal(buf[:0], nil, nil, nil) }) == 0 {
			t.Error("a random nonce keeps a message from going in pieces")
		}
		sealed := numbered.Seal(nil, binary.BigEndian.AppendUint64(nil, 40), nil, nil)
		if testing.AllocsPerRun(10, func() { numbered.Open(buf[:0], make([]byte, 8), sealed, nil) }) == 0 {
			t.Error("a number keeps a message from going in pieces")
		}
	})
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
