// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
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
