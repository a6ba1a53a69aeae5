package report

import (
	"math"
	"slices"

	"earshot/internal/report/format"
)

// A Bars is a horizontal bar chart.
type Bars []Bar

// A Bar is a bar with its value in words.
type Bar struct {
	Name  string
	Value float64
	Text  string // the value
	Note  string // after the value, for example a share
	Color string // like #3d68d8; empty: the default

	Low, High float64 // bounds of a confidence interval, if they differ
}

func (b Bar) hasInterval() bool { return b.Low < b.High }

// largest returns the value that fills the width of a chart.
func (b Bars) largest() (largest float64) {
	for _, bar := range b {
		largest = max(largest, bar.Value, bar.High)
	}
	return largest
}

// MaxBars is the number of bars that a chart shows.
const MaxBars = 30

func (b Bars) pieces(t *typesetter, width float64) []piece {
	const textRow, gap, below = 15.0, 3.0, 4.0
	bars := b[:min(len(b), MaxBars)]
	row := textRow
	if slices.ContainsFunc(bars, Bar.hasInterval) {
		row += below // so that whiskers do not cross texts
	}
	largest := bars.largest()
	type drawn struct {
		name, text, note line
		share, low, high float64
		color, whisker   color
	}
	list := make([]drawn, len(bars))
	for i, bar := range bars {
		note := t.single(bar.Note, smallStyle, width/3)
		text := t.single(bar.Text, bodyStyle, width/2)
		d := drawn{name: t.single(bar.Name, bodyStyle, width-text.width-note.width-22), text: text, note: note, color: paleBar, whisker: accent}
		if bar.Color != "" {
			d.color, d.whisker = mix(white, parseColor(bar.Color), 0.38), mix(parseColor(bar.Color), ink, 0.35)
		}
		if largest > 0 {
			d.share, d.low, d.high = max(0, bar.Value/largest), max(0, bar.Low/largest), bar.High/largest
		}
		list[i] = d
	}
	return []piece{{height: float64(len(bars)) * (row + gap), draw: func(c canvas, x, y float64) {
		for _, d := range list {
			c.fill(rectangle(x, y, max(1, d.share*width), row), d.color)
			if d.low < d.high {
				whisker(c, x+d.low*width, x+d.high*width, y+row-2.5, d.whisker)
			}
			base := y + textRow/2 + middle*bodyStyle.size
			drawText(c, d.name, x+5, base, left)
			end := x + width - 5
			if d.note.width > 0 {
				drawText(c, d.note, end, base, right)
				end -= d.note.width + 5
			}
			drawText(c, d.text, end, base, right)
			y += row + gap
		}
	}}}
}

// whisker draws a horizontal interval with an end at either side.
func whisker(c canvas, low, high, y float64, shade color) {
	s := strokeStyle{width: 0.9, color: shade}
	c.stroke([]point{{low, y}, {high, y}}, s)
	for _, x := range []float64{low, high} {
		c.stroke([]point{{x, y - 2}, {x, y + 2}}, s)
	}
}

// A TimeChart draws one or more series over time.
type TimeChart struct {
	Labels  []string // of the steps
	Series  []Series
	Kind    TimeKind
	Stacked bool
	Shares  bool    // values are shares from 0 to 1
	Height  float64 // of the plot; 0: the default
}

// A Series has a value for each step. Values that are not numbers are left out.
type Series struct {
	Name   string
	Color  string // like #3d68d8
	Values []float64
	Dashed bool
	Marked []bool // steps in the color of unusual days

	Low, High []float64 // bounds of a confidence interval for each value of a line; empty: none
}

// A TimeKind is how series are drawn.
type TimeKind int

const (
	TimeBars TimeKind = iota
	TimeLines
	TimeAreas
)

// Style and size of charts.
const (
	plotHeight = 130.0
	tickSize   = 7.5
)

func (b TimeChart) pieces(t *typesetter, width float64) []piece {
	height := b.Height
	if height == 0 {
		height = plotHeight
	}
	tick := style{size: tickSize, color: muted}
	scale := newScale(b.largest(), b.Shares)
	labels := make([]line, len(scale.ticks))
	axis := 0.0
	for i, v := range scale.ticks {
		labels[i] = t.single(scale.format(v), tick, 60)
		axis = max(axis, labels[i].width+6)
	}
	plot := plotBox{width: width - axis - 2, height: height, steps: len(b.Labels), inset: b.Kind == TimeBars}
	steps := b.stepLabels(t, tick, plot)
	legend, legendHeight := b.legend(t, width-axis)
	return []piece{{height: height + 6 + tick.lineHeight() + 4 + legendHeight, draw: func(c canvas, x, y float64) {
		plot.x, plot.y = x+axis, y+5
		for i, v := range scale.ticks {
			at := plot.y + plot.height*(1-v/scale.top)
			c.stroke([]point{{plot.x, at}, {plot.x + plot.width, at}}, strokeStyle{width: 0.5, color: hairline})
			drawText(c, labels[i], plot.x-5, at+middle*tick.size, right)
		}
		b.drawSeries(c, plot, scale.top)
		for _, s := range steps {
			drawText(c, s.line, plot.x+s.x, plot.y+plot.height+tick.size+4, center)
		}
		legend(c, plot.x, plot.y+plot.height+tick.lineHeight()+8)
	}}}
}

// A plotBox is the area between the axes.
type plotBox struct {
	x, y, width, height float64
	steps               int
	inset               bool // steps have a width; otherwise the first and last are at the edges
}

// at returns the distance of the middle of a step from the left edge.
func (p plotBox) at(step int) float64 {
	switch {
	case p.inset:
		return (float64(step) + 0.5) * p.width / float64(p.steps)
	case p.steps < 2:
		return p.width / 2
	}
	return float64(step) * p.width / float64(p.steps-1)
}

// largest returns the largest value, of stacked series the largest sum.
func (b TimeChart) largest() (largest float64) {
	if b.Shares && b.Stacked {
		return 1
	}
	for step := range b.Labels {
		sum := 0.0
		for _, s := range b.Series {
			v := s.at(step)
			if b.Stacked {
				sum += v
			} else {
				sum = max(sum, v)
				if step < len(s.High) {
					sum = max(sum, s.High[step])
				}
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// at returns the value of a step, or 0 if it has none.
func (s Series) at(step int) float64 {
	if step >= len(s.Values) || math.IsNaN(s.Values[step]) || math.IsInf(s.Values[step], 0) {
		return 0
	}
	return max(0, s.Values[step])
}

func (s Series) has(step int) bool {
	return step < len(s.Values) && !math.IsNaN(s.Values[step]) && !math.IsInf(s.Values[step], 0)
}

func (b TimeChart) drawSeries(c canvas, p plotBox, top float64) {
	base := make([]float64, p.steps) // upper edge of the series below, if stacked
	y := func(v float64) float64 { return p.y + p.height*(1-v/top) }
	if b.Kind == TimeLines {
		for _, s := range b.Series { // below all lines
			if shape := band(s, p, y); len(shape) > 2 {
				c.shade(shape, parseColor(s.Color))
			}
		}
	}
	for n, s := range b.Series {
		fill := parseColor(s.Color)
		above := make([]float64, p.steps)
		for i := range above {
			above[i] = s.at(i)
			if b.Stacked {
				above[i] += base[i]
			}
		}
		switch b.Kind {
		case TimeBars:
			slot := p.width / float64(max(1, p.steps))
			groups := 1.0
			if !b.Stacked {
				groups = float64(len(b.Series))
			}
			bar := min(30, slot*0.78/groups)
			for i := range above {
				shade := fill
				if i < len(s.Marked) && s.Marked[i] {
					shade = unusual
				}
				from := p.x + p.at(i) - bar*groups/2
				if !b.Stacked {
					from += bar * float64(n)
				}
				if above[i] > base[i] {
					c.fill(rectangle(from, y(above[i]), bar, y(base[i])-y(above[i])), shade)
				}
			}
		case TimeAreas:
			shape := make([]point, 0, 2*p.steps)
			for i := range above {
				shape = append(shape, point{p.x + p.at(i), y(above[i])})
			}
			outline := shape[:len(shape):len(shape)]
			for i := p.steps - 1; i >= 0; i-- {
				shape = append(shape, point{p.x + p.at(i), y(base[i])})
			}
			pale := 0.18
			if b.Stacked {
				pale = 0.78
			}
			if len(shape) > 2 {
				c.fill(shape, mix(white, fill, pale))
			}
			if !b.Stacked {
				c.stroke(outline, strokeStyle{width: 1, color: fill})
			}
		case TimeLines:
			var points []point
			for i := range above {
				if s.has(i) {
					points = append(points, point{p.x + p.at(i), y(above[i])})
				}
			}
			c.stroke(points, strokeStyle{width: 1.4, color: fill, dashed: s.Dashed})
			if len(points) == 1 {
				c.fill(rectangle(points[0].x-1.5, points[0].y-1.5, 3, 3), fill)
			}
		}
		if b.Stacked {
			base = above
		}
	}
}

// band returns the area between the bounds of a series, or nothing. Steps without a value have none.
func band(s Series, p plotBox, y func(float64) float64) (shape []point) {
	if len(s.Low) != p.steps || len(s.High) != p.steps {
		return nil
	}
	var lower []point
	for i := range s.Low {
		if s.has(i) {
			shape = append(shape, point{p.x + p.at(i), y(s.High[i])})
			lower = append(lower, point{p.x + p.at(i), y(s.Low[i])})
		}
	}
	slices.Reverse(lower)
	return append(shape, lower...)
}

type stepLabel struct {
	line line
	x    float64
}

// stepLabels returns as many labels of the steps as fit.
func (b TimeChart) stepLabels(t *typesetter, s style, p plotBox) (list []stepLabel) {
	widest := 0.0
	for _, text := range b.Labels {
		widest = max(widest, t.width(text, s))
	}
	every := 1
	if len(b.Labels) > 0 {
		every = max(1, int(math.Ceil((widest+10)*float64(len(b.Labels))/p.width)))
	}
	for i := 0; i < len(b.Labels); i += every {
		l := t.single(b.Labels[i], s, p.width)
		x := max(l.width/2-8, min(p.at(i), p.width-l.width/2))
		list = append(list, stepLabel{l, x})
	}
	return list
}

// legend returns a function that draws the names of the series, and its height. A single series needs
// none.
func (b TimeChart) legend(t *typesetter, width float64) (draw func(c canvas, x, y float64), height float64) {
	if len(b.Series) < 2 {
		return func(canvas, float64, float64) {}, 0
	}
	const swatch, gap = 8.0, 14.0
	s := style{size: 8, color: muted}
	type item struct {
		line  line
		color color
		x, y  float64
	}
	var items []item
	x, y := 0.0, 0.0
	for _, series := range b.Series {
		l := t.single(series.Name, s, width-swatch-4)
		if x > 0 && x+swatch+4+l.width > width {
			x, y = 0, y+s.lineHeight()+1
		}
		items = append(items, item{l, parseColor(series.Color), x, y})
		x += swatch + 4 + l.width + gap
	}
	return func(c canvas, x, y float64) {
		for _, i := range items {
			c.fill(rectangle(x+i.x, y+i.y+1, swatch, swatch), i.color)
			drawText(c, i.line, x+i.x+swatch+4, y+i.y+s.size, left)
		}
	}, y + s.lineHeight() + 4
}

// A scale divides the vertical axis.
type scale struct {
	top    float64
	ticks  []float64
	shares bool
}

// newScale returns a scale from 0 to at least the largest value, in steps of 1, 2 or 5 times a power
// of ten.
func newScale(largest float64, shares bool) scale {
	if shares && largest > 0.6 {
		return scale{1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, true}
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return scale{1, []float64{0, 1}, shares}
	}
	rough := largest / 4
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, f := range []float64{1, 2, 5} {
		if f*power >= rough {
			step = f * power
			break
		}
	}
	if !shares {
		step = max(1, step)
	}
	s := scale{shares: shares}
	for i := 0; ; i++ {
		v := float64(i) * step
		s.ticks = append(s.ticks, v)
		if v >= largest || i == 20 {
			s.top = v
			return s
		}
	}
}

func (s scale) format(v float64) string {
	if s.shares {
		return format.Percent(v)
	}
	return format.Compact(v)
}

// A Heatmap shows the hours of the week: rows are weekdays from Monday to Sunday.
type Heatmap [7][24]int64

var weekdays = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// heatColors are the colors of the smallest, the middle and the largest value.
var heatColors = [3]color{{0xf0, 0xf3, 0xfa}, {0x9d, 0xb5, 0xee}, {0x23, 0x47, 0xad}}

func (b Heatmap) pieces(t *typesetter, width float64) []piece {
	const row, axis = 16.0, 26.0
	s := style{size: tickSize, color: muted}
	cell := (width - axis) / 24
	largest := int64(1)
	for _, hours := range b {
		for _, n := range hours {
			largest = max(largest, n)
		}
	}
	days, hours := make([]line, 7), make([]line, 24)
	for i, name := range weekdays {
		days[i] = t.single(name, s, axis)
	}
	for h := range hours {
		hours[h] = t.single(format.Number(int64(h)), s, 40)
	}
	return []piece{{height: 7*row + s.lineHeight() + 6, draw: func(c canvas, x, y float64) {
		for day := range b {
			drawText(c, days[day], x, y+float64(day)*row+row/2+middle*s.size, left)
			for hour, n := range b[day] {
				c.fill(rectangle(x+axis+float64(hour)*cell, y+float64(day)*row, cell-1.2, row-1.2), heat(float64(n)/float64(largest)))
			}
		}
		for hour, l := range hours {
			if hour%2 == 0 || cell > 16 {
				drawText(c, l, x+axis+(float64(hour)+0.5)*cell, y+7*row+s.size+3, center)
			}
		}
	}}}
}

func heat(share float64) color {
	if share < 0.5 {
		return mix(heatColors[0], heatColors[1], share*2)
	}
	return mix(heatColors[1], heatColors[2], share*2-1)
}
