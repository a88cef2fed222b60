// SPDX-License-Identifier: ISC

//go:build amd64 || arm64

package dispatch

import (
	"slices"
	"strings"
)

// hidden reports whether GODEBUG hides a feature under one of its names. The last
// setting counts, and one that is neither on nor off does not.
func hidden(godebug string, names ...string) (off bool) {
	for _, setting := range strings.Split(godebug, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		if name, ok := strings.CutPrefix(key, "cpu."); ok && (name == "all" || slices.Contains(names, name)) {
			switch value {
			case "off":
				off = true
			case "on":
				off = false
			}
		}
	}
	return off
}
