// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/stitchgcm/gcm/internal/plot"
	"github.com/stitchgcm/gcm/internal/record"
)

// A namedPlot is a chart and the name of its file.
type namedPlot struct {
	name  string
	chart plot.Chart
}

var ops = []string{"seal", "open"}

// plots returns the plots of a machine: one for each key size, and one of every
// size for each kernel that was timed so.
func (m machine) plots() (plots []namedPlot) {
	for _, bits := range m.bits() {
		plots = append(plots, namedPlot{fmt.Sprintf("aes-%d.svg", bits), m.speeds(bits)})
	}
	var seen []record.Series
	for _, s := range m.sweeps {
		s.Series.Op = ""
		if s.Impl == record.GCM && !slices.Contains(seen, s.Series) {
			seen = append(seen, s.Series)
			plots = append(plots, namedPlot{fmt.Sprintf("every-size-%s-%d.svg", s.Kernel, s.Bits), m.everySize(s.Kernel, s.Bits)})
		}
	}
	return plots
}

// lineStyle returns the style of a series: a colour for each kernel, dashes for
// its limit. The kernel generic is crypto/cipher and has no line.
func (m machine) lineStyle(s record.Series) (style plot.Style, ok bool) {
	if s.Impl == record.Stdlib {
		return plot.Style{Colour: plot.Grey}, true
	}
	at := slices.Index(m.run.Kernels, s.Kernel)
	return plot.Style{Colour: at % plot.Colours, Dashed: s.Impl == record.Limit}, at >= 0 && s.Kernel != "generic"
}

// speeds plots gigabytes a second over size, sealing and opening.
func (m machine) speeds(bits int) plot.Chart {
	lines := map[record.Series]*plot.Line{}
	var order []record.Series
	least, most, top := math.MaxInt, 1, 0.0
	for _, r := range m.rows {
		style, ok := m.lineStyle(r.Series)
		if r.Bits != bits || !ok || r.Size == 0 {
			continue
		}
		if lines[r.Series] == nil {
			lines[r.Series] = &plot.Line{Style: style}
			order = append(order, r.Series)
		}
		l := lines[r.Series]
		l.Points = append(l.Points, plot.Point{X: float64(r.Size), Y: r.GBPS})
		least, most, top = min(least, r.Size), max(most, r.Size), max(top, r.GBPS)
	}
	x := plot.Axis{Label: "bytes of plaintext", From: float64(least), To: float64(most), Log: true}
	for n := 16; n <= most; n *= 4 {
		if n >= least {
			x.Ticks = append(x.Ticks, plot.Tick{At: float64(n), Text: size(n)})
		}
	}
	y := linear("GB/s", top)
	c := plot.Chart{Title: fmt.Sprintf("AES-%d-GCM: speed over message size, %s", bits, m.name), Columns: 2, Height: 340}
	for _, op := range ops {
		p := plot.Panel{Title: op, X: x, Y: y}
		for _, s := range order {
			if s.Op == op {
				p.Lines = append(p.Lines, *lines[s])
			}
		}
		c.Panels = append(c.Panels, p)
	}
	for _, s := range order {
		switch {
		case s.Op != "seal" || s.Impl == record.Limit:
		case s.Impl == record.Stdlib:
			c.Legend = append(c.Legend, plot.Entry{Style: lines[s].Style, Text: "crypto/cipher"})
		default:
			c.Legend = append(c.Legend, plot.Entry{Style: lines[s].Style, Text: s.Kernel})
		}
	}
	c.Legend = append(c.Legend, plot.Entry{Style: plot.Style{Colour: plot.Grey, Dashed: true}, Text: "in a kernel's colour: its port limit"})
	return c
}

// everySize plots nanoseconds over every size, and the shortest once more.
func (m machine) everySize(kernel string, bits int) plot.Chart {
	c := plot.Chart{
		Title:   fmt.Sprintf("%s, AES-%d: time of a message over its size in steps of one byte, %s", kernel, bits, m.name),
		Columns: 1, Height: 380,
	}
	most := 0
	for _, s := range m.sweeps {
		if s.Kernel == kernel && s.Bits == bits {
			most = max(most, s.From+len(s.NSEach)-1)
		}
	}
	for _, to := range []int{most / 8, most} {
		p := plot.Panel{Title: fmt.Sprintf("0 to %d bytes", to), X: plot.Axis{Label: "bytes of plaintext", To: float64(to)}}
		for i := range 5 {
			p.X.Ticks = append(p.X.Ticks, plot.Tick{At: float64(i * to / 4), Text: fmt.Sprint(i * to / 4)})
		}
		top := 0.0
		for _, s := range m.sweeps {
			if s.Kernel != kernel || s.Bits != bits {
				continue
			}
			l := plot.Line{Style: sweepStyle(s.Series)}
			for i, ns := range s.NSEach {
				if n := s.From + i; n <= to {
					l.Points = append(l.Points, plot.Point{X: float64(n), Y: ns})
					top = max(top, ns)
				}
			}
			p.Lines = append(p.Lines, l)
		}
		p.Y = linear("nanoseconds", top)
		c.Panels = append(c.Panels, p)
	}
	c.Legend = []plot.Entry{
		{Style: sweepStyle(record.Series{Op: "seal"}), Text: "seal"},
		{Style: sweepStyle(record.Series{Op: "open"}), Text: "open"},
		{Style: sweepStyle(record.Series{Impl: record.Limit}), Text: "port limit"},
	}
	return c
}

// sweepStyle returns the style of a line of one kernel.
func sweepStyle(s record.Series) plot.Style {
	switch {
	case s.Impl == record.Limit:
		return plot.Style{Colour: plot.Grey, Dashed: true}
	case s.Op == "seal":
		return plot.Style{Colour: 0}
	}
	return plot.Style{Colour: 1}
}

// linear returns an axis from 0 to a round number above most, with ticks at
// round numbers.
func linear(label string, most float64) plot.Axis {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{5, 2.5, 2} {
		if most/step < 4 {
			step = math.Pow(10, math.Floor(math.Log10(most))) * f / 10
		}
	}
	a := plot.Axis{Label: label, To: step * math.Ceil(most/step)}
	for i := 0; float64(i)*step <= a.To; i++ {
		a.Ticks = append(a.Ticks, plot.Tick{At: float64(i) * step, Text: fmt.Sprint(float64(i) * step)})
	}
	return a
}
