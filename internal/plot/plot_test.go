// SPDX-License-Identifier: ISC

package plot

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

func chart() Chart {
	return Chart{
		Title: "a < b & \"c\"", Height: 284, Columns: 2,
		Panels: []Panel{
			{Title: "left", X: Axis{Label: "bytes", From: 1, To: 16, Log: true, Ticks: []Tick{{1, "1"}, {4, "4"}, {16, "16"}}},
				Y:     Axis{Label: "GB/s", From: 0, To: 10, Ticks: []Tick{{0, "0"}, {10, "10"}}},
				Lines: []Line{{Style{Colour: 0}, []Point{{1, 0}, {4, 5}, {16, 10}}}, {Style{Colour: Grey, Dashed: true}, []Point{{1, 10}, {16, 10}}}}},
			{Title: "right", X: Axis{From: 0, To: 1}, Y: Axis{From: 0, To: 1},
				Lines: []Line{{Style{Colour: 3}, []Point{{-1, 0}, {2, 2}, {0.5, math.NaN()}, {0, math.Inf(1)}}}}},
		},
		Legend: []Entry{{Style{Colour: 0}, "first"}, {Style{Colour: Grey, Dashed: true}, "limit"}},
	}
}

// TestSVG draws a chart: it must be XML, hold every text, have its points where
// the axes say, and leave out what is outside.
func TestSVG(t *testing.T) {
	svg := chart().SVG()
	if !bytes.Equal(svg, chart().SVG()) {
		t.Error("another run draws something else")
	}
	var texts []string
	var paths []string
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.CharData:
			texts = append(texts, string(e))
		case xml.StartElement:
			for _, a := range e.Attr {
				if e.Name.Local == "path" && a.Name.Local == "d" && strings.Contains(a.Value, ",") {
					paths = append(paths, a.Value)
				}
			}
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"a < b & \"c\"", "left", "right", "bytes", "GB/s", "first", "limit", "\n16\n", "prefers-color-scheme:dark"} {
		if !strings.Contains(all, want) {
			t.Errorf("no text %q", want)
		}
	}
	// The axes begin 56 and 536 pixels from the left, are 404 wide, and go from 92
	// pixels down to 292.
	if want := []string{"M56,292l202,-100 202,-100", "M56,92l404,0"}; strings.Join(paths, "|") != strings.Join(want, "|") {
		t.Errorf("paths are %q, want %q", paths, want)
	}
}

// TestNumber writes numbers as short as they can be.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", -0.04: "0", 0.04: "0", 0.2: ".2", -0.2: "-.2", 3: "3", -10.26: "-10.3", 120.96: "121"} {
		if got := number(x); got != want {
			t.Errorf("number(%g) = %s, want %s", x, got, want)
		}
	}
}

// TestRows puts panels below each other.
func TestRows(t *testing.T) {
	c := chart()
	c.Panels[1].Lines[0].Points = []Point{{0, 0}, {1, 1}}
	c.Columns = 1
	svg := string(c.SVG())
	for _, want := range []string{`viewBox="0 0 960 628"`, "M56,292l442,-100 442,-100", "M56,576l884,-200"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in the drawing", want)
		}
	}
}
