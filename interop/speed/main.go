// SPDX-License-Identifier: ISC

// Command speed seals and opens a large file with the package stream and with
// Tink, in turn, and prints how fast each was. Beside them stands how fast the
// same file is only copied, in pieces of 1 MiB: what a processor that sealed in
// no time would reach.
//
//	go run ./speed [-dir DIR] [-size BYTES] [-turns N]
//
// Choose a DIR in memory, since a disk would be measured otherwise. It takes up to
// four times SIZE there, and removes it in the end.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/stream"
	"github.com/tink-crypto/tink-go/v2/streamingaead/subtle"
)

func main() {
	dir := flag.String("dir", "/dev/shm", "where the files are")
	size := flag.Int64("size", 1<<30, "bytes of plaintext")
	turns := flag.Int("turns", 5, "how often each is timed; the fastest turn counts")
	flag.Parse()
	if err := compare(*dir, *size, *turns); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// entry is one way to do one job.
type entry struct {
	name  string
	cores int
	do    func(dst io.Writer, src io.Reader) error
}

// job is what all its entries do.
type job struct {
	name     string
	src, dst string // names of files; "" for a destination: nowhere
	memory   bool   // src is in memory
	entries  []entry
}

func compare(dir string, size int64, turns int) error {
	dir, err := os.MkdirTemp(dir, "speed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text, sealed, out := filepath.Join(dir, "text"), filepath.Join(dir, "sealed"), filepath.Join(dir, "out")

	key := make([]byte, 32)
	tink, err := subtle.NewAESGCMHKDF(key, "SHA256", 32, 1<<20, 0)
	if err != nil {
		return err
	}
	seal := func(workers int) func(io.Writer, io.Reader) error {
		return func(dst io.Writer, src io.Reader) error {
			w, err := stream.NewWriter(dst, key, nil, stream.Options{Workers: workers})
			if err != nil {
				return err
			}
			if _, err := io.Copy(w, src); err != nil {
				return err
			}
			return w.Close()
		}
	}
	open := func(workers int) func(io.Writer, io.Reader) error {
		return func(dst io.Writer, src io.Reader) error {
			r, err := stream.NewReader(src, key, nil, stream.Options{Workers: workers})
			if err != nil {
				return err
			}
			_, err = io.Copy(dst, r)
			return err
		}
	}
	copying := func(dst io.Writer, src io.Reader) error {
		buf := make([]byte, 1<<20)
		for {
			n, err := src.Read(buf)
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	sealing := []entry{
		{"Tink", 1, func(dst io.Writer, src io.Reader) error {
			w, err := tink.NewEncryptingWriter(dst, nil)
			if err != nil {
				return err
			}
			if _, err := io.Copy(w, src); err != nil {
				return err
			}
			return w.Close()
		}},
		{"stream", 1, seal(1)},
		{"stream", 2, seal(2)},
		{"copy", 1, copying},
	}
	opening := []entry{
		{"Tink", 1, func(dst io.Writer, src io.Reader) error {
			r, err := tink.NewDecryptingReader(src, nil)
			if err != nil {
				return err
			}
			_, err = io.Copy(dst, r)
			return err
		}},
		{"stream", 1, open(1)},
		{"stream", 2, open(2)},
		{"copy", 1, copying},
	}

	if err := prepare(text, sealed, out, size, seal(1)); err != nil {
		return err
	}
	aead, err := gcm.New(key)
	if err != nil {
		return err
	}
	fmt.Printf("%s, kernel %s, %d bytes in segments of 1 MiB; GB/s, the fastest of %d turns\n", runtime.Version(), aead.Kernel(), size, turns)
	fmt.Printf("%-24s%-8s%5s%8s%10s%14s%13s\n", "job", "by", "cores", "GB/s", "to Tink", "to one core", "to copying")
	for _, j := range []job{
		{"seal memory to nowhere", text, "", true, sealing},
		{"seal file to nowhere", text, "", false, sealing},
		{"seal file to file", text, out, false, sealing},
		{"open memory to nowhere", sealed, "", true, opening},
		{"open file to nowhere", sealed, "", false, opening},
		{"open file to file", sealed, out, false, opening},
	} {
		best, err := j.time(turns)
		if err != nil {
			return err
		}
		for i, e := range j.entries {
			fmt.Printf("%-24s%-8s%5d%8.2f%10.2f", j.name, e.name, e.cores, float64(size)/best[i].Seconds()/1e9, best[0].Seconds()/best[i].Seconds())
			if e.name == "stream" {
				fmt.Printf("%14.2f%13.2f", best[1].Seconds()/best[i].Seconds(), best[len(best)-1].Seconds()/best[i].Seconds())
			}
			fmt.Println()
		}
	}
	return nil
}

// prepare writes the three files.
func prepare(text, sealed, out string, size int64, seal func(io.Writer, io.Reader) error) error {
	f, err := os.Create(text)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.CopyN(f, rand.NewChaCha8([32]byte{}), size); err != nil {
		return err
	}
	for _, name := range []string{sealed, out} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		g, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := seal(g, f); err != nil {
			return err
		}
		if err := g.Close(); err != nil {
			return err
		}
	}
	return nil
}

// time does the entries in turn and returns the fastest time of each.
func (j job) time(turns int) ([]time.Duration, error) {
	var memory []byte
	if j.memory {
		var err error
		if memory, err = os.ReadFile(j.src); err != nil {
			return nil, err
		}
	}
	best := make([]time.Duration, len(j.entries))
	for range turns {
		for i, e := range j.entries {
			d, err := j.once(e, memory)
			if err != nil {
				return nil, fmt.Errorf("%s by %s: %w", j.name, e.name, err)
			}
			if best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	return best, nil
}

func (j job) once(e entry, memory []byte) (time.Duration, error) {
	var src io.Reader = bytes.NewReader(memory)
	if !j.memory {
		f, err := os.Open(j.src)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		src = f
	}
	dst := io.Discard
	if j.dst != "" {
		// Written over: a new file would time how the system finds memory for it.
		f, err := os.OpenFile(j.dst, os.O_WRONLY, 0)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		dst = f
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(e.cores))
	runtime.GC()
	start := time.Now()
	err := e.do(dst, src)
	return time.Since(start), err
}
