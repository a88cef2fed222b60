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
	From     int    `json:"from"`                // bytes of the shortest message
	To       int    `json:"to"`                  // bytes of the longest message; -1 for no limit
	WhyNever string `json:"why_never,omitempty"` // why no message takes it here
}

// doors reports on all doors.
func doors() []doorReport {
	r := make([]doorReport, len(dispatch.Doors))
	for d, name := range dispatch.Doors {
		r[d] = doorReport{name, 0, -1, noDoor(dispatch.Door(d))}
	}
	switch {
	case r[dispatch.Direct].WhyNever != "":
	case r[dispatch.Cgo].WhyNever == "":
		r[dispatch.Direct].To, r[dispatch.Cgo].From = dispatch.DirectMax, dispatch.DirectMax+1
		r[dispatch.Pieces].WhyNever = "the cgo door takes long messages"
	default:
		r[dispatch.Direct].To, r[dispatch.Pieces].From = dispatch.HeldMax, dispatch.HeldMax+1
	}
	return r
}

// String is what gcm info prints behind the name.
func (d doorReport) String() string {
	switch {
	case d.WhyNever != "":
		return "not used: " + d.WhyNever
	case d.To >= 0:
		return fmt.Sprintf("messages of at most %d bytes", d.To)
	case d.From > 0:
		return "longer messages"
	}
	return "all messages"
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
