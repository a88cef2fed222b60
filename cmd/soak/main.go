// SPDX-License-Identifier: ISC

// Soak works every kernel that can run here through every door, for as long as
// it is told: many goroutines share keys, and seal and open messages of all
// sizes against guard pages and on stacks that grow, while garbage is collected,
// signals come in a storm, and the profiler and the tracer record. crypto/cipher
// does each message too. Soak counts operations and failures, and ends with
// status 1 if there is one.
//
// Usage:
//
//	go run ./cmd/soak              # two minutes
//	go run ./cmd/soak -time 8h     # more
//	go run ./cmd/soak -seed 7      # other messages
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	total := flag.Duration("time", 2*time.Minute, "how long to work")
	goroutines := flag.Int("goroutines", 64, "how many work at once")
	seed := flag.Uint64("seed", 1, "what keys, messages and their sizes come from")
	flag.Parse()
	if err := run(os.Stdout, *total, *goroutines, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, total time.Duration, goroutines int, seed uint64) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case goroutines < 1:
		return fmt.Errorf("%d goroutines are too few", goroutines)
	case total <= 0:
		return fmt.Errorf("a time of %v is too short", total)
	}
	begin := time.Now()
	s, err := newSoak(goroutines, seed)
	if err != nil {
		return err
	}
	w, err := s.work(begin.Add(total))
	if err != nil {
		return err
	}
	s.print(out)
	fmt.Fprintf(out, "%v on %s/%s with GOMAXPROCS=%d: %d goroutines, %d keys, %d collections, %d signals\n",
		time.Since(begin).Round(time.Second), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), goroutines,
		s.keys.Load(), w.collections, w.signals)
	if n := s.failures.Load(); n > 0 {
		return fmt.Errorf("%d failures", n)
	}
	return nil
}
