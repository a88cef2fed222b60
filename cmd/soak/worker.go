// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/guard"
)

// Sizes in bytes.
const (
	maxText  = 1 << 17
	maxAAD   = 1 << 14
	maxNonce = 64
	tagSize  = 16 // of crypto/cipher, the most
)

// A subject is one shared key, in a kernel and in crypto/cipher, whose tags are
// cut to what the kernel makes.
type subject struct {
	kernel int // its number in soak.kernels
	aead   *gcm.AEAD
	std    cipher.AEAD
}

// A worker is one goroutine with memory of its own.
type worker struct {
	*soak
	random             *rand.Rand
	pool               []byte // random bytes, a little more than the longest text
	in, out, aad, side guard.Memory
	want               []byte
	tallies            [][len(dispatch.Doors)]tally // of each kernel
}

func newWorker(s *soak, seed, number uint64) (*worker, error) {
	w := &worker{
		soak:    s,
		random:  rand.New(rand.NewPCG(seed, number)),
		pool:    make([]byte, maxText+1000),
		want:    make([]byte, 0, maxText+tagSize),
		tallies: make([][len(dispatch.Doors)]tally, len(s.kernels)),
	}
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(number), byte(number >> 8)})
	source.Read(w.pool)
	for size, m := range map[int][]*guard.Memory{
		maxText + tagSize: {&w.in, &w.out}, maxAAD: {&w.aad}, maxNonce: {&w.side},
	} {
		for _, m := range m {
			var err error
			if *m, _, err = guard.New(size); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// renew puts a new key in the place of a shared one.
func (w *worker) renew(i int) {
	kernel := i / sharedPer
	key := w.bytes(16 + 8*(i%3))
	o := gcm.Options{Kernel: w.kernels[kernel]}
	if i/3%3 > 0 {
		o.NonceSize, o.TagSize = 1+w.random.IntN(maxNonce), 12+w.random.IntN(5)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	a, err := gcm.NewWithOptions(key, o)
	if err != nil {
		panic(err)
	}
	std, err := cipher.NewGCMWithNonceSize(block, a.NonceSize())
	if err != nil {
		panic(err)
	}
	w.subjects[i].Store(&subject{kernel, a, std})
	w.keys.Add(1)
}

// bytes returns n random bytes of the pool, which are not to be changed.
func (w *worker) bytes(n int) []byte {
	return w.pool[w.random.IntN(len(w.pool)-n):][:n:n]
}

// size returns a size of at most limit bytes; one is as likely to be below 100
// as to be above a thousand.
func (w *worker) size(limit int) int {
	most := 1
	for bits := w.random.IntN(18); bits > 0 && most < limit; bits-- {
		most *= 2
	}
	return w.random.IntN(most + 1)
}

// A message is what is to be sealed, and what that must give.
type message struct {
	*subject
	nonce, text, aad []byte
	want             []byte // sealed by crypto/cipher
	end              bool   // whether slices touch the page after them, or the page before
}

// step seals and opens one message in one of its forms, forged now and then.
func (w *worker) step() {
	i := w.random.IntN(len(w.subjects))
	if w.random.IntN(100) == 0 {
		w.renew(i)
	}
	s := w.subjects[i].Load()
	n, end := w.size(maxText), w.random.IntN(2) == 0
	m := message{
		subject: s,
		nonce:   w.side.Take(s.aead.NonceSize(), end),
		text:    w.bytes(n),
		aad:     w.aad.Take(w.size(maxAAD), !end),
		end:     end,
	}
	copy(m.nonce, w.bytes(len(m.nonce)))
	copy(m.aad, w.bytes(len(m.aad)))
	m.want = s.std.Seal(w.want[:0], m.nonce, m.text, m.aad)[:n+s.aead.Overhead()]

	form := forms[w.random.IntN(len(forms))]
	failed := func(what string) {
		w.fail("kernel %s, %s: %s fails; text of %d, AAD of %d, nonce of %d, tag of %d bytes",
			w.kernels[s.kernel], form.name, what, n, len(m.aad), len(m.nonce), s.aead.Overhead())
	}
	if w.random.IntN(4) == 0 {
		// On a stack that is small and has to grow.
		done := make(chan bool)
		depth := w.random.IntN(60)
		go func() {
			deep(depth, func() { form.run(w, m, failed) })
			close(done)
		}()
		<-done
	} else {
		form.run(w, m, failed)
	}

	t := w.tally(m)
	t.sealed++
	t.opened++
	t.bytes += 2 * int64(n+len(m.aad))
	if w.random.IntN(4) == 0 {
		w.forge(m, failed)
		t.refused++
		t.bytes += int64(n + len(m.aad))
	}
}

// tally returns what counts a message: that of its kernel and door.
func (w *worker) tally(m message) *tally {
	door := dispatch.Direct
	if w.kernels[m.kernel] != dispatch.Generic {
		door = dispatch.DoorFor(len(m.text)+len(m.aad)+len(m.nonce), len(m.nonce), cshim.Linked, cshim.Foreign != "")
	}
	return &w.tallies[m.kernel][door]
}

// deep calls f below depth frames of a kilobyte.
func deep(depth int, f func()) byte {
	var frame [1 << 10]byte
	if depth == 0 {
		f()
		return frame[0]
	}
	frame[depth] = deep(depth-1, f)
	return frame[depth]
}

// forge turns one bit of the sealed message, the AAD or the nonce, and wants it
// refused, with zeros in the place of the text.
func (w *worker) forge(m message, failed func(string)) {
	sealed := w.in.Take(len(m.want), m.end)
	copy(sealed, m.want)
	out := w.out.Take(len(m.text), m.end)
	copy(out, m.text)
	part := [][]byte{sealed, m.aad, m.nonce}[w.random.IntN(3)]
	if len(part) == 0 {
		part = sealed
	}
	part[w.random.IntN(len(part))] ^= 1 << w.random.IntN(8)
	if w.random.IntN(2) == 0 {
		out = sealed[:len(m.text)]
	}
	got, err := m.aead.Open(out[:0], m.nonce, sealed, m.aad)
	if err == nil || got != nil || len(bytes.TrimLeft(out, "\x00")) > 0 {
		failed(fmt.Sprint("Open of a forgery (", err, ")"))
	}
}
