package synth

import (
	"fmt"
	"image/color"
	"strings"
)

// words are the words of all texts.
var words = strings.Fields(`we are happy to announce that our new store opens on monday at nine come by say hello and get ten
	percent off this week only the team would like to thank you for your support over the last year please read the terms
	before you order Earshot News Update 2024 Q3 results growth market share customers report sale free delivery`)

// words returns a line of about a number of characters.
func (m *maker) words(length int) string {
	var line strings.Builder
	for line.Len() < length {
		line.WriteString(words[m.IntN(len(words))])
		line.WriteByte(' ')
	}
	return line.String()
}

// text is lines of text on a plain background, like a letter or an article.
func text(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	back := m.background()
	c.fill(back)
	size := m.between(9, 22)
	p := c.pen(choose(m, regular, bold, mono), size, m.ink(back))
	margin, y := m.between(10, 40), m.between(20, 60)
	if m.IntN(2) == 0 {
		c.pen(bold, size*1.8, m.ink(back)).write(margin, y+size, m.words(14))
		y += size * 3.2
	}
	for ; y < h-margin; y += size * 1.4 {
		if m.IntN(7) > 0 {
			p.write(margin, y, m.words(int((w-2*margin)/size*m.between(1.1, 1.7))))
		}
	}
	return c
}

// quote is a few large words on a color or a gradient, like a meme.
func quote(m *maker) *canvas {
	c := m.canvas()
	back := m.background()
	c.fill(back)
	if m.IntN(2) == 0 {
		c = gradient(m)
		back = c.RGBAAt(c.Rect.Dx()/2, c.Rect.Dy()/2)
	}
	w, h := c.size()
	size := m.between(22, 48)
	p := c.pen(choose(m, regular, bold), size, m.ink(back))
	lines := 1 + m.IntN(4)
	for i := range lines {
		line := m.words(int(w / size))
		if m.IntN(3) == 0 {
			line = strings.ToUpper(line)
		}
		p.center(w/2, h/2+(float64(i)-float64(lines)/2+0.8)*size*1.3, line)
	}
	return c
}

// axes draws the axes, grid and labels of a chart, and returns the area inside.
func (m *maker) axes(c *canvas, ink color.RGBA) (left, top, width, height float64) {
	w, h := c.size()
	left, top, width, height = w*0.12, h*0.16, w*0.82, h*0.68
	c.pen(bold, h*0.05, ink).write(left, h*0.1, m.words(18))
	label := c.pen(regular, h*0.033, ink)
	for i := range 6 {
		y := top + height*float64(i)/5
		c.line(gray, 1, point{left, y}, point{left + width, y})
		label.write(w*0.03, y+4, fmt.Sprint((5-i)*20))
		label.write(left+width*float64(i)/6, top+height+h*0.06, choose(m, "Jan", "Mar", "Q1", "2021", "Mon"))
	}
	c.line(ink, 1.5, point{left, top}, point{left, top + height}, point{left + width, top + height})
	return left, top, width, height
}

// chart returns the empty page of a chart.
func (m *maker) chart() (c *canvas, ink color.RGBA) {
	c = m.canvas()
	back := m.background()
	c.fill(back)
	return c, m.ink(back)
}

func barChart(m *maker) *canvas {
	c, ink := m.chart()
	left, top, width, height := m.axes(c, ink)
	count, series := 3+m.IntN(12), 1+m.IntN(3)
	colors := []color.RGBA{m.color(), m.color(), m.color()}
	step := width / float64(count)
	for i := range count * series {
		high := height * m.between(0.05, 0.98)
		bar := step * 0.8 / float64(series)
		c.rect(colors[i%series], left+step*(float64(i/series)+0.1)+bar*float64(i%series), top+height-high, bar, high)
	}
	return c
}

func lineChart(m *maker) *canvas {
	c, ink := m.chart()
	left, top, width, height := m.axes(c, ink)
	isArea := m.IntN(4) == 0
	for range 1 + m.IntN(4) {
		count, value := 5+m.IntN(40), m.between(0.2, 0.8)
		var points []point
		for i := range count {
			value = min(max(value+m.between(-0.15, 0.15), 0), 1)
			points = append(points, point{left + width*float64(i)/float64(count-1), top + height*(1-value)})
		}
		stroke := m.color()
		switch {
		case isArea:
			c.polygon(stroke, append(points, point{left + width, top + height}, point{left, top + height})...)
		case m.IntN(5) == 0:
			for _, p := range points {
				c.ellipse(stroke, p.x, p.y, 4, 4)
			}
		default:
			c.line(stroke, m.between(1, 4), points...)
		}
	}
	return c
}

func pieChart(m *maker) *canvas {
	c, ink := m.chart()
	w, h := c.size()
	x, y, radius := w*0.4, h*0.55, min(w, h)*0.33
	c.pen(bold, h*0.06, ink).write(w*0.1, h*0.11, m.words(12))
	label := c.pen(regular, h*0.04, ink)
	from := -90.0
	for i := range 3 + m.IntN(5) {
		to := min(from+m.between(20, 130), 270)
		if from >= 270 {
			break
		}
		slice := m.color()
		c.polygon(slice, append(arc(x, y, radius, radius, from, to), point{x, y})...)
		c.rect(slice, w*0.8, h*(0.3+0.08*float64(i)), 10, 10)
		label.write(w*0.84, h*(0.3+0.08*float64(i))+10, m.words(4))
		from = to
	}
	if m.IntN(2) == 0 {
		c.ellipse(white, x, y, radius*0.55, radius*0.55)
	}
	return c
}

func table(m *maker) *canvas {
	c, ink := m.chart()
	w, h := c.size()
	rows, columns := 5+m.IntN(12), 2+m.IntN(5)
	size := h / float64(rows) * 0.45
	p, head := c.pen(regular, size, ink), mix(gray, m.color(), 0.4)
	c.rect(head, 0, 0, w, h/float64(rows))
	for i := range rows {
		y := h * float64(i+1) / float64(rows)
		c.line(gray, 1, point{0, y}, point{w, y})
		for j := range columns {
			cell := fmt.Sprint(m.IntN(10000))
			if j == 0 || i == 0 {
				cell = words[m.IntN(len(words))]
			}
			p.write(w*float64(j)/float64(columns)+8, y-size*0.5, cell)
		}
	}
	return c
}

func webPage(m *maker) *canvas {
	c, ink := m.chart()
	w, h := c.size()
	accent, card := m.color(), mix(gray, white, m.between(0.2, 0.8))
	bar, side := h*m.between(0.07, 0.14), choose(m, 0, w*0.2)
	c.rect(accent, 0, 0, w, bar)
	c.pen(bold, bar*0.5, white).write(10, bar*0.7, "Earshot")
	if side > 0 {
		c.rect(card, 0, bar, side, h-bar)
		for y := bar + 20; y < h-10; y += 18 {
			c.pen(regular, 10, ink).write(8, y, m.words(8))
		}
	}
	columns := 1 + m.IntN(3)
	width := (w - side - 10) / float64(columns)
	for i := range columns * 3 {
		x, y := side+10+width*float64(i%columns), bar+10+(h-bar)/3*float64(i/columns)
		c.rounded(card, x, y, width-10, (h-bar)/3-10, 6)
		if m.IntN(2) == 0 {
			c.rect(m.color(), x+6, y+6, width-22, (h-bar)/6)
		}
		for line := range 2 {
			c.pen(regular, 9, black).write(x+8, y+(h-bar)/3-30+float64(12*line), m.words(int(width/8)))
		}
	}
	c.rounded(accent, w-70, h-30, 60, 22, 8)
	return c
}

func chat(m *maker) *canvas {
	c, _ := m.chart()
	w, h := c.size()
	own, other := m.color(), color.RGBA{230, 230, 235, 255}
	c.rect(mix(gray, white, 0.5), 0, 0, w, 36)
	c.ellipse(m.color(), 24, 18, 12, 12)
	c.pen(bold, 14, black).write(44, 23, m.words(6))
	for y := 50.0; y < h-50; {
		width, lines := w*m.between(0.3, 0.65), 1+m.IntN(3)
		height := float64(16*lines + 12)
		x, fill, ink := 12.0, other, black
		if m.IntN(2) == 0 {
			x, fill, ink = w-width-12, own, white
		}
		c.rounded(fill, x, y, width, height, 12)
		p := c.pen(regular, 11, ink)
		for line := range lines {
			p.write(x+10, y+18+float64(16*line), m.words(int(width/8)-4))
		}
		y += height + 10
	}
	return c
}

func editor(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	back := choose(m, white, color.RGBA{30, 30, 40, 255}, color.RGBA{40, 44, 52, 255})
	c.fill(back)
	size := m.between(9, 14)
	c.rect(mix(back, gray, 0.3), 0, 0, 32, h)
	inks := []color.RGBA{m.ink(back), m.color(), m.color(), m.color()}
	for y, number := size*1.5, 1; y < h; y, number = y+size*1.4, number+1 {
		c.pen(mono, size, gray).write(6, y, fmt.Sprint(number))
		x := 40 + size*2*float64(m.IntN(4))
		for range m.IntN(6) {
			word := words[m.IntN(len(words))]
			c.pen(mono, size, choose(m, inks...)).write(x, y, word)
			if x += size * 0.62 * float64(len(word)+1); x > w {
				break
			}
		}
	}
	return c
}
