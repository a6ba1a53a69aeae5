package report

import (
	"image"
	stdcolor "image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/vector"
)

// WritePNG writes the section as a PNG picture, with scale pixels for each point.
func (s *Section) WritePNG(w io.Writer, fonts *Fonts, scale float64) error {
	return writePNG(w, newTypesetter(fonts), s.alone(), scale)
}

func writePNG(w io.Writer, t *typesetter, d drawing, scale float64) error {
	height := d.draw(nowhere{}, t)
	scale = max(0.1, min(scale, maxPixels/height, maxPixels/d.width))
	picture := &pixels{scale: scale, image: image.NewRGBA(image.Rect(0, 0, int(d.width*scale), int(height*scale)))}
	draw.Draw(picture.image, picture.image.Bounds(), image.White, image.Point{}, draw.Src)
	d.draw(picture, t)
	return png.Encode(w, picture.image)
}

// maxPixels limits the width and the height of pictures.
const maxPixels = 8000

// nowhere is a canvas that shows nothing, to measure what is drawn.
type nowhere struct{}

func (nowhere) fill([]point, color)         {}
func (nowhere) shade([]point, color)        {}
func (nowhere) stroke([]point, strokeStyle) {}
func (nowhere) text(line, float64, float64) {}

// pixels is a canvas on an image.
type pixels struct {
	image *image.RGBA
	scale float64
}

// paint fills what add outlines, in pixels relative to the given bounds.
func (p *pixels) paint(x0, y0, x1, y1 float64, c stdcolor.Color, add func(r *vector.Rasterizer, at func(x, y float64) (float32, float32))) {
	box := image.Rect(int(math.Floor(x0*p.scale))-1, int(math.Floor(y0*p.scale))-1, int(math.Ceil(x1*p.scale))+1, int(math.Ceil(y1*p.scale))+1).Intersect(p.image.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	add(r, func(x, y float64) (float32, float32) {
		return float32(x*p.scale - float64(box.Min.X)), float32(y*p.scale - float64(box.Min.Y))
	})
	r.Draw(p.image, box, image.NewUniform(c), image.Point{})
}

func boundsOf(points []point) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
	}
	return x0, y0, x1, y1
}

func (c color) opaque() stdcolor.Color { return stdcolor.RGBA{c[0], c[1], c[2], 255} }

func (p *pixels) fill(shape []point, c color) { p.polygon(shape, c.opaque()) }

func (p *pixels) shade(shape []point, c color) {
	p.polygon(shape, stdcolor.NRGBA{c[0], c[1], c[2], 255 * bandOpacity})
}

func (p *pixels) polygon(shape []point, c stdcolor.Color) {
	x0, y0, x1, y1 := boundsOf(shape)
	p.paint(x0, y0, x1, y1, c, func(r *vector.Rasterizer, at func(x, y float64) (float32, float32)) {
		for i, corner := range shape {
			x, y := at(corner.x, corner.y)
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	})
}

// stroke fills a rectangle for each segment.
func (p *pixels) stroke(points []point, s strokeStyle) {
	const dash, gap = 3.0, 2.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		dx, dy := (b.x-a.x)/length, (b.y-a.y)/length
		part := func(from, to float64) {
			nx, ny := -dy*s.width/2, dx*s.width/2
			p.fill([]point{{a.x + dx*from + nx, a.y + dy*from + ny}, {a.x + dx*to + nx, a.y + dy*to + ny}, {a.x + dx*to - nx, a.y + dy*to - ny}, {a.x + dx*from - nx, a.y + dy*from - ny}}, s.color)
		}
		if !s.dashed {
			part(0, length)
			continue
		}
		for from := 0.0; from < length; from += dash + gap {
			part(from, min(from+dash, length))
		}
	}
}

func (p *pixels) text(l line, x, y float64) {
	for _, run := range l.runs {
		unit := l.size / float64(run.face.Upem())
		for _, g := range run.glyphs {
			if outline, ok := run.face.GlyphDataOutline(g.id); ok {
				p.glyph(outline.Segments, x+g.x*l.size/1000, y-g.y*l.size/1000, unit, l.color.opaque())
			}
			x += g.advance * l.size / 1000
		}
	}
}

// glyph fills an outline, whose y axis points up.
func (p *pixels) glyph(segments []opentype.Segment, x, y, unit float64, c stdcolor.Color) {
	var corners []point
	for i := range segments {
		for _, q := range segments[i].ArgsSlice() {
			corners = append(corners, point{x + float64(q.X)*unit, y - float64(q.Y)*unit})
		}
	}
	if len(corners) == 0 {
		return
	}
	x0, y0, x1, y1 := boundsOf(corners)
	p.paint(x0, y0, x1, y1, c, func(r *vector.Rasterizer, at func(x, y float64) (float32, float32)) {
		to := func(q opentype.SegmentPoint) (float32, float32) { return at(x+float64(q.X)*unit, y-float64(q.Y)*unit) }
		for _, s := range segments {
			ax, ay := to(s.Args[0])
			bx, by := to(s.Args[1])
			cx, cy := to(s.Args[2])
			switch s.Op {
			case opentype.SegmentOpMoveTo:
				r.ClosePath()
				r.MoveTo(ax, ay)
			case opentype.SegmentOpLineTo:
				r.LineTo(ax, ay)
			case opentype.SegmentOpQuadTo:
				r.QuadTo(ax, ay, bx, by)
			case opentype.SegmentOpCubeTo:
				r.CubeTo(ax, ay, bx, by, cx, cy)
			}
		}
		r.ClosePath()
	})
}
