// SPDX-License-Identifier: ISC

package main

import (
	"bytes"

	"github.com/stitchgcm/gcm"
)

// A form is one way to seal a message and to open it again.
type form struct {
	name string
	run  func(w *worker, m message, failed func(what string))
}

var forms = []form{
	{"apart", apart},
	{"in place", inPlace},
	{"in new memory", inNewMemory},
	{"detached", detached},
	{"gathered", gathered},
	{"piece by piece", pieces},
	{"in a batch", batched},
}

func apart(w *worker, m message, failed func(string)) {
	in, out := w.in.Take(len(m.text), m.end), w.out.Take(len(m.want), m.end)
	copy(in, m.text)
	if got := m.aead.Seal(out[:0], m.nonce, in, m.aad); !bytes.Equal(got, m.want) {
		failed("Seal")
	}
	if !bytes.Equal(in, m.text) {
		failed("Seal, which changed its input,")
	}
	in, out = w.in.Take(len(m.want), m.end), w.out.Take(len(m.text), m.end)
	copy(in, m.want)
	if got, err := m.aead.Open(out[:0], m.nonce, in, m.aad); err != nil || !bytes.Equal(got, m.text) {
		failed("Open")
	}
	if !bytes.Equal(in, m.want) {
		failed("Open, which changed its input,")
	}
}

func inPlace(w *worker, m message, failed func(string)) {
	b := w.out.Take(len(m.want), m.end)
	copy(b, m.text)
	if got := m.aead.Seal(b[:0], m.nonce, b[:len(m.text)], m.aad); !bytes.Equal(got, m.want) {
		failed("Seal")
	}
	if got, err := m.aead.Open(b[:0], m.nonce, b, m.aad); err != nil || !bytes.Equal(got, m.text) {
		failed("Open")
	}
}

func inNewMemory(_ *worker, m message, failed func(string)) {
	sealed := m.aead.Seal(nil, m.nonce, m.text, m.aad)
	if !bytes.Equal(sealed, m.want) {
		failed("Seal")
	}
	if got, err := m.aead.Open(nil, m.nonce, sealed, m.aad); err != nil || !bytes.Equal(got, m.text) {
		failed("Open")
	}
}

func detached(w *worker, m message, failed func(string)) {
	n := len(m.text)
	in, out := w.in.Take(n, m.end), w.out.Take(n, m.end)
	copy(in, m.text)
	var tag [tagSize]byte
	t := tag[:m.aead.Overhead()]
	if got := m.aead.SealDetached(out[:0], t, m.nonce, in, m.aad); !bytes.Equal(got, m.want[:n]) || !bytes.Equal(t, m.want[n:]) {
		failed("SealDetached")
	}
	if got, err := m.aead.OpenDetached(in[:0], t, m.nonce, out, m.aad); err != nil || !bytes.Equal(got, m.text) {
		failed("OpenDetached")
	}
}

// cut returns b in up to four slices.
func (w *worker) cut(b []byte) (pieces [][]byte) {
	for range 3 {
		n := w.random.IntN(len(b) + 1)
		pieces, b = append(pieces, b[:n]), b[n:]
	}
	return append(pieces, b)
}

func gathered(w *worker, m message, failed func(string)) {
	out := w.out.Take(len(m.want), m.end)
	if got := m.aead.SealGather(out[:0], m.nonce, w.cut(m.text), m.aad); !bytes.Equal(got, m.want) {
		failed("SealGather")
	}
	in := w.in.Take(len(m.text), m.end)
	if got, err := m.aead.OpenGather(in[:0], m.nonce, w.cut(m.want), m.aad); err != nil || !bytes.Equal(got, m.text) {
		failed("OpenGather")
	}
}

// batched seals the message several times over, in one call, and opens all but one,
// which it forges.
func batched(w *worker, m message, failed func(string)) {
	out := w.out.Take(len(m.want), m.end)
	packets := make([]gcm.Packet, 1+w.random.IntN(9))
	for i := range packets {
		packets[i] = gcm.Packet{Nonce: m.nonce, Text: m.text, AAD: m.aad}
	}
	packets[0].Dst = out[:0]
	m.aead.SealBatch(packets)
	forged := w.random.IntN(len(packets))
	for i := range packets {
		p := &packets[i]
		if !bytes.Equal(p.Dst, m.want) {
			failed("SealBatch")
		}
		p.Text, p.Dst = p.Dst, p.Dst[:0]
		if i == forged {
			p.Text[w.random.IntN(len(p.Text))] ^= 1
		}
	}
	if n := m.aead.OpenBatch(packets); n != len(packets)-1 {
		failed("OpenBatch")
	}
	for i, p := range packets {
		if (p.Err != nil) != (i == forged) || i != forged && !bytes.Equal(p.Dst, m.text) {
			failed("a packet of OpenBatch")
		}
	}
}

func pieces(w *worker, m message, failed func(string)) {
	out := w.out.Take(len(m.want), m.end)[:0]
	s := m.aead.NewSealer(m.nonce, m.aad)
	for _, p := range w.cut(m.text) {
		out = s.Seal(out, p)
	}
	if out = s.Tag(out); !bytes.Equal(out, m.want) {
		failed("a Sealer")
	}
	n := len(m.text)
	o := m.aead.NewOpener(m.nonce, m.aad)
	for _, p := range w.cut(m.want[:n]) {
		o.Write(p)
	}
	if got, err := o.Open(w.in.Take(n, m.end)[:0], m.want[n:]); err != nil || !bytes.Equal(got, m.text) {
		failed("an Opener")
	}
}
