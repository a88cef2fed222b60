// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stitchgcm/gcm/internal/dispatch"
)

// batchSizes are lengths of texts in bytes round those where packets come into
// another class.
var batchSizes = []int{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513,
	767, 768, 769, 1023, 1024, 1025, 1350, 1535, 1536, 1537, 2000, 3071, 3072, 3073, 5000}

// A batch is packets, and the memory in which everything of theirs lies, with
// bytes between that nobody may touch.
type batch struct {
	memory  []byte
	packets []Packet
}

// newBatch lays out n packets at random: for each a text from a narrow choice or a
// wide one, with AAD, and a Dst in place or apart, with a prefix and with room or
// without. Texts to be opened have what a tells of them, some of them forged.
func newBatch(r *rand.Rand, a *AEAD, n int, open bool) batch {
	b := batch{make([]byte, n*11000), make([]Packet, n)}
	rest := b.memory
	for i := 0; i < len(rest); {
		i += copy(rest[i:], pool[r.IntN(1000):])
	}
	take := func(size, room int) []byte {
		s := rest[3 : 3+size : 3+size+room]
		rest = rest[3+size+room:]
		return s
	}
	choice := 1 + r.IntN(len(batchSizes))
	most := []int{1, 20, 80}[r.IntN(3)]
	for i := range b.packets {
		p := &b.packets[i]
		size := batchSizes[r.IntN(choice)]
		if r.IntN(4) == 0 {
			size = r.IntN(2001)
		}
		p.Nonce, p.AAD = take(a.NonceSize(), 0), take(r.IntN(most), 0)
		if r.IntN(8) == 0 {
			p.AAD = nil
		}
		text := take(size, a.Overhead()+r.IntN(5))
		p.Text = text
		if open {
			p.Text = a.Seal(text[:0], p.Nonce, text, p.AAD)
			p.forge(r)
		}
		out := max(0, len(p.Text)+a.Overhead())
		if open {
			out = max(0, len(p.Text)-a.Overhead())
		}
		switch r.IntN(4) {
		case 0:
			p.Dst = text[:0]
		case 1:
			p.Dst = take(r.IntN(9), r.IntN(max(1, out)))
		case 2:
			p.Dst = take(r.IntN(9), out+r.IntN(3))
		}
		if r.IntN(3) == 0 {
			p.Err = errStale
		}
	}
	return b
}

var errStale = fmt.Errorf("of an earlier batch")

// forge spoils a sealed packet now and then.
func (p *Packet) forge(r *rand.Rand) {
	turn := func(s []byte) {
		if len(s) > 0 {
			s[r.IntN(len(s))] ^= 1 << r.IntN(8)
		}
	}
	switch r.IntN(24) {
	case 0:
		turn(p.Text[len(p.Text)-12:])
	case 1:
		turn(p.Text)
	case 2:
		turn(p.AAD)
	case 3:
		turn(p.Nonce)
	case 4:
		p.Text = p.Text[:r.IntN(12)]
	case 5:
		p.Text = nil
	}
}

// clone returns the same batch in other memory.
func (b batch) clone() batch {
	c := batch{bytes.Clone(b.memory), slices.Clone(b.packets)}
	move := func(s *[]byte) {
		if cap(*s) > 0 {
			at := address(*s) - address(b.memory)
			*s = c.memory[at:][:len(*s):cap(*s)]
		}
	}
	for i := range c.packets {
		p := &c.packets[i]
		move(&p.Dst)
		move(&p.Nonce)
		move(&p.Text)
		move(&p.AAD)
	}
	return c
}

// one does for a packet what a batch must.
func one(a *AEAD, p *Packet, open bool) (opened int) {
	if !open {
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AAD)
		return 0
	}
	if p.Dst, p.Err = a.Open(p.Dst, p.Nonce, p.Text, p.AAD); p.Err == nil {
		return 1
	}
	return 0
}

func all(a *AEAD, p []Packet, open bool) (opened int) {
	if open {
		return a.OpenBatch(p)
	}
	a.SealBatch(p)
	return 0
}

// TestBatch compares batches of all kinds with calls of Seal and Open: results,
// errors, where the results lie, and every other byte.
func TestBatch(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		r := rand.New(rand.NewPCG(1, uint64(len(key))))
		for _, o := range []Options{{}, {TagSize: 12}, {TagSize: 13}, {TagSize: 14}, {TagSize: 15}, {NonceSize: 1}, {NonceSize: 16, TagSize: 12}} {
			o.Kernel = kernel
			a := make1(t, key, o)
			for n := range 71 {
				if testing.Short() && n > 20 && n%7 != 0 {
					continue
				}
				for _, open := range []bool{false, true} {
					sameBatch(t, a, newBatch(r, a, n, open), open)
				}
			}
		}
	})
}

// sameBatch wants of a batch what Seal or Open does to its packets.
func sameBatch(t *testing.T, a *AEAD, got batch, open bool) {
	t.Helper()
	want := got.clone()
	wantOpened := 0
	for i := range want.packets {
		wantOpened += one(a, &want.packets[i], open)
	}
	if opened := all(a, got.packets, open); opened != wantOpened {
		t.Errorf("batch of %d: %d packets are opened, want %d", len(got.packets), opened, wantOpened)
	}
	if !bytes.Equal(got.memory, want.memory) {
		t.Errorf("batch of %d, open %v: leaves other bytes", len(got.packets), open)
	}
	inside := func(b batch, s []byte) int {
		if at := address(s) - address(b.memory); cap(s) > 0 && at < uintptr(len(b.memory)) {
			return int(at)
		}
		return -1
	}
	for i, g := range got.packets {
		w := want.packets[i]
		if !bytes.Equal(g.Dst, w.Dst) || (g.Dst == nil) != (w.Dst == nil) || cap(g.Dst) != cap(w.Dst) || inside(got, g.Dst) != inside(want, w.Dst) || g.Err != w.Err {
			t.Errorf("batch of %d, open %v: packet %d with a text of %d and AAD of %d bytes: Dst has %d bytes, error %v, want %d bytes, error %v",
				len(got.packets), open, i, len(g.Text), len(g.AAD), len(g.Dst), g.Err, len(w.Dst), w.Err)
		}
	}
}

// TestBatchForged spoils each packet of a batch in turn, in one that takes two calls
// of the kernel and leaves some over.
func TestBatchForged(t *testing.T) {
	const packets = 64 + 4 + 3
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		a := make1(t, key, Options{Kernel: kernel})
		for _, size := range []int{0, 10, 64, 100, 1350} {
			for bad := range packets {
				if testing.Short() && bad > 4 && bad%13 != 0 {
					continue
				}
				p := make([]Packet, packets)
				for i := range p {
					nonce, text := pool[i:][:12], pool[2*i:][:size]
					p[i] = Packet{Nonce: nonce, Text: a.Seal(nil, nonce, text, pool[:13]), AAD: pool[:13], Err: errStale}
					p[i].Dst = p[i].Text[:0]
				}
				text := p[bad].Text
				text[len(text)-1] ^= 0x10
				tag := bytes.Clone(text[size:])
				if n := a.OpenBatch(p); n != len(p)-1 {
					t.Errorf("texts of %d bytes: %d packets are opened, want %d", size, n, len(p)-1)
				}
				for i, k := range p {
					if i == bad {
						if k.Dst != nil || k.Err != errOpen || !bytes.Equal(text[:size], make([]byte, size)) || !bytes.Equal(text[size:], tag) {
							t.Errorf("texts of %d bytes: the bad packet %d has %x, %v, and leaves %x", size, i, k.Dst, k.Err, text)
						}
					} else if k.Err != nil || !bytes.Equal(k.Dst, pool[2*i:][:size]) {
						t.Errorf("texts of %d bytes: packet %d beside the bad packet %d: %v", size, i, bad, k.Err)
					}
				}
			}
		}
	})
}

// TestBatchPanics puts a packet at which Seal or Open panics at every place of a
// batch, which must panic with the same text and leave everything as it was.
func TestBatchPanics(t *testing.T) {
	spoilers := map[string]func(p *Packet){
		"short nonce":            func(p *Packet) { p.Nonce = p.Nonce[:11] },
		"no nonce":               func(p *Packet) { p.Nonce = nil },
		"output over text":       func(p *Packet) { p.Dst = p.Text[1:1] },
		"output over AAD":        func(p *Packet) { p.AAD = p.Text[:len(p.AAD)] },
		"output before the text": func(p *Packet) { p.Dst, p.Text = p.Text[:0], p.Text[1:] },
		"output over the last byte of AAD": func(p *Packet) {
			p.AAD = p.Text[:1]
			p.Dst, p.Text = p.Text[:0], p.Text[2:len(p.Text):len(p.Text)]
		},
	}
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		for name, spoil := range spoilers {
			for at := range 18 {
				for _, open := range []bool{false, true} {
					for _, room := range []bool{false, true} {
						panicsAlike(t, a, name, spoil, at, 100, 20, open, room)
						panicsAlike(t, a, name, spoil, at, 60, 13, open, room)
					}
				}
			}
		}
	})
}

// panicsAlike spoils one packet of a batch with text and AAD of so many bytes, in
// which the next packet has room for its result or has not.
func panicsAlike(t *testing.T, a *AEAD, name string, spoil func(*Packet), at, text, aad int, open, room bool) {
	t.Helper()
	memory := randomBytes(18 * 300)
	p := make([]Packet, 18)
	for i := range p {
		m := memory[300*i:][:300:300]
		p[i] = Packet{Dst: m[:0], Nonce: m[280:292], Text: m[:text], AAD: m[200:][:aad], Err: errStale}
	}
	if !room {
		p[(at+1)%18].Dst = nil
	}
	spoil(&p[at])
	k := p[at]
	want := catch(func() { one(a, &k, open) })
	copy(memory, randomBytes(len(memory)))
	before := slices.Clone(p)
	if got := catch(func() { all(a, p, open) }); got != want || want == "" {
		t.Errorf("packet %d of %d bytes, %s, open %v, room %v: panics with %q, want %q", at, text, name, open, room, got, want)
	}
	if !bytes.Equal(memory, randomBytes(len(memory))) || !reflect.DeepEqual(p, before) {
		t.Errorf("packet %d of %d bytes, %s, open %v, room %v: something was changed before the panic", at, text, name, open, room)
	}
}

// TestBatchOthers puts a packet of another kind at every place among brief ones, in
// a batch that has room for all.
func TestBatchOthers(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		for _, other := range []struct{ text, aad int }{{0, 13}, {65, 13}, {64, 17}, {1, 65}, {300, 0}} {
			for at := range 9 {
				for _, open := range []bool{false, true} {
					b := batch{randomBytes(9 * 1000), make([]Packet, 9)}
					for i := range b.packets {
						text, aad, m := 64-i, 16-i, b.memory[1000*i:][:1000:1000]
						if i == at {
							text, aad = other.text, other.aad
						}
						p := &b.packets[i]
						*p = Packet{Dst: m[600:600], Nonce: m[:12], Text: m[100:][:text], AAD: m[20:][:aad]}
						if open {
							p.Text = a.Seal(p.Text[:0], p.Nonce, p.Text, p.AAD)
						}
					}
					sameBatch(t, a, b, open)
				}
			}
		}
	})
}

// TestBatchOverlap slides the output of a packet over its text, its AAD and its
// nonce, from right behind them to right before, among packets of its kind that have
// room.
func TestBatchOverlap(t *testing.T) {
	const at, apart = 1200, 2600 // where the slice that is slid over lies, and where the others do
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a, memory := make1(t, randomBytes(16), Options{Kernel: kernel}), randomBytes(4200)
		slide := func(n, m, shift int, over string, room int, open bool) {
			run := func(do func(*Packet)) (b []byte, p Packet, text string) {
				b = bytes.Clone(memory)
				places := map[string]int{"text": apart, "AAD": apart + 1300, "nonce": apart + 1400}
				places[over] = at
				p = Packet{Dst: b[at+shift:][:0:room], Nonce: b[places["nonce"]:][:12], Text: b[places["text"]:][:n], AAD: b[places["AAD"]:][:m]}
				if open && n >= 16 {
					a.Seal(p.Text[:0], bytes.Clone(p.Nonce), bytes.Clone(p.Text[:n-16]), bytes.Clone(p.AAD))
				}
				text = catch(func() { do(&p) })
				return b, p, text
			}
			got, gotPacket, gotText := run(func(p *Packet) {
				ps := make([]Packet, 4)
				for i := range ps {
					ps[i] = Packet{Dst: make([]byte, 0, n+16), Nonce: pool[:12], Text: pool[:n], AAD: pool[:m]}
				}
				ps[m%4] = *p
				all(a, ps, open)
				*p = ps[m%4]
			})
			want, wantPacket, wantText := run(func(p *Packet) { one(a, p, open) })
			if !bytes.Equal(got, want) || gotText != wantText || !bytes.Equal(gotPacket.Dst, wantPacket.Dst) || gotPacket.Err != wantPacket.Err {
				t.Errorf("text of %d, AAD of %d, room of %d bytes, shift %d, over %s, open %v: panics with %q, error %v, want %q, %v",
					n, m, room, shift, over, open, gotText, gotPacket.Err, wantText, wantPacket.Err)
			}
		}
		for _, n := range []int{0, 1, 16, 53, 100, 300, 1100} {
			for _, m := range []int{0, 13, 20, 45} {
				for shift := -n - 30; shift <= max(80, n+30); shift++ {
					if middle := shift > -n+30 && shift < -30 || shift > 80 && shift < n-30; middle && shift%29 != 0 {
						continue
					}
					for _, over := range []string{"text", "AAD", "nonce"} {
						for _, room := range []int{0, n + 3, n + 40} {
							slide(n, m, shift, over, room, false)
							slide(n, m, shift, over, room, true)
						}
					}
				}
			}
		}
	})
}

// TestBatchNone offers no packets, and AEADs that New did not make.
func TestBatchNone(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		a.SealBatch(nil)
		a.SealBatch([]Packet{})
		if a.OpenBatch(nil) != 0 || a.OpenBatch([]Packet{}) != 0 {
			t.Error("OpenBatch opened packets where there are none")
		}
	})
	for _, open := range []bool{false, true} {
		const want = "gcm: this AEAD was not made by New or NewWithOptions"
		if got := catch(func() { all(new(AEAD), make([]Packet, 4), open) }); got != want {
			t.Errorf("a batch of no AEAD panics with %q, want %q", got, want)
		}
	}
}

// TestBatchAllocations counts allocations: none where every Dst has room, and one
// for each that has not.
func TestBatchAllocations(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, o := range []Options{{}, {TagSize: 12}} {
			o.Kernel = kernel
			if kernel == dispatch.Generic && o.TagSize != 0 && raceEnabled {
				continue // sync.Pool drops things at random under the race detector
			}
			a := make1(t, randomBytes(16), o)
			sealed, opened := make([]Packet, 70), make([]Packet, 70)
			for i := range sealed {
				text, nonce := pool[:batchSizes[i%len(batchSizes)]], pool[i:][:12]
				sealed[i] = Packet{Dst: make([]byte, 0, len(text)+16), Nonce: nonce, Text: text, AAD: pool[:i]}
				opened[i] = Packet{Dst: make([]byte, 0, len(text)), Nonce: nonce, Text: a.Seal(nil, nonce, text, pool[:i]), AAD: pool[:i]}
			}
			opened[33].Text[1] ^= 1
			dst := opened[33].Dst
			check := func(what string, p []Packet, want float64, f func()) {
				t.Helper()
				if got := testing.AllocsPerRun(50, func() {
					for i := range p {
						p[i].Dst = p[i].Dst[:0]
					}
					opened[33].Dst = dst
					f()
				}); got != want {
					t.Errorf("tags of %d bytes: %s allocates %v times, want %v", a.Overhead(), what, got, want)
				}
			}
			check("SealBatch with room", sealed, 0, func() { a.SealBatch(sealed) })
			check("OpenBatch with room", opened, 0, func() { a.OpenBatch(opened) })
			check("SealBatch without room in 2 of 70", sealed, 2, func() {
				sealed[5].Dst, sealed[6].Dst = nil, nil
				a.SealBatch(sealed)
			})
		}
	})
}

// TestBatchConcurrency shares one AEAD among goroutines with batches of their own,
// while the garbage collector never rests.
func TestBatchConcurrency(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(32), Options{Kernel: kernel})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(2, uint64(g)))
				for range 10 {
					for _, open := range []bool{false, true} {
						sameBatch(t, a, newBatch(r, a, 40, open), open)
					}
				}
			})
		}
		wg.Wait()
	})
}

// FuzzBatch compares batches laid out by chance with Seal and Open on every kernel.
//
//	go test -fuzz FuzzBatch
func FuzzBatch(f *testing.F) {
	f.Add(uint64(1), uint8(16), uint8(16), false)
	f.Add(uint64(2), uint8(63), uint8(12), true)
	f.Fuzz(func(t *testing.T, seed uint64, n, tagSize uint8, open bool) {
		for _, kernel := range Kernels() {
			a := make1(t, randomBytes(keySizes[seed%3]), Options{TagSize: 12 + int(tagSize)%5, Kernel: kernel})
			r := rand.New(rand.NewPCG(seed, 3))
			sameBatch(t, a, newBatch(r, a, int(n)%71, open), open)
		}
	})
}

// BenchmarkBatch compares batches with loops of Seal and Open, in turns, of which
// the fastest count: nanoseconds for a packet, and how many times as fast a batch is.
func BenchmarkBatch(b *testing.B) {
	for _, bits := range []int{128, 256} {
		for _, size := range []int{64, 1350} {
			for _, open := range []bool{false, true} {
				name := fmt.Sprintf("%d/64x%d/%s", bits, size, map[bool]string{false: "seal", true: "open"}[open])
				b.Run(name, func(b *testing.B) { benchmarkBatch(b, bits, size, open) })
			}
		}
	}
}

func benchmarkBatch(b *testing.B, bits, size int, open bool) {
	a := make1(b, randomBytes(bits/8), Options{Kernel: Kernels()[0]})
	p := make([]Packet, 64)
	for i := range p {
		nonce := bytes.Clone(pool[i:][:12])
		p[i] = Packet{Dst: make([]byte, 0, size+16), Nonce: nonce, Text: randomBytes(size), AAD: make([]byte, 13)}
		if open {
			p[i].Text = a.Seal(nil, nonce, p[i].Text, p[i].AAD)
		}
	}
	rewind := func() {
		for i := range p {
			p[i].Dst = p[i].Dst[:0]
		}
	}
	opened := 0
	loop := fastest{do: func() {
		rewind()
		for i := range p {
			opened += one(a, &p[i], open)
		}
	}}
	batch := fastest{do: func() {
		rewind()
		opened += all(a, p, open)
	}}
	for b.Loop() {
		loop.turn()
		batch.turn()
	}
	if open && opened%len(p) != 0 {
		b.Fatalf("%d packets were opened in batches of %d", opened, len(p))
	}
	b.ReportMetric(loop.ns/float64(len(p)), "ns-alone")
	b.ReportMetric(batch.ns/float64(len(p)), "ns-batched")
	b.ReportMetric(loop.ns/batch.ns, "times")
}

// fastest is how long something takes at best.
type fastest struct {
	do func()
	ns float64 // of the fastest turn, a call
}

// turn times twenty calls.
func (f *fastest) turn() {
	const calls = 20
	start := time.Now()
	for range calls {
		f.do()
	}
	if ns := float64(time.Since(start)) / calls; f.ns == 0 || ns < f.ns {
		f.ns = ns
	}
}
