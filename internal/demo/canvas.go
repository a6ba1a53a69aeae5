package demo

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
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

func newCanvas(width, height int, background color.Color) canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, width, height))}
	draw.Draw(c, c.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	return c
}

// shade fills the rows from top to bottom with a gradient between two colors.
func (c canvas) shade(top, bottom int, from, to color.RGBA) {
	for y := top; y < bottom; y++ {
		part := float64(y-top) / float64(bottom-top)
		mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
		row := color.RGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 255}
		draw.Draw(c, image.Rect(0, y, c.Bounds().Dx(), y+1), image.NewUniform(row), image.Point{}, draw.Src)
	}
}

// polygon fills a polygon. Its edges are smooth.
func (c canvas) polygon(fill color.Color, corners ...point) {
	size := c.Bounds().Size()
	r := vector.NewRasterizer(size.X, size.Y)
	for i, p := range corners {
		if i == 0 {
			r.MoveTo(float32(p.x), float32(p.y))
		} else {
			r.LineTo(float32(p.x), float32(p.y))
		}
	}
	r.ClosePath()
	r.Draw(c, c.Bounds(), image.NewUniform(fill), image.Point{})
}

func (c canvas) rect(fill color.Color, x, y, width, height float64) {
	c.polygon(fill, point{x, y}, point{x + width, y}, point{x + width, y + height}, point{x, y + height})
}

// ellipse fills an ellipse with the given center and radii.
func (c canvas) ellipse(fill color.Color, x, y, rx, ry float64) {
	c.polygon(fill, arc(x, y, rx, ry, 0, 360)...)
}

// ring fills the area between two circles.
func (c canvas) ring(fill color.Color, x, y, outer, inner float64) {
	corners := arc(x, y, outer, outer, 0, 360)
	c.polygon(fill, append(corners, arc(x, y, inner, inner, 360, 0)...)...)
}

// line draws a line with round ends.
func (c canvas) line(fill color.Color, width float64, from, to point) {
	dx, dy := to.x-from.x, to.y-from.y
	length := math.Hypot(dx, dy)
	dx, dy = dx/length*width/2, dy/length*width/2
	c.polygon(fill, point{from.x - dy, from.y + dx}, point{to.x - dy, to.y + dx}, point{to.x + dy, to.y - dx}, point{from.x + dy, from.y - dx})
	c.ellipse(fill, from.x, from.y, width/2, width/2)
	c.ellipse(fill, to.x, to.y, width/2, width/2)
}

// rounded fills a rectangle with round corners.
func (c canvas) rounded(fill color.Color, x, y, width, height, radius float64) {
	var corners []point
	corners = append(corners, arc(x+radius, y+radius, radius, radius, 180, 270)...)
	corners = append(corners, arc(x+width-radius, y+radius, radius, radius, 270, 360)...)
	corners = append(corners, arc(x+width-radius, y+height-radius, radius, radius, 0, 90)...)
	corners = append(corners, arc(x+radius, y+height-radius, radius, radius, 90, 180)...)
	c.polygon(fill, corners...)
}

// arc returns points on an ellipse from one angle to another, in degrees, clockwise from the right.
func arc(x, y, rx, ry, from, to float64) (points []point) {
	const steps = 60
	for i := range steps + 1 {
		angle := (from + (to-from)*float64(i)/steps) * math.Pi / 180
		points = append(points, point{x + rx*math.Cos(angle), y + ry*math.Sin(angle)})
	}
	return points
}

// text writes a line around the center x with the given baseline.
func (c canvas) text(fill color.Color, size, x, baseline float64, line string) {
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err) // the font is embedded
	}
	face, err := opentype.NewFace(bold, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err) // the options are valid
	}
	defer face.Close()
	width := float64(font.MeasureString(face, line)) / 64
	d := font.Drawer{Dst: c, Src: image.NewUniform(fill), Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6((x - width/2) * 64), Y: fixed.Int26_6(baseline * 64)}
	d.DrawString(line)
}
