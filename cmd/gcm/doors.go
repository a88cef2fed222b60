// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// noDoor says why a door is not in this program, or "" when it is.
func noDoor(door dispatch.Door) string {
	switch {
	case door != dispatch.Cgo && direct.Linked, door == dispatch.Cgo && cshim.Linked:
		return ""
	case !direct.Linked:
		return "no kernel is made for " + runtime.GOARCH
	case !cgoEnabled():
		return "this program was built without cgo"
	}
	return "not made for " + runtime.GOOS
}

// A doorReport tells which messages take a door to a kernel, counting text, AAD
// and nonce.
type doorReport struct {
	Name     string `json:"name"`
	Takes    string `json:"takes,omitempty"`     // which messages take it here
	WhyNever string `json:"why_never,omitempty"` // or why none does
}

// doors reports on all doors.
func doors() []doorReport {
	r := make([]doorReport, len(dispatch.Doors))
	for d, name := range dispatch.Doors {
		r[d] = doorReport{name, "", noDoor(dispatch.Door(d))}
	}
	if r[dispatch.Direct].WhyNever != "" {
		return r
	}
	r[dispatch.Direct].Takes = fmt.Sprintf("messages of at most %d bytes", dispatch.DirectMax)
	switch {
	case cshim.Foreign != "":
		r[dispatch.Cgo].Takes = "longer messages"
		r[dispatch.Pieces].WhyNever = "the kernel from third_party takes messages whole"
	case cshim.Linked:
		r[dispatch.Cgo].Takes = "longer messages with nonces of other than 12 bytes"
		r[dispatch.Pieces].Takes = "longer messages with nonces of 12 bytes"
	default:
		r[dispatch.Direct].Takes += fmt.Sprintf(", of at most %d with nonces of other than 12 bytes", dispatch.HeldMax)
		r[dispatch.Pieces].Takes = "longer messages"
	}
	return r
}

// String is what gcm info prints behind the name.
func (d doorReport) String() string {
	if d.WhyNever != "" {
		return "not used: " + d.WhyNever
	}
	return d.Takes
}

// parseDoors turns the -door list into names of doors that are in this program;
// "" is the door that a message's size decides on.
func parseDoors(list string) ([]string, error) {
	if list == "" {
		return []string{""}, nil
	}
	return each(list, func(word string) (string, error) {
		d := slices.Index(dispatch.Doors[:], word)
		if d < 0 {
			return "", usageError(fmt.Sprintf("speed: door %q in -door is not %s", word, strings.Join(dispatch.Doors[:], " or ")))
		}
		if why := noDoor(dispatch.Door(d)); why != "" {
			return "", usageError(fmt.Sprintf("speed: door %q in -door is not in this program: %s", word, why))
		}
		return word, nil
	})
}

// through sends all messages through a door until undo is called; "" leaves it
// to their size.
func through(door string) (undo func()) {
	if d := slices.Index(dispatch.Doors[:], door); d >= 0 {
		return dispatch.Force(dispatch.Door(d))
	}
	return func() {}
}
