package report

import (
	"fmt"
	"io"
	"strings"
)

// chartWidth is the width of a chart that is drawn alone, in points.
const chartWidth = 640.0

// WriteSVG writes the section as an SVG picture: its heading, and its blocks below each other. Text stays
// text, in the fonts of the viewer.
func (s *Section) WriteSVG(w io.Writer, fonts *Fonts) error {
	picture := &svgPicture{}
	height := s.alone().draw(picture, newTypesetter(fonts))
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s" font-family="Noto Sans, system-ui, sans-serif"><rect width="100%%" height="100%%" fill="#ffffff"/>%[3]s</svg>`+"\n",
		num(chartWidth), num(height), picture.out.String())
	return err
}

// A drawing is a section on a canvas of its own.
type drawing struct {
	title, note   string
	blocks        []Block
	width, around float64
}

// alone returns the section as a drawing.
func (s *Section) alone() drawing { return drawing{s.Title, s.Note, s.Blocks, chartWidth, 16} }

// draw draws on a canvas and returns the height.
func (d drawing) draw(c canvas, t *typesetter) (height float64) {
	s := Section{Title: d.title, Note: d.note, Blocks: d.blocks}
	around := d.around
	y := around
	for i, part := range s.parts(t, d.width-2*around) {
		if i > 0 {
			y += part.gap
		}
		for _, piece := range part.pieces {
			piece.draw(c, around, y)
			y += piece.height
		}
	}
	return y + around
}

// An svgPicture is a canvas whose elements make up an SVG picture.
type svgPicture struct{ out strings.Builder }

func (c color) hex() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

func svgPoints(points []point) string {
	texts := make([]string, len(points))
	for i, p := range points {
		texts[i] = num(p.x) + "," + num(p.y)
	}
	return strings.Join(texts, " ")
}

func (p *svgPicture) fill(shape []point, c color) {
	fmt.Fprintf(&p.out, `<polygon points="%s" fill="%s"/>`, svgPoints(shape), c.hex())
}

func (p *svgPicture) shade(shape []point, c color) {
	fmt.Fprintf(&p.out, `<polygon points="%s" fill="%s" fill-opacity="%s"/>`, svgPoints(shape), c.hex(), num(bandOpacity))
}

func (p *svgPicture) stroke(points []point, s strokeStyle) {
	dash := ""
	if s.dashed {
		dash = ` stroke-dasharray="3 2"`
	}
	fmt.Fprintf(&p.out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s/>`, svgPoints(points), s.color.hex(), num(s.width), dash)
}

// text writes the text of a line in its logical order, and lets the viewer choose the glyphs, within
// the width that was measured.
func (p *svgPicture) text(l line, x, y float64) {
	if l.source == "" {
		return
	}
	weight := ""
	if l.bold {
		weight = ` font-weight="700"`
	}
	direction := ""
	if l.rightToLeft {
		direction, x = ` direction="rtl"`, x+l.width
	}
	fmt.Fprintf(&p.out, `<text x="%s" y="%s" font-size="%s" fill="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s%s>%s</text>`,
		num(x), num(y), num(l.size), l.color.hex(), num(l.width), weight, direction, appendXMLText(nil, l.source))
}
