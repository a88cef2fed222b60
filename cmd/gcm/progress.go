// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// progress is a reader that shows on a terminal how far it is.
type progress struct {
	src      io.Reader
	size     int64 // bytes, or -1: not known
	terminal *os.File
	start    time.Time
	read     atomic.Int64 // bytes
	done     chan struct{}
	ended    chan struct{}
}

// newProgress begins to show how much of src, of size bytes or of unknown size
// if that is -1, has been read.
func newProgress(src io.Reader, size int64, terminal *os.File) *progress {
	p := &progress{src: src, size: size, terminal: terminal, start: time.Now(), done: make(chan struct{}), ended: make(chan struct{})}
	go p.show()
	return p
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	p.read.Add(int64(n))
	return n, err
}

// stop takes the bar away.
func (p *progress) stop() {
	close(p.done)
	<-p.ended
}

// show draws the bar five times a second. What is done sooner shows none.
func (p *progress) show() {
	defer close(p.ended)
	ticker := time.NewTicker(time.Second / 5)
	defer ticker.Stop()
	drawn := 0 // characters
	for {
		select {
		case <-ticker.C:
			line := bar(p.read.Load(), p.size, time.Since(p.start), width(p.terminal)-1)
			fmt.Fprintf(p.terminal, "\r%-*s", drawn, line)
			drawn = len(line)
		case <-p.done:
			if drawn > 0 {
				fmt.Fprintf(p.terminal, "\r%*s\r", drawn, "")
			}
			return
		}
	}
}

// bar is a line of at most width characters for read bytes of size, which is -1
// where it is not known.
func bar(read, size int64, elapsed time.Duration, width int) string {
	rate := float64(read) / elapsed.Seconds() // bytes per second
	var line string
	if size < 0 {
		line = fmt.Sprintf("%s, %s/s, %s", amount(float64(read)), amount(rate), minutes(elapsed))
	} else {
		part, left := 1.0, "?"
		if size > 0 {
			part = min(1, float64(read)/float64(size))
		}
		if read > 0 {
			left = minutes(time.Duration(float64(max(0, size-read)) / rate * float64(time.Second)))
		}
		line = fmt.Sprintf("%3.0f%%  %s of %s, %s/s, %s left", 100*part, amount(float64(read)), amount(float64(size)), amount(rate), left)
		if room := min(30, width-len(line)-3); room >= 5 {
			line = line[:4] + " [" + strings.Repeat("#", int(part*float64(room))) + strings.Repeat(".", room-int(part*float64(room))) + "]" + line[5:]
		}
	}
	return line[:max(0, min(len(line), width))]
}

// amount is a number of bytes with at least two digits that count.
func amount(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; n >= 1000 && i+1 < len(units); i++ {
		n /= 1024
	}
	if n < 10 && i > 0 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}

// minutes is a time in hours, minutes and seconds.
func minutes(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
