// SPDX-License-Identifier: ISC

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/internal/record"
)

// maxSize bounds a timed message, in bytes.
const maxSize = 1 << 30

// maxBatch bounds how many messages a batch has.
const maxBatch = 1 << 16

// maxSizes bounds how many sizes are timed in one run.
const maxSizes = 1 << 16

func speed(args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("speed", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "print JSON objects, one a line: of the run, then of each row or range of sizes")
	sizeList := fs.String("sizes", "16,64,256,1350,16384,1048576", "plaintext sizes in bytes, or ranges of them such as 0-4096; k and M stand for 1024 and 1024*1024")
	bitList := fs.String("bits", "128,192,256", "key sizes in bits")
	kernelList := fs.String("kernels", "", "kernels, or all that are usable here (all); by default the one that New chooses")
	doorList := fs.String("door", "", "doors that all messages take: direct, cgo, pieces; by default each takes the one for its size")
	batch := fs.Int("batch", 0, "also time SealBatch and OpenBatch, of so many messages; then everybody works through as many, with memory of their own")
	p := paceFlags(fs)
	if done, err := parse(fs, args, 0, stdout); done || err != nil {
		return err
	}
	if err := p.check("speed"); err != nil {
		return err
	}
	ranges, err := each(*sizeList, parseSizes)
	if err != nil {
		return err
	}
	sizes, err := list(ranges)
	if err != nil {
		return err
	}
	if most := slices.Max(sizes); *batch < 0 || *batch > maxBatch || int64(*batch)*int64(most) > maxSize {
		return usageError(fmt.Sprintf("speed: -batch %d is not a number from 0 to %d of messages that have %d bytes together", *batch, maxBatch, maxSize))
	}
	bits, err := each(*bitList, parseBits)
	if err != nil {
		return err
	}
	kernels, err := parseKernels(*kernelList)
	if err != nil {
		return err
	}
	doors, err := parseDoors(*doorList)
	if err != nil {
		return err
	}

	if !*asJSON {
		heading(stdout, *p)
	}
	rows, err := race(bits, sizes, kernels, doors, *batch, *p)
	if err != nil {
		return err
	}
	if !*asJSON {
		return table(stdout, rows)
	}
	run := record.Run{
		Date: time.Now().UTC().Format(time.DateOnly), Command: strings.Join(append([]string{"gcm speed"}, args...), " "),
		CPU: processor(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Cgo: cgoEnabled(),
		Kernels: kernels, AAD: aadSize, Turns: p.turns, Time: p.time.String(),
	}
	return printJSON(stdout, run, rows, ranges, len(bits))
}

// printJSON prints the rows of a race, those of each range of sizes together.
func printJSON(w io.Writer, run record.Run, rows []record.Row, ranges []sizeRange, bits int) error {
	e := json.NewEncoder(w)
	if err := e.Encode(run); err != nil {
		return err
	}
	sizes := 0
	for _, r := range ranges {
		sizes += r.count()
	}
	per := len(rows) / bits / sizes // rows of one size
	for range bits {
		for _, r := range ranges {
			own := rows[:per*r.count()]
			rows = rows[len(own):]
			for i, first := range own[:per] {
				var v any = first
				if r.count() > 1 {
					s := record.Sweep{Series: first.Series, From: r.from}
					for ; i < len(own); i += per {
						s.NSEach = append(s.NSEach, math.Round(10*own[i].NS)/10)
					}
					v = s
				}
				if err := e.Encode(v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// each splits a list at commas and parses every word of it.
func each[T any](list string, parse func(string) (T, error)) ([]T, error) {
	var values []T
	for _, word := range strings.Split(list, ",") {
		v, err := parse(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func parseSize(word string) (int, error) {
	digits, unit := word, 1
	if s, ok := strings.CutSuffix(word, "k"); ok {
		digits, unit = s, 1<<10
	} else if s, ok := strings.CutSuffix(word, "M"); ok {
		digits, unit = s, 1<<20
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n > uint64(maxSize/unit) {
		return 0, usageError(fmt.Sprintf("speed: size %q in -sizes is not a number of bytes from 0 to %d", word, maxSize))
	}
	return int(n) * unit, nil
}

// A sizeRange is the sizes from one to another, both included, in bytes.
type sizeRange struct{ from, to int }

func (r sizeRange) count() int { return r.to - r.from + 1 }

// parseSizes parses a size, or two of them with a hyphen between.
func parseSizes(word string) (r sizeRange, err error) {
	from, to, isRange := strings.Cut(word, "-")
	if from == "" {
		from, isRange = word, false
	}
	if r.from, err = parseSize(from); err != nil {
		return r, err
	}
	r.to = r.from
	if isRange {
		if r.to, err = parseSize(to); err != nil {
			return r, err
		}
	}
	if r.count() < 1 {
		return r, usageError(fmt.Sprintf("speed: range %q in -sizes ends before it begins", word))
	}
	return r, nil
}

// list returns all sizes in ranges.
func list(ranges []sizeRange) (sizes []int, err error) {
	for _, r := range ranges {
		if len(sizes)+r.count() > maxSizes {
			return nil, usageError(fmt.Sprintf("speed: -sizes asks for more than %d sizes", maxSizes))
		}
		for n := r.from; n <= r.to; n++ {
			sizes = append(sizes, n)
		}
	}
	return sizes, nil
}

func parseBits(word string) (int, error) {
	switch word {
	case "128", "192", "256":
		return strconv.Atoi(word)
	}
	return 0, usageError(fmt.Sprintf("speed: key size %q in -bits is not 128, 192 or 256", word))
}

// parseKernels turns the -kernels list into names that are usable here.
func parseKernels(list string) ([]string, error) {
	switch list {
	case "":
		name, err := chosen()
		return []string{name}, err
	case "all":
		return slices.Clone(gcm.Kernels()), nil
	}
	return each(list, func(word string) (string, error) {
		if err := usable(word); err != nil {
			return "", usageError("speed: " + err.Error())
		}
		return word, nil
	})
}
