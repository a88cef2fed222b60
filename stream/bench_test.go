// SPDX-License-Identifier: ISC

package stream

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// 64 MiB of text, in memory, with segments of the sizes of Tink's templates.
func BenchmarkStream(b *testing.B) {
	key, text := someBytes(32), someBytes(64<<20)
	for _, size := range []int{4096, 1 << 20} {
		for _, workers := range []int{1, 2} {
			o := Options{SegmentSize: size, Workers: workers}
			c, err := o.check(key)
			if err != nil {
				b.Fatal(err)
			}
			sealed := seal(b, text, key, nil, o, c.batch, writeWhole)
			for _, how := range []struct {
				name string
				do   func() error
			}{
				{"Write", func() error {
					w, err := NewWriter(io.Discard, key, nil, o)
					if err != nil {
						return err
					}
					_, err = io.CopyBuffer(onlyWriter{w}, onlyReader{bytes.NewReader(text)}, make([]byte, 32<<10))
					return err
				}},
				{"ReadFrom", func() error {
					w, err := NewWriter(io.Discard, key, nil, o)
					if err != nil {
						return err
					}
					_, err = w.ReadFrom(bytes.NewReader(text))
					return err
				}},
				{"Read", func() error {
					r, err := NewReader(bytes.NewReader(sealed), key, nil, o)
					if err != nil {
						return err
					}
					_, err = io.CopyBuffer(onlyWriter{io.Discard}, onlyReader{r}, make([]byte, 32<<10))
					return err
				}},
				{"WriteTo", func() error {
					r, err := NewReader(bytes.NewReader(sealed), key, nil, o)
					if err != nil {
						return err
					}
					_, err = r.WriteTo(io.Discard)
					return err
				}},
				{"ReadAt", func() error {
					r, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil, o)
					if err != nil {
						return err
					}
					_, err = r.ReadAt(make([]byte, len(text)), 0)
					return err
				}},
			} {
				b.Run(fmt.Sprintf("%s/segment=%d/workers=%d", how.name, size, workers), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					for b.Loop() {
						if err := how.do(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
