// SPDX-License-Identifier: ISC

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stitchgcm/gcm"
)

// maxSize bounds a timed message, in bytes.
const maxSize = 1 << 30

func speed(args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("speed", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "print one JSON object a line")
	sizeList := fs.String("sizes", "16,64,256,1350,16384,1048576", "plaintext sizes in bytes; k and M stand for 1024 and 1024*1024")
	bitList := fs.String("bits", "128,192,256", "key sizes in bits")
	kernelList := fs.String("kernels", "", "kernels, or all that are usable here (all); by default the one that New chooses")
	d := fs.Duration("time", 100*time.Millisecond, "how long each row is timed")
	if done, err := parse(fs, args, 0, stdout); done || err != nil {
		return err
	}
	if err := checkTime("speed", *d); err != nil {
		return err
	}
	sizes, err := each(*sizeList, parseSize)
	if err != nil {
		return err
	}
	bits, err := each(*bitList, parseBits)
	if err != nil {
		return err
	}
	kernels, err := parseKernels(*kernelList)
	if err != nil {
		return err
	}

	if !*asJSON {
		heading(stdout, *d)
	}
	var all []result
	for _, b := range bits {
		for _, size := range sizes {
			for _, op := range []string{"seal", "open"} {
				results, err := race(op, b, size, kernels, *d)
				if err != nil {
					return err
				}
				all = append(all, results...)
				if *asJSON {
					for _, r := range results {
						if err := json.NewEncoder(stdout).Encode(r); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	if *asJSON {
		return nil
	}
	return table(stdout, all)
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

func checkTime(command string, d time.Duration) error {
	if d <= 0 {
		return usageError(fmt.Sprintf("%s: -time %v is not a positive duration", command, d))
	}
	return nil
}
