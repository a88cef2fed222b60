// SPDX-License-Identifier: ISC

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/record"
)

// Every door is shown, with what it takes or why it takes nothing.
func TestDoors(t *testing.T) {
	_, stdout, _ := call("info")
	for _, d := range doors() {
		line := regexp.MustCompile(`(?m)^door +` + d.Name + ` +(.*)$`).FindStringSubmatch(stdout)
		if line == nil || line[1] != d.String() {
			t.Errorf("gcm info says %q about %+v", line, d)
		}
		used := map[string]bool{"direct": direct.Linked, "cgo": cshim.Linked, "pieces": direct.Linked && cshim.Foreign == ""}[d.Name]
		if (d.WhyNever == "") != used {
			t.Errorf("door %s is used: %v; reported %+v", d.Name, used, d)
		}
		if (d.Takes == "") == used {
			t.Errorf("door %s is used: %v; reported %+v", d.Name, used, d)
		}
		if used || d.Name == "pieces" && direct.Linked { // may be asked for
			continue
		}
		status, _, stderr := call("speed", "-door", d.Name)
		if status != 2 || !strings.Contains(stderr, d.Name) || !strings.Contains(stderr, d.WhyNever) {
			t.Errorf("gcm speed -door %s: status %d, %q", d.Name, status, stderr)
		}
	}
	for want, d := range map[string]doorReport{
		"longer messages":      {"cgo", "longer messages", ""},
		"not used: for reason": {"cgo", "", "for reason"},
	} {
		if got := d.String(); got != want {
			t.Errorf("%+v is shown as %q, want %q", d, got, want)
		}
	}
}

// Each door asked for gets rows of its own; generic has no doors.
func TestSpeedDoors(t *testing.T) {
	var names []string
	for _, d := range doors() {
		if d.WhyNever == "" {
			names = append(names, d.Name)
		}
	}
	kernel, _ := chosen()
	if names == nil || kernel == dispatch.Generic {
		t.Skip("no kernel here")
	}
	status, stdout, stderr := call("speed", "-json", "-sizes", "16", "-bits", "128", "-turns", "2",
		"-door", strings.Join(names, ","), "-kernels", kernel+",generic", "-time", "1ms")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, name := range names {
		if n := strings.Count(stdout, `"kernel":"`+kernel+`","door":"`+name+`"`); n != 2 {
			t.Errorf("%d rows of door %s, want 2:\n%s", n, name, stdout)
		}
	}
	if strings.Count(stdout, `"door"`) != 2*len(names) || strings.Count(stdout, `{"impl":"gcm","kernel":"generic"`) != 2 {
		t.Errorf("other rows than wanted:\n%s", stdout)
	}
}

// A rival's messages all take its door.
func TestThrough(t *testing.T) {
	for d, name := range dispatch.Doors {
		undo := through(name)
		for _, n := range []int{0, 1 << 30} {
			if got := dispatch.DoorFor(n, nonceSize, true, false); got != dispatch.Door(d) {
				t.Errorf("through door %s, %d bytes take the door %s", name, n, dispatch.Doors[got])
			}
		}
		undo()
	}
	through("")()
	if dispatch.DoorFor(0, nonceSize, true, false) != dispatch.Direct || dispatch.DoorFor(1<<30, nonceSize, true, false) != dispatch.Pieces {
		t.Error("a door stays forced")
	}
}

// The table names the door that the messages of a row took.
func TestDoorOf(t *testing.T) {
	for _, c := range []struct {
		kernel, door string
		size         int
		want         string
	}{
		{dispatch.Generic, "", 16, "-"},
		{dispatch.AESNI, "cgo", 16, "cgo"},
		{dispatch.AESNI, "", dispatch.DirectMax - aadSize - nonceSize, "direct"},
		{dispatch.AESNI, "", dispatch.DirectMax, dispatch.Doors[dispatch.DoorFor(dispatch.DirectMax+1, nonceSize, cshim.Linked, cshim.Foreign != "")]},
	} {
		r := record.Row{Series: record.Series{Kernel: c.kernel, Door: c.door}, Size: c.size}
		if got := doorOf(r); got != c.want {
			t.Errorf("%+v took door %q, want %q", r, got, c.want)
		}
	}
}
