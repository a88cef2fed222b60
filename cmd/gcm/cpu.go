// SPDX-License-Identifier: ISC

package main

import (
	"os"
	"strings"
)

// processor describes the processor, as Linux does in /proc/cpuinfo: by the name
// and the numbers that its maker gave it. It returns "" elsewhere.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return describe(string(text))
}

// describe takes the description of the first processor from /proc/cpuinfo.
func describe(cpuinfo string) string {
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	values := map[string]string{}
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	var words []string
	for _, f := range []struct{ key, word string }{
		{"model name", ""},
		{"cpu family", "family "}, {"model", "model "}, {"stepping", "stepping "}, // amd64
		{"CPU implementer", "implementer "}, {"CPU part", "part "}, {"CPU variant", "variant "}, // arm64
	} {
		if v := values[f.key]; v != "" {
			words = append(words, f.word+v)
		}
	}
	return strings.Join(words, ", ")
}
