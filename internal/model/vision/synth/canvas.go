package synth

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A canvas is a picture being drawn. Coordinates are in pixels from the top left corner.
type canvas struct {
	*image.RGBA
}

// A point is a position on a canvas.
type point struct{ x, y float64 }

func newCanvas(width, height int) *canvas {
	return &canvas{image.NewRGBA(image.Rect(0, 0, width, height))}
}

// size returns the width and the height.
func (c *canvas) size() (width, height float64) {
	return float64(c.Rect.Dx()), float64(c.Rect.Dy())
}

// fill fills the canvas with a color.
func (c *canvas) fill(with color.RGBA) {
	draw.Draw(c, c.Rect, image.NewUniform(with), image.Point{}, draw.Src)
}

// each sets each pixel to a color.
func (c *canvas) each(f func(x, y float64) color.RGBA) {
	for y := range c.Rect.Dy() {
		for x := range c.Rect.Dx() {
			c.SetRGBA(x, y, f(float64(x), float64(y)))
		}
	}
}

// polygon fills a polygon. Its edges are smooth.
func (c *canvas) polygon(fill color.RGBA, corners ...point) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range corners {
		left, right = min(left, p.x), max(right, p.x)
		top, bottom = min(top, p.y), max(bottom, p.y)
	}
	box := image.Rect(int(math.Floor(left)), int(math.Floor(top)), int(math.Ceil(right)), int(math.Ceil(bottom)))
	if box = box.Intersect(c.Rect); box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range corners {
		x, y := float32(p.x-float64(box.Min.X)), float32(p.y-float64(box.Min.Y))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(c, box, image.NewUniform(fill), image.Point{})
}

func (c *canvas) rect(fill color.RGBA, x, y, width, height float64) {
	c.polygon(fill, point{x, y}, point{x + width, y}, point{x + width, y + height}, point{x, y + height})
}

// rounded fills a rectangle with round corners.
func (c *canvas) rounded(fill color.RGBA, x, y, width, height, radius float64) {
	var corners []point
	corners = append(corners, arc(x+radius, y+radius, radius, radius, 180, 270)...)
	corners = append(corners, arc(x+width-radius, y+radius, radius, radius, 270, 360)...)
	corners = append(corners, arc(x+width-radius, y+height-radius, radius, radius, 0, 90)...)
	corners = append(corners, arc(x+radius, y+height-radius, radius, radius, 90, 180)...)
	c.polygon(fill, corners...)
}

// ellipse fills an ellipse with the given center and radii.
func (c *canvas) ellipse(fill color.RGBA, x, y, rx, ry float64) {
	c.polygon(fill, arc(x, y, rx, ry, 0, 360)...)
}

// line draws lines between points.
func (c *canvas) line(fill color.RGBA, width float64, points ...point) {
	for i, to := range points[1:] {
		from := points[i]
		dx, dy := to.x-from.x, to.y-from.y
		length := max(math.Hypot(dx, dy), 1e-6)
		dx, dy = dx/length*width/2, dy/length*width/2
		c.polygon(fill, point{from.x - dy, from.y + dx}, point{to.x - dy, to.y + dx}, point{to.x + dy, to.y - dx}, point{from.x + dy, from.y - dx})
	}
}

// arc returns points on an ellipse from one angle to another, in degrees, clockwise from the right.
func arc(x, y, rx, ry, from, to float64) (points []point) {
	const steps = 40
	for i := range steps + 1 {
		angle := (from + (to-from)*float64(i)/steps) * math.Pi / 180
		points = append(points, point{x + rx*math.Cos(angle), y + ry*math.Sin(angle)})
	}
	return points
}

// A typeface is one of the fonts of the canvas.
type typeface func() *opentype.Font

var (
	regular = typeface(sync.OnceValue(parse(goregular.TTF)))
	bold    = typeface(sync.OnceValue(parse(gobold.TTF)))
	mono    = typeface(sync.OnceValue(parse(gomono.TTF)))
)

func parse(data []byte) func() *opentype.Font {
	return func() *opentype.Font {
		parsed, err := opentype.Parse(data)
		if err != nil {
			panic(err) // the font is embedded
		}
		return parsed
	}
}

// A pen writes lines of text.
type pen struct {
	*canvas
	face font.Face
	ink  color.RGBA
}

func (c *canvas) pen(t typeface, size float64, ink color.RGBA) *pen {
	face, err := opentype.NewFace(t(), &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err) // the options are valid
	}
	return &pen{canvas: c, face: face, ink: ink}
}

// write writes a line of text from x on, with the given baseline.
func (p *pen) write(x, baseline float64, line string) {
	d := font.Drawer{Dst: p.canvas, Src: image.NewUniform(p.ink), Face: p.face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(baseline * 64)}
	d.DrawString(line)
}

// center writes a line of text around x.
func (p *pen) center(x, baseline float64, line string) {
	p.write(x-float64(font.MeasureString(p.face, line))/128, baseline, line)
}
