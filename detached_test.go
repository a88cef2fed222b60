// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"fmt"
	"testing"
)

// TestDetachedAppend checks that what dst holds stays in front, with room and
// without, and that nothing else is written.
func TestDetachedAppend(t *testing.T) {
	onEveryKernel(t, func(t *testing.T, kernel string) {
		for _, tagSize := range []int{12, 16} {
			a := make1(t, make([]byte, 32), Options{TagSize: tagSize, Kernel: kernel})
			nonce, text, aad := randomBytes(12), randomBytes(50), randomBytes(9)
			want := a.Seal(nil, nonce, text, aad)
			for room := range 100 {
				dst, intact := fenced(4 + room)
				copy(dst, "head")
				tag, tagIntact := fenced(tagSize)
				got := a.SealDetached(dst[:4], tag, nonce, text, aad)
				if string(got[:4]) != "head" || !bytes.Equal(got[4:], want[:50]) || !bytes.Equal(tag, want[50:]) {
					t.Errorf("room of %d bytes: SealDetached gives %x, %x", room, got, tag)
				}
				if (&got[0] == &dst[0]) != (room >= 50) || !intact() || !tagIntact() {
					t.Errorf("room of %d bytes: SealDetached wrote elsewhere", room)
				}
				clear(dst[4:])
				back, err := a.OpenDetached(dst[:4], tag, nonce, want[:50], aad)
				if err != nil || string(back[:4]) != "head" || !bytes.Equal(back[4:], text) || (&back[0] == &dst[0]) != (room >= 50) || !intact() {
					t.Errorf("room of %d bytes: OpenDetached gives %x, %v", room, back, err)
				}
				if room > 50 && !bytes.Equal(dst[54:], make([]byte, room-50)) {
					t.Errorf("room of %d bytes: OpenDetached left %x behind the plaintext", room, dst[54:])
				}
			}
		}
	})
}

// TestDetachedForged checks that a forgery leaves zeros and nothing else, apart
// and in place.
func TestDetachedForged(t *testing.T) {
	onEveryKey(t, func(t *testing.T, kernel string, key []byte) {
		for _, tagSize := range []int{12, 13, 16} {
			a := make1(t, key, Options{TagSize: tagSize, Kernel: kernel})
			nonce, aad := randomBytes(12), randomBytes(20)
			for _, n := range []int{0, 1, 16, 100, 1350, 5000} {
				sealed := a.Seal(nil, nonce, pool[:n], aad)
				for bit := range 8 * tagSize {
					forged := flip(sealed, 8*n+bit)
					for _, inPlace := range []bool{false, true} {
						out, intact := fenced(n)
						in := forged[:n]
						if inPlace {
							in = out
						}
						copy(out, forged)
						got, err := a.OpenDetached(out[:0], forged[n:], nonce, in, aad)
						if got != nil || err != errOpen || !intact() || !bytes.Equal(out, make([]byte, n)) {
							t.Errorf("text of %d bytes, in place %v: a forged tag gives %x, %v", n, inPlace, got, err)
						}
					}
				}
			}
			for size := range 20 {
				if size == tagSize {
					continue
				}
				out := bytes.Clone(pool[:50])
				sealed := a.Seal(nil, nonce, pool[:50], aad)
				got, err := a.OpenDetached(out[:0], append(sealed[50:], 0, 0, 0, 0, 0, 0, 0, 0)[:size], nonce, sealed[:50], aad)
				if got != nil || err != errOpen || !bytes.Equal(out, pool[:50]) {
					t.Errorf("a tag of %d bytes opens to %x, %v", size, got, err)
				}
				const want = "gcm: incorrect tag length given to SealDetached"
				if got := catch(func() { a.SealDetached(nil, make([]byte, size), nonce, nil, nil) }); got != want {
					t.Errorf("SealDetached to a tag of %d bytes panics with %q, want %q", size, got, want)
				}
			}
		}
	})
}

// TestDetachedOverlap slides the output and the tag over everything else.
func TestDetachedOverlap(t *testing.T) {
	const n, m, tagSize, at = 37, 20, 16, 100
	// meets reports whether two ranges share a byte.
	meets := func(x, xn, y, yn int) bool { return x < y+yn && y < x+xn }
	const noMatter = 300 // apart from everything
	onEveryKernel(t, func(t *testing.T, kernel string) {
		a := make1(t, randomBytes(16), Options{Kernel: kernel})
		nonce := randomBytes(12)
		for shift := -60; shift <= 60; shift++ {
			for _, what := range []string{"out over text", "out over AAD", "out over tag", "tag over text", "tag over AAD"} {
				b := randomBytes(600)
				text, aad, out, tag := noMatter, noMatter+50, noMatter+100, noMatter+150
				wantSeal, wantOpen := "", ""
				move := func(slid, over *int, slidSize, overSize int, seal, open string) {
					*over, *slid = at, at+shift
					if meets(*slid, slidSize, *over, overSize) {
						wantSeal, wantOpen = seal, open
					}
				}
				switch what {
				case "out over text":
					move(&out, &text, n, n, overlapInput, overlapInput)
					if shift == 0 {
						wantSeal, wantOpen = "", ""
					}
				case "out over AAD":
					move(&out, &aad, n, m, overlapAAD, overlapAAD)
				case "out over tag":
					move(&out, &tag, n, tagSize, "gcm: invalid buffer overlap of ciphertext and tag", overlapInput)
				case "tag over text":
					move(&tag, &text, tagSize, n, overlapInput, "")
				case "tag over AAD":
					move(&tag, &aad, tagSize, m, overlapAAD, "")
				}
				where := fmt.Sprintf("%s, shift %d", what, shift)
				want := a.Seal(nil, nonce, b[text:][:n], b[aad:][:m])
				got := catch(func() {
					a.SealDetached(b[out:out], b[tag:][:tagSize], nonce, b[text:][:n], b[aad:][:m])
				})
				if got != wantSeal {
					t.Errorf("%s: SealDetached panics with %q, want %q", where, got, wantSeal)
				} else if got == "" && (!bytes.Equal(b[out:][:n], want[:n]) || !bytes.Equal(b[tag:][:tagSize], want[n:])) {
					t.Errorf("%s: SealDetached differs", where)
				} else if got != "" && !bytes.Equal(b, randomBytes(len(b))) {
					t.Errorf("%s: SealDetached wrote before it panicked", where)
				}
				b = randomBytes(600)
				got = catch(func() {
					a.OpenDetached(b[out:out], b[tag:][:tagSize], nonce, b[text:][:n], b[aad:][:m])
				})
				if got != wantOpen {
					t.Errorf("%s: OpenDetached panics with %q, want %q", where, got, wantOpen)
				}
			}
		}
	})
}
