package report

// A canvas is a surface to draw on. Coordinates are in points; y grows downward.
type canvas interface {
	fill(shape []point, c color)
	shade(shape []point, c color) // lets through what is below, as much as bandOpacity says
	stroke(points []point, s strokeStyle)
	text(l line, x, y float64) // x is the left end of the baseline
}

// bandOpacity is how much of what is below a band it hides. Bands of several series overlap.
const bandOpacity = 0.2

type point struct{ x, y float64 }

type strokeStyle struct {
	width  float64
	color  color
	dashed bool
}

func rectangle(x, y, width, height float64) []point {
	return []point{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

// The middle of a line of text is above its baseline by this share of the font size.
const middle = 0.36

// An alignment is where a text is relative to a point.
type alignment float64

const (
	left   alignment = 0
	center alignment = 0.5
	right  alignment = 1
)

// drawText draws a line whose baseline is at y.
func drawText(c canvas, l line, x, y float64, a alignment) { c.text(l, x-float64(a)*l.width, y) }

// drawLines draws lines below each other, starting at the upper edge y. Text from right to left is
// aligned right within the width.
func drawLines(c canvas, lines []line, x, y, width float64) {
	for _, l := range lines {
		at := x
		if l.rightToLeft {
			at = x + width - l.width
		}
		c.text(l, at, y+l.size*1.05)
		y += l.lineHeight()
	}
}

func heightOf(lines []line) (height float64) {
	for _, l := range lines {
		height += l.lineHeight()
	}
	return height
}
