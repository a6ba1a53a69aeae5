package synth

import (
	"image"
	"image/color"
	"iter"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// A Variant is a photograph as people post it again: cropped, compressed, in other colors.
type Variant struct {
	Name  string // such as "quality 20"
	Image image.Image
}

// Variants returns variants of a photograph. They show what it shows, except for what a crop cuts
// off at the edges.
func Variants(img image.Image) iter.Seq[Variant] {
	return func(yield func(Variant) bool) {
		for _, e := range edits {
			if !yield(Variant{e.name, e.apply(img)}) {
				return
			}
		}
	}
}

// edits lists how variants differ from their original.
var edits = []struct {
	name  string
	apply func(image.Image) image.Image
}{
	{"mirrored", mirrored},
	{"top left", part(0, 0, 0.85, 0.85)},
	{"top right", part(0.15, 0, 1, 0.85)},
	{"bottom left", part(0, 0.15, 0.85, 1)},
	{"bottom right", part(0.15, 0.15, 1, 1)},
	{"center", part(0.1, 0.1, 0.9, 0.9)},
	{"left", part(0, 0, 0.75, 1)},
	{"right", part(0.25, 0, 1, 1)},
	{"very dark", toned(0.4, 0)},
	{"dark", toned(0.7, 0)},
	{"bright", toned(1.3, 0)},
	{"very bright", toned(1.6, 0)},
	{"pale", toned(0.6, 70)},
	{"harsh", toned(1.5, -60)},
	{"gray", recolored(func(c color.RGBA) color.RGBA { v := uint8(brightness(c)); return color.RGBA{v, v, v, 255} })},
	{"warm", recolored(func(c color.RGBA) color.RGBA { return mix(c, color.RGBA{255, 140, 20, 255}, 0.2) })},
	{"cold", recolored(func(c color.RGBA) color.RGBA { return mix(c, color.RGBA{20, 90, 255, 255}, 0.2) })},
	{"half as large", scaled(0.5, 0.5)},
	{"a quarter as large", scaled(0.25, 0.25)},
	{"wider", scaled(1, 0.75)},
	{"taller", scaled(0.75, 1)},
	{"blurred", blurred},
	{"grainy", grainy},
	{"quality 50", quality(50)},
	{"quality 30", quality(30)},
	{"quality 20", quality(20)},
	{"quality 10", quality(10)},
	{"turned left", turned(-6)},
	{"turned right", turned(6)},
	{"turned further", turned(12)},
	{"framed", framed},
	{"on white", cutOut(0.8)},
	{"small on white", cutOut(0.55)},
	{"captioned", captioned},
}

// Collages returns two photographs as one picture: side by side, and one above the other. It shows
// what both show.
func Collages(a, b image.Image) []Variant {
	const side = 320
	beside, above := newCanvas(2*side, side), newCanvas(side, 2*side)
	for i, img := range []image.Image{a, b} {
		draw.BiLinear.Scale(beside, image.Rect(side*i, 0, side*(i+1), side), img, img.Bounds(), draw.Src, nil)
		draw.BiLinear.Scale(above, image.Rect(0, side*i, side, side*(i+1)), img, img.Bounds(), draw.Src, nil)
	}
	return []Variant{{"side by side", beside.RGBA}, {"one above the other", above.RGBA}}
}

// cropped returns a part of an image in another size.
func cropped(img image.Image, from image.Rectangle, width, height int) *canvas {
	c := newCanvas(max(width, 1), max(height, 1))
	draw.BiLinear.Scale(c, c.Rect, img, from, draw.Src, nil)
	return c
}

// part returns a crop, by shares of the width and the height.
func part(left, top, right, bottom float64) func(image.Image) image.Image {
	return func(img image.Image) image.Image {
		b := img.Bounds()
		w, h := float64(b.Dx()), float64(b.Dy())
		from := image.Rect(int(left*w), int(top*h), int(right*w), int(bottom*h)).Add(b.Min)
		return cropped(img, from, from.Dx(), from.Dy()).RGBA
	}
}

func scaled(width, height float64) func(image.Image) image.Image {
	return func(img image.Image) image.Image {
		b := img.Bounds()
		return cropped(img, b, int(width*float64(b.Dx())), int(height*float64(b.Dy()))).RGBA
	}
}

// recolored changes each pixel.
func recolored(f func(color.RGBA) color.RGBA) func(image.Image) image.Image {
	return func(img image.Image) image.Image {
		b := img.Bounds()
		c := cropped(img, b, b.Dx(), b.Dy())
		c.each(func(x, y float64) color.RGBA { return f(c.RGBAAt(int(x), int(y))) })
		return c.RGBA
	}
}

// toned multiplies brightness and adds to it.
func toned(factor, add float64) func(image.Image) image.Image {
	f := func(v uint8) uint8 { return uint8(min(max(float64(v)*factor+add, 0), 255)) }
	return recolored(func(c color.RGBA) color.RGBA { return color.RGBA{f(c.R), f(c.G), f(c.B), 255} })
}

func quality(q int) func(image.Image) image.Image {
	return func(img image.Image) image.Image { return compressed(img, q) }
}

func mirrored(img image.Image) image.Image {
	b := img.Bounds()
	c := newCanvas(b.Dx(), b.Dy())
	draw.NearestNeighbor.Transform(c, f64.Aff3{-1, 0, float64(b.Max.X), 0, 1, float64(-b.Min.Y)}, img, b, draw.Src, nil)
	return c.RGBA
}

// blurred loses detail below four pixels.
func blurred(img image.Image) image.Image {
	b := img.Bounds()
	small := cropped(img, b, b.Dx()/4, b.Dy()/4)
	return cropped(small, small.Rect, b.Dx(), b.Dy()).RGBA
}

// grainy adds the noise of a camera in the dark.
func grainy(img image.Image) image.Image {
	m := newMaker(1, 1)
	return recolored(func(c color.RGBA) color.RGBA { return shift(c, m.NormFloat64()*14) })(img)
}

// turned rotates an image by degrees, and cuts off the corners.
func turned(degrees float64) func(image.Image) image.Image {
	return func(img image.Image) image.Image {
		b := img.Bounds()
		w, h := float64(b.Dx()), float64(b.Dy())
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		zoom := 1 + math.Abs(sin)*max(w/h, h/w)
		sin, cos = sin*zoom, cos*zoom
		x, y := float64(b.Min.X)+w/2, float64(b.Min.Y)+h/2
		c := newCanvas(b.Dx(), b.Dy())
		draw.BiLinear.Transform(c, f64.Aff3{cos, -sin, w/2 - cos*x + sin*y, sin, cos, h/2 - sin*x - cos*y}, img, b, draw.Src, nil)
		return c.RGBA
	}
}

// framed has a white frame, like a print.
func framed(img image.Image) image.Image {
	b := img.Bounds()
	border := max(b.Dx(), b.Dy()) / 12
	c := newCanvas(b.Dx()+2*border, b.Dy()+2*border)
	c.fill(white)
	draw.Draw(c, c.Rect.Inset(border), img, b.Min, draw.Src)
	return c.RGBA
}

// captioned has a large text at the bottom, like a meme.
func captioned(img image.Image) image.Image {
	b := img.Bounds()
	c := cropped(img, b, b.Dx(), b.Dy())
	w, h := c.size()
	c.pen(bold, w/14, black).center(w/2+2, h*0.95+2, "WHEN MONDAY COMES")
	c.pen(bold, w/14, white).center(w/2, h*0.95, "WHEN MONDAY COMES")
	return c.RGBA
}

// cutOut shows only an ellipse in the center, on white, like a product in a catalog.
func cutOut(share float64) func(image.Image) image.Image {
	return func(img image.Image) image.Image {
		b := img.Bounds()
		c := cropped(img, b, b.Dx(), b.Dy())
		w, h := c.size()
		c.each(func(x, y float64) color.RGBA {
			distance := math.Hypot((x/w-0.5)/share, (y/h-0.5)/share)
			return mix(c.RGBAAt(int(x), int(y)), white, min(max((distance-0.5)*50, 0), 1))
		})
		return c.RGBA
	}
}
