// SPDX-License-Identifier: ISC

// Package plot draws lines over axes as SVG. The same values give the same
// bytes. Colours follow the reader's preference for light or dark.
package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Chart is one or more panels in rows, with one legend. It is 960 pixels wide.
type Chart struct {
	Title   string
	Panels  []Panel
	Columns int // panels in a row
	Height  int // of a row, in pixels
	Legend  []Entry
}

// A Panel has lines over a pair of axes.
type Panel struct {
	Title string
	X, Y  Axis
	Lines []Line
}

// An Axis shows the values from From to To, which differ.
type Axis struct {
	Label    string // with the unit
	From, To float64
	Log      bool // equal factors are equally far apart; From is then positive
	Ticks    []Tick
}

// A Tick is a value with a text beside the axis.
type Tick struct {
	At   float64
	Text string
}

// A Line goes through points in their order. What is outside of the axes is
// left out.
type Line struct {
	Style  Style
	Points []Point
}

// A Point is a pair of values.
type Point struct{ X, Y float64 }

// A Style is how a line looks.
type Style struct {
	Colour int // from 0, less than Colours, or Grey
	Dashed bool
}

// Grey is the colour of what is drawn for comparison; Colours is how many others
// there are.
const (
	Grey    = -1
	Colours = 4
)

// An Entry of the legend says what a style stands for.
type Entry struct {
	Style Style
	Text  string
}

// Colours, for light and dark paper, that people tell apart however they see.
var (
	colours = [Colours][2]string{{"#1f6fb2", "#6cb4ee"}, {"#c4500b", "#ff9a5c"}, {"#0a7f5a", "#4fc99a"}, {"#8b3fa0", "#d69be8"}}
	grey    = [2]string{"#6e7781", "#9198a1"}
	paper   = [2]string{"#ffffff", "#0d1117"}
	ink     = [2]string{"#1f2328", "#e6edf3"}
	grid    = [2]string{"#dfe4e9", "#2a313a"}
)

// Sizes in pixels.
const (
	width  = 960
	margin = 16
	head   = 60 // room for title and legend
	left   = 56 // of a panel: room for the texts of its axis
	right  = 20
	above  = 32 // of a panel: room for its title
	below  = 52
)

// SVG returns the drawing.
func (c Chart) SVG() []byte {
	var w bytes.Buffer
	height := head + c.Height*((len(c.Panels)+c.Columns-1)/c.Columns)
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n",
		width, height, width, height, escape(c.Title))
	fmt.Fprintln(&w, "<!-- SPDX-License-Identifier: ISC -->")
	style(&w)
	fmt.Fprintf(&w, `<rect class="paper" width="%d" height="%d"/>`+"\n", width, height)
	text(&w, "title", margin, 26, "", c.Title)
	c.legend(&w)
	each := width / c.Columns
	for n, p := range c.Panels {
		x, y := n%c.Columns*each, head+n/c.Columns*c.Height
		p.draw(&w, float64(x+left), float64(y+above), float64(each-left-right), float64(c.Height-above-below))
	}
	fmt.Fprintln(&w, "</svg>")
	return w.Bytes()
}

// style writes the colours.
func style(w *bytes.Buffer) {
	fmt.Fprintln(w, "<style>")
	fmt.Fprintln(w, "text{font:12px system-ui,sans-serif}.title{font-size:16px;font-weight:600}.panel{font-weight:600}")
	fmt.Fprintln(w, "path{fill:none;stroke-width:1.8;stroke-linejoin:round}.dashed{stroke-dasharray:5 4;stroke-width:1.2}.grid{stroke-width:1}")
	for n, around := range [2][2]string{{"", ""}, {"@media(prefers-color-scheme:dark){", "}"}} {
		fmt.Fprintf(w, "%s.paper{fill:%s}text{fill:%s}.grid{stroke:%s}.grey{stroke:%s}", around[0], paper[n], ink[n], grid[n], grey[n])
		for i, c := range colours {
			fmt.Fprintf(w, ".c%d{stroke:%s}", i, c[n])
		}
		fmt.Fprintln(w, around[1])
	}
	fmt.Fprintln(w, "</style>")
}

// class returns the class of a line's style.
func (s Style) class() string {
	name := "grey"
	if s.Colour != Grey {
		name = fmt.Sprint("c", s.Colour)
	}
	if s.Dashed {
		name += " dashed"
	}
	return name
}

// legend writes the entries in a row.
func (c Chart) legend(w *bytes.Buffer) {
	x := float64(margin)
	for _, e := range c.Legend {
		fmt.Fprintf(w, `<path class="%s" d="M%s 46h28"/>`+"\n", e.Style.class(), number(x))
		text(w, "", x+34, 50, "", e.Text)
		x += 34 + 7*float64(len([]rune(e.Text))) + 20
	}
}

// draw writes a panel around the rectangle given.
func (p Panel) draw(w *bytes.Buffer, x, y, width, height float64) {
	atX := func(v float64) float64 { return x + float64(p.X.place(v)*width) }
	atY := func(v float64) float64 { return y + height - float64(p.Y.place(v)*height) }
	text(w, "panel", x, y-12, "", p.Title)
	for _, t := range p.Y.Ticks {
		fmt.Fprintf(w, `<path class="grid" d="M%s %sh%s"/>`+"\n", number(x), number(atY(t.At)), number(width))
		text(w, "", x-8, atY(t.At)+4, "end", t.Text)
	}
	for _, t := range p.X.Ticks {
		fmt.Fprintf(w, `<path class="grid" d="M%s %sv%s"/>`+"\n", number(atX(t.At)), number(y), number(height))
		text(w, "", atX(t.At), y+height+18, "middle", t.Text)
	}
	text(w, "", x+width/2, y+height+38, "middle", p.X.Label)
	text(w, "", x+width, y-12, "end", p.Y.Label)
	for _, l := range p.Lines {
		var d strings.Builder
		lastX, lastY := 0.0, 0.0
		for _, q := range l.Points {
			if px, py := p.X.place(q.X), p.Y.place(q.Y); px < 0 || px > 1 || py < 0 || py > 1 || math.IsNaN(px+py) {
				continue
			}
			// The first point is absolute, the others relative, which is shorter.
			px, py := tenths(atX(q.X)), tenths(atY(q.Y))
			if d.Len() == 0 {
				fmt.Fprintf(&d, "M%s,%sl", number(px), number(py))
			} else {
				fmt.Fprintf(&d, "%s,%s ", number(px-lastX), number(py-lastY))
			}
			lastX, lastY = px, py
		}
		if d.Len() > 0 {
			fmt.Fprintf(w, `<path class="%s" d="%s"/>`+"\n", l.Style.class(), strings.TrimRight(d.String(), " "))
		}
	}
}

// tenths rounds to tenths of a pixel.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }

// place returns where a value lies on an axis: 0 at From, 1 at To.
func (a Axis) place(v float64) float64 {
	if a.Log {
		return math.Log(v/a.From) / math.Log(a.To/a.From)
	}
	return (v - a.From) / (a.To - a.From)
}

// text writes a text that begins, has its middle, or ends at x.
func text(w *bytes.Buffer, class string, x, y float64, anchor, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(w, `<text x="%s" y="%s"`, number(x), number(y))
	if class != "" {
		fmt.Fprintf(w, ` class="%s"`, class)
	}
	if anchor != "" {
		fmt.Fprintf(w, ` text-anchor="%s"`, anchor)
	}
	fmt.Fprintf(w, ">%s</text>\n", escape(s))
}

// number returns pixels with at most one decimal, as short as can be.
func number(x float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	switch {
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	case s == "-0":
		return "0"
	}
	return s
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
