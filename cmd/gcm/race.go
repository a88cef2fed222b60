// SPDX-License-Identifier: ISC

package main

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/cmd/gcm/internal/limit"
)

const (
	// rounds is how often each rival takes its turn; its fastest turn counts,
	// since whatever else the machine does can only slow a turn down.
	rounds = 20

	// aadSize is the additional data of each timed message, in bytes, as in TLS.
	aadSize = 13
)

// result is one timed row.
type result struct {
	Impl   string  `json:"impl"`   // gcm, stdlib or limit
	Kernel string  `json:"kernel"` // "" for stdlib
	Op     string  `json:"op"`     // seal or open
	Bits   int     `json:"bits"`   // of the key
	Size   int     `json:"size"`   // of the plaintext, in bytes
	NS     float64 `json:"ns"`     // per message
	GBPS   float64 `json:"gbps"`   // 10^9 bytes of plaintext a second
}

// rival is one of those that are timed in turn. turn works for about d and
// returns nanoseconds per message.
type rival struct {
	result
	turn func(d time.Duration) (ns float64, err error)
}

// race times crypto/cipher, the kernels and the port limit of each in turn,
// over messages of the given size in bytes. Each rival gets about d in all.
func race(op string, bits, size int, kernels []string, d time.Duration) ([]result, error) {
	key := make([]byte, bits/8)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	std, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	row := result{Op: op, Bits: bits, Size: size}
	rivals := []rival{caller(row, "stdlib", "", std)}
	for _, name := range kernels {
		a, err := gcm.NewWithOptions(key, gcm.Options{Kernel: name})
		if err != nil {
			return nil, err
		}
		rivals = append(rivals, caller(row, "gcm", name, a))
	}
	for _, name := range kernels {
		if _, _, ok := limit.Measure(name, time.Microsecond); ok {
			rivals = append(rivals, portLimit(row, name))
		}
	}

	results := make([]result, len(rivals))
	for i, r := range rivals {
		results[i] = r.result
		results[i].NS = math.Inf(1)
	}
	for range rounds {
		for i, r := range rivals {
			ns, err := r.turn(d / rounds)
			if err != nil {
				return nil, err
			}
			results[i].NS = min(results[i].NS, ns)
		}
	}
	for i := range results {
		r := &results[i]
		if r.NS > 0 {
			r.GBPS = math.Round(float64(r.Size)/r.NS*1000) / 1000
		}
		r.NS = math.Round(r.NS*1000) / 1000
	}
	return results, nil
}

// caller times calls of Seal or Open, whichever row.Op names.
func caller(row result, impl, kernel string, a cipher.AEAD) rival {
	row.Impl, row.Kernel = impl, kernel
	nonce, aad := make([]byte, a.NonceSize()), make([]byte, aadSize)
	text := make([]byte, row.Size)
	sealed := a.Seal(nil, nonce, text, aad)
	dst := make([]byte, 0, len(sealed))

	calls := func(n int) (time.Duration, error) {
		start := time.Now()
		if row.Op == "seal" {
			for range n {
				a.Seal(dst, nonce, text, aad)
			}
		} else {
			for range n {
				if _, err := a.Open(dst, nonce, sealed, aad); err != nil {
					return 0, fmt.Errorf("%s %s cannot open what it sealed: %w", impl, kernel, err)
				}
			}
		}
		return time.Since(start), nil
	}
	n := 1 // calls a turn, found in the first one
	return rival{row, func(d time.Duration) (float64, error) {
		for {
			t, err := calls(n)
			if err != nil {
				return 0, err
			}
			if t >= d/2 || n > 1<<30 {
				return float64(t) / float64(n), nil
			}
			n = max(2*n, int(float64(n)*float64(d)/float64(t+1))/2)
		}
	}}
}

// portLimit times the processor's ports at the register width of a kernel. The
// limit is a rate: messages count by their length in blocks of 16 bytes,
// without the lengths block, tag or additional data.
func portLimit(row result, kernel string) rival {
	row.Impl, row.Kernel = "limit", kernel
	return rival{row, func(d time.Duration) (float64, error) {
		aesNS, clmulNS, _ := limit.Measure(kernel, d)
		return limit.NsPerBlock(aesNS, clmulNS, row.Bits) * float64(row.Size) / 16, nil
	}}
}

// heading explains the table for people to read.
func heading(w io.Writer, d time.Duration) {
	fmt.Fprintf(w, "Time per call with %d bytes of additional data: the fastest of %d turns, taken round-robin,\n"+
		"%v a row. GB/s are 10^9 bytes a second; \"times\" is against crypto/cipher; \"limit\" is the\n"+
		"share of the kernel's port limit, where it can be measured.\n\n", aadSize, rounds, d)
}

// table prints one line for each kernel's row in results, which may hold
// several races.
func table(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "bits\tbytes\top\tkernel\tns\tGB/s\tcrypto/cipher ns\tGB/s\ttimes\tlimit\t\n")
	find := func(like result, impl, kernel string) (result, bool) {
		for _, r := range results {
			if r.Impl == impl && r.Kernel == kernel && r.Op == like.Op && r.Bits == like.Bits && r.Size == like.Size {
				return r, true
			}
		}
		return result{}, false
	}
	for _, r := range results {
		if r.Impl != "gcm" {
			continue
		}
		std, _ := find(r, "stdlib", "")
		share := "-"
		if l, ok := find(r, "limit", r.Kernel); ok && r.NS > 0 {
			share = fmt.Sprintf("%.2f", l.NS/r.NS)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%.1f\t%.2f\t%.1f\t%.2f\t%.2f\t%s\t\n",
			r.Bits, r.Size, r.Op, r.Kernel, r.NS, r.GBPS, std.NS, std.GBPS, std.NS/r.NS, share)
	}
	return w.Flush()
}
