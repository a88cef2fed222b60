// SPDX-License-Identifier: ISC

package main

import (
	"crypto/aes"
	"crypto/cipher"
	"flag"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/cmd/gcm/internal/limit"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/record"
)

// Sizes of each timed message beside its text, in bytes.
const (
	aadSize   = 13 // as in TLS
	nonceSize = 12
)

// A pace is how long everything in a race is timed.
type pace struct {
	time  time.Duration // of a rival in all its turns together, about
	turns int
}

// paceFlags defines the flags of a command for its pace.
func paceFlags(fs *flag.FlagSet) *pace {
	var p pace
	fs.DurationVar(&p.time, "time", 100*time.Millisecond, "how long each row is timed")
	fs.IntVar(&p.turns, "turns", 100, "in how many turns, the fastest of which counts")
	return &p
}

// check refuses a pace at which nothing would be timed.
func (p *pace) check(command string) error {
	switch {
	case p.time <= 0:
		return usageError(fmt.Sprintf("%s: -time %v is not a positive duration", command, p.time))
	case p.turns < 1:
		return usageError(fmt.Sprintf("%s: -turns %d is not a positive number", command, p.turns))
	}
	return nil
}

// A rival is one of those that take turns: an AEAD that seals or opens messages
// of one size.
type rival struct {
	record.Row
	aead   cipher.AEAD
	rounds int // in a turn, found in the first one; each is a message, or a batch of them
	laps
}

// race times crypto/cipher, the kernels and the port limit of each over messages
// of every size in bytes, with keys of every number of bits. All take turns from
// the beginning of the race to its end, and the fastest turn of each counts:
// whatever else the machine does can only slow a turn down, and may go on for
// longer than any of them. So that nobody wins by a faster clock, turns are
// scaled to the clock that the processor had most of the time. Rows come by bits,
// size, seal and open, and each time crypto/cipher first and limits last. A kernel
// takes part once for each door; "" leaves that to the size. If batch is not 0,
// everybody works through so many messages in memory of their own, and kernels do
// it once more by SealBatch and OpenBatch.
func race(bits, sizes []int, kernels, doors []string, batch int, p pace) ([]record.Row, error) {
	entrants := []record.Series{{Impl: record.Stdlib}}
	for _, name := range kernels {
		for _, door := range doors {
			if name == dispatch.Generic { // which has none
				door = ""
			}
			entrants = append(entrants, record.Series{Impl: record.GCM, Kernel: name, Door: door})
			if batch > 0 {
				entrants = append(entrants, record.Series{Impl: record.GCM, Kernel: name, Door: door, Batch: batch})
			}
			if name == dispatch.Generic {
				break
			}
		}
	}
	var rivals []*rival
	for _, b := range bits {
		aeads, err := aeadsFor(b, entrants)
		if err != nil {
			return nil, err
		}
		for _, size := range sizes {
			for _, op := range []string{"seal", "open"} {
				for i, s := range entrants {
					s.Op, s.Bits = op, b
					rivals = append(rivals, &rival{record.Row{Series: s, Size: size}, aeads[i], 1, laps{}})
				}
			}
		}
	}

	t := newTrack(sizes, batch)
	limits := limitsOf(kernels)
	var pulse pulse
	err := spread(p.turns, func() error {
		// The first turn on a processor does not count.
		if _, err := t.turn(rivals[0], p.time/time.Duration(p.turns)); err != nil {
			return err
		}
		pulse.start()
		for _, r := range rivals {
			ns, err := t.turn(r, p.time/time.Duration(p.turns))
			if err != nil {
				return err
			}
			pulse.note(&r.laps, ns)
		}
		for _, l := range limits {
			l.turn(p.time/time.Duration(p.turns), &pulse)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	usual := pulse.usual()
	for _, r := range rivals {
		r.NS = r.best(usual)
	}
	var rows []record.Row
	for n := 0; n < len(rivals); n += len(entrants) {
		rows = append(rows, group(rivals[n:n+len(entrants)], limits, usual)...)
	}
	return rows, nil
}

// aeadsFor returns crypto/cipher for the first of the entrants and kernels for the
// others, all with the same key.
func aeadsFor(bits int, entrants []record.Series) ([]cipher.AEAD, error) {
	key := make([]byte, bits/8)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	std, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	aeads := []cipher.AEAD{std}
	for _, s := range entrants[1:] {
		a, err := gcm.NewWithOptions(key, gcm.Options{Kernel: s.Kernel})
		if err != nil {
			return nil, err
		}
		aeads = append(aeads, a)
	}
	return aeads, nil
}

// group completes the rows of rivals over the same messages, of which the first
// is crypto/cipher, and adds rows for limits. A limit is a rate: messages count
// by their length in blocks of 16 bytes, without the lengths block, tag or
// additional data.
func group(rivals []*rival, limits []*portLimit, usual float64) []record.Row {
	std := rivals[0].Row
	bounds := map[string]float64{}
	for _, l := range limits {
		bounds[l.kernel] = limit.NsPerBlock(l.aes.best(usual), l.clmul.best(usual), std.Bits) * float64(std.Size) / 16
	}
	var rows []record.Row
	for _, r := range rivals {
		row := r.Row
		if row.Impl == record.GCM {
			row.Times = round(std.NS / row.NS)
			row.Share = round(bounds[row.Kernel] / row.NS)
		}
		rows = append(rows, row)
	}
	for _, l := range limits {
		row := std
		row.Impl, row.Kernel, row.NS = record.Limit, l.kernel, bounds[l.kernel]
		rows = append(rows, row)
	}
	for i := range rows {
		r := &rows[i]
		if r.NS > 0 {
			r.GBPS = round(float64(r.Size) / r.NS)
		}
		r.NS = round(r.NS)
	}
	return rows
}

// round rounds to three decimals.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// A track is the memory that all rivals use, so that none is lucky.
type track struct {
	nonce, aad, text, sealed, dst []byte
	batch                         []lane // if there is one
}

// A lane is what a track has for each message of a batch.
type lane struct{ nonce, aad, text, sealed, dst []byte }

func newTrack(sizes []int, batch int) *track {
	const tag = 16
	most := slices.Max(sizes)
	t := &track{make([]byte, nonceSize), make([]byte, aadSize), make([]byte, most), make([]byte, most+tag), make([]byte, most+tag), nil}
	for range batch {
		t.batch = append(t.batch, lane{make([]byte, nonceSize), make([]byte, aadSize), make([]byte, most), make([]byte, most+tag), make([]byte, most+tag)})
	}
	return t
}

// turn lets a rival work for about d and returns nanoseconds per message.
func (t *track) turn(r *rival, d time.Duration) (ns float64, err error) {
	defer through(r.Door)()
	run, messages := t.alone(r), 1
	if len(t.batch) > 0 {
		run, messages = t.together(r), len(t.batch)
	}
	for {
		start := time.Now()
		if err := run(r.rounds); err != nil {
			return 0, fmt.Errorf("%s %s cannot open what it sealed: %w", r.Impl, r.Kernel, err)
		}
		took := time.Since(start)
		if took >= d/2 || r.rounds > 1<<30 {
			return float64(took) / float64(r.rounds*messages), nil
		}
		r.rounds = max(2*r.rounds, int(float64(r.rounds)*float64(d)/float64(took+1))/2)
	}
}

// alone returns a function in which a rival seals or opens a message some times.
func (t *track) alone(r *rival) func(rounds int) error {
	// Also to have everything in the caches.
	text, dst := t.text[:r.Size], t.dst[:0]
	sealed := r.aead.Seal(t.sealed[:0], t.nonce, text, t.aad)
	if r.Op == "seal" {
		return func(rounds int) error {
			for range rounds {
				r.aead.Seal(dst, t.nonce, text, t.aad)
			}
			return nil
		}
	}
	return func(rounds int) error {
		for range rounds {
			if _, err := r.aead.Open(dst, t.nonce, sealed, t.aad); err != nil {
				return err
			}
		}
		return nil
	}
}

// together returns a function in which a rival seals or opens all messages of a
// batch some times, one in a call or all.
func (t *track) together(r *rival) func(rounds int) error {
	packets := make([]gcm.Packet, len(t.batch))
	for i, l := range t.batch {
		packets[i] = gcm.Packet{Dst: l.dst[:0], Nonce: l.nonce, Text: l.text[:r.Size], AAD: l.aad}
		if sealed := r.aead.Seal(l.sealed[:0], l.nonce, l.text[:r.Size], l.aad); r.Op == "open" {
			packets[i].Text = sealed
		}
	}
	kernel, _ := r.aead.(*gcm.AEAD)
	work := func() error {
		for i := range packets {
			p := &packets[i]
			p.Dst = r.aead.Seal(p.Dst, p.Nonce, p.Text, p.AAD)
		}
		return nil
	}
	switch {
	case r.Batch > 0 && r.Op == "seal":
		work = func() error {
			kernel.SealBatch(packets)
			return nil
		}
	case r.Batch > 0:
		work = func() error {
			if n := kernel.OpenBatch(packets); n < len(packets) {
				return fmt.Errorf("%d of %d packets open", n, len(packets))
			}
			return nil
		}
	case r.Op == "open":
		work = func() (err error) {
			for i := range packets {
				p := &packets[i]
				if p.Dst, err = r.aead.Open(p.Dst, p.Nonce, p.Text, p.AAD); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return func(rounds int) error {
		for range rounds {
			for i := range packets {
				packets[i].Dst = packets[i].Dst[:0]
			}
			if err := work(); err != nil {
				return err
			}
		}
		return nil
	}
}

// A portLimit times the processor's ports at the register width of a kernel.
type portLimit struct {
	kernel     string
	aes, clmul laps // times per block, as limit.Measure gives them
}

// limitsOf returns the port limits that can be timed.
func limitsOf(kernels []string) (limits []*portLimit) {
	for _, name := range kernels {
		if _, _, ok := limit.Measure(name, time.Microsecond); ok {
			limits = append(limits, &portLimit{kernel: name})
		}
	}
	return limits
}

// turn times the ports for about d, or for a millisecond where d is less.
func (l *portLimit) turn(d time.Duration, p *pulse) {
	aes, clmul, _ := limit.Measure(l.kernel, max(d, time.Millisecond))
	p.note(&l.aes, aes)
	p.note(&l.clmul, clmul)
}
