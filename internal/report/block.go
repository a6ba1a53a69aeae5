package report

import (
	"strings"
)

// Text is a block of plain text. Paragraphs are separated by line breaks.
type Text string

func (b Text) pieces(t *typesetter, width float64) (list []piece) {
	for _, paragraph := range strings.Split(string(b), "\n") {
		for _, l := range t.layout(paragraph, bodyStyle, width, 200) {
			list = append(list, linesPiece([]line{l}, width, 0))
		}
		if len(list) > 0 {
			list[len(list)-1].height += 3
		}
	}
	return list
}

// A Note is a short remark in muted color, for example that there are no posts.
type Note string

func (b Note) pieces(t *typesetter, width float64) []piece {
	return []piece{linesPiece(t.layout(string(b), noteStyle, width, 6), width, 2)}
}

func linesPiece(lines []line, width, below float64) piece {
	return piece{height: heightOf(lines) + below, draw: func(c canvas, x, y float64) { drawLines(c, lines, x, y, width) }}
}

// Figures is a row of key metrics.
type Figures []Figure

// A Figure is a metric with a name and a remark.
type Figure struct{ Name, Value, Note string }

const figuresPerRow = 5

func (b Figures) pieces(t *typesetter, width float64) (list []piece) {
	const gap, padding = 8.0, 8.0
	for len(b) > 0 {
		n := min(figuresPerRow, len(b))
		box := (width - gap*float64(n-1)) / float64(n)
		type cell struct{ name, value, note []line }
		cells := make([]cell, n)
		names, below := 0.0, 0.0 // heights of the names, and of what is below
		for i, f := range b[:n] {
			inner := box - 2*padding
			value := style{size: 17, bold: true, color: ink}
			for value.size > 9 && t.width(f.Value, value) > inner {
				value.size--
			}
			cells[i] = cell{t.layout(f.Name, smallStyle, inner, 2), t.layout(f.Value, value, inner, 2), t.layout(f.Note, smallStyle, inner, 3)}
			names, below = max(names, heightOf(cells[i].name)), max(below, heightOf(cells[i].value)+heightOf(cells[i].note))
		}
		height := names + below + 2*padding
		list = append(list, piece{height: height + gap, draw: func(c canvas, x, y float64) {
			for i, f := range cells {
				at := x + float64(i)*(box+gap)
				c.fill(rectangle(at, y, box, height), color{0xf5, 0xf6, 0xf8})
				drawLines(c, f.name, at+padding, y+padding, box-2*padding)
				drawLines(c, f.value, at+padding, y+padding+names, box-2*padding)
				drawLines(c, f.note, at+padding, y+padding+names+heightOf(f.value), box-2*padding)
			}
		}})
		b = b[n:]
	}
	return list
}

// Posts is a list of posts.
type Posts []Post

// A Post is a post as a report shows it.
type Post struct {
	Head  string // who, where and when
	Title string
	Text  string
	Facts string // sentiment, engagement and the like
	URL   string // for mails
}

const postLines = 6

func (b Posts) pieces(t *typesetter, width float64) (list []piece) {
	for _, p := range b {
		groups := [][]line{
			t.layout(p.Head, smallStyle, width, 2),
			t.layout(p.Title, style{size: 9.5, bold: true, color: ink}, width, 2),
			t.layout(p.Text, bodyStyle, width, postLines),
			t.layout(p.Facts, smallStyle, width, 2),
		}
		height := 0.0
		for _, lines := range groups {
			height += heightOf(lines)
		}
		list = append(list, piece{height: height + 12, draw: func(c canvas, x, y float64) {
			for _, lines := range groups {
				drawLines(c, lines, x, y, width)
				y += heightOf(lines)
			}
			c.stroke([]point{{x, y + 5}, {x + width, y + 5}}, strokeStyle{width: 0.4, color: hairline})
		}})
	}
	return list
}
