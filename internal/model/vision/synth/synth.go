// Package synth makes pictures to measure image classes with: images that are not photographs, which
// show none of the classes, and variants of photographs, which show what the originals show.
//
// All of them are generated. The same number gives the same picture on every machine.
package synth

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"iter"
	"math/rand/v2"
)

// A kind is a kind of images that are not photographs.
type kind struct {
	name string
	draw func(m *maker) *canvas
}

// kinds lists all of them. The position of a kind seeds its random numbers, so new ones come last.
var kinds = []kind{
	{"plain color", plain},
	{"gradient", gradient},
	{"noise", noise},
	{"fractal noise", fractal},
	{"stripes", stripes},
	{"tiles", tiles},
	{"rings", rings},
	{"blobs", blobs},
	{"code", code},
	{"text", text},
	{"quote", quote},
	{"bar chart", barChart},
	{"line chart", lineChart},
	{"pie chart", pieChart},
	{"table", table},
	{"web page", webPage},
	{"chat", chat},
	{"editor", editor},
	{"shapes", shapes},
	{"landscape drawing", landscape},
	{"face drawing", face},
	{"logo", logo},
	{"line drawing", lineDrawing},
	{"shaded drawing", shaded},
}

// PerKind is how many images of each kind measurements use.
const PerKind = 25

// A NonPhoto is an image that is not a photograph.
type NonPhoto struct {
	Kind   string // such as "bar chart"
	Number int    // from 0, within the kind
	Image  image.Image
}

// String returns the kind and the number, such as "bar chart 3".
func (n NonPhoto) String() string { return fmt.Sprintf("%s %d", n.Kind, n.Number) }

// NonPhotos returns the first images of each kind. Every second one is compressed as JPEG, as most
// images of posts are.
func NonPhotos(perKind int) iter.Seq[NonPhoto] {
	return func(yield func(NonPhoto) bool) {
		for k, kind := range kinds {
			for i := range perKind {
				if !yield(NonPhoto{Kind: kind.name, Number: i, Image: makeNonPhoto(k, i)}) {
					return
				}
			}
		}
	}
}

func makeNonPhoto(kind, number int) image.Image {
	m := newMaker(uint64(kind), uint64(number))
	c := kinds[kind].draw(m)
	if number%2 == 0 {
		return c.RGBA
	}
	return compressed(c.RGBA, 40+m.IntN(56))
}

// compressed returns an image after it has been a JPEG file.
func compressed(img image.Image, quality int) image.Image {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err) // the image is small, and writing to memory does not fail
	}
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		panic(err) // it was just encoded
	}
	return decoded
}

// A maker makes the random choices of a picture.
type maker struct {
	*rand.Rand
}

func newMaker(a, b uint64) *maker { return &maker{rand.New(rand.NewPCG(a, b))} }

// size returns the size of a usual picture.
func (m *maker) size() (width, height int) {
	sizes := [][2]int{{400, 300}, {300, 400}, {360, 360}, {640, 360}, {500, 400}}
	s := sizes[m.IntN(len(sizes))]
	return s[0], s[1]
}

// canvas returns an empty canvas of a usual size.
func (m *maker) canvas() *canvas {
	width, height := m.size()
	return newCanvas(width, height)
}

// between returns a number from low up to, but not including, high.
func (m *maker) between(low, high float64) float64 { return low + m.Float64()*(high-low) }

// choose returns one of several values.
func choose[T any](m *maker, values ...T) T { return values[m.IntN(len(values))] }
