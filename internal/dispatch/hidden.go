// SPDX-License-Identifier: ISC

//go:build amd64 || arm64

package dispatch

import (
	"slices"
	"strings"
)

// hidden reports whether GODEBUG hides a feature under one of its names. The last
// setting counts.
func hidden(godebug string, names ...string) (off bool) {
	for _, setting := range strings.Split(godebug, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		if name, ok := strings.CutPrefix(key, "cpu."); ok && (name == "all" || slices.Contains(names, name)) {
			off = value == "off"
		}
	}
	return off
}
