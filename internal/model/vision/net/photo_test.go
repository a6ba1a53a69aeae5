package net

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"earshot/internal/model/vision/synth"
	"earshot/internal/test/testenv"
)

func mediumOf(img image.Image) medium {
	var p picture
	p.read(img, nil)
	return p.medium()
}

// TestTexture checks the statistics of images whose steps are known.
func TestTexture(t *testing.T) {
	f := func(name string, pixel func(x, y int) uint8, want texture) {
		t.Helper()
		img := image.NewGray(image.Rect(0, 0, 65, 65))
		for y := range 65 {
			for x := range 65 {
				img.SetGray(x, y, color.Gray{Y: pixel(x, y)})
			}
		}
		var p picture
		p.read(img, nil)
		got := p.texture()
		if math.Abs(got.spread-want.spread) > 0.01 || math.Abs(got.textured-want.textured) > 0.01 || math.Abs(got.gathered-want.gathered) > 0.01 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	f("flat", func(x, y int) uint8 { return 77 }, texture{})
	f("an edge", func(x, y int) uint8 { return uint8(x / 33 * 200) }, texture{})
	f("a ramp", func(x, y int) uint8 { return uint8(2 * x) }, texture{spread: 0, textured: 1, gathered: 1})
	f("two slopes", func(x, y int) uint8 { return uint8(x + max(x-32, 0)) }, texture{spread: 1, textured: 1, gathered: 1})
	f("a ramp beside a flat half", func(x, y int) uint8 { return uint8(min(x, 32)) }, texture{spread: 0, textured: 0.5, gathered: 1})
	f("thin lines", func(x, y int) uint8 { return uint8(x % 8 / 7 * 100) }, texture{spread: 0, textured: 0, gathered: 0})
}

func TestMedium(t *testing.T) {
	f := func(name string, img image.Image, want medium) {
		t.Helper()
		if got := mediumOf(img); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	f("rough", rough(200, 100), photo)
	f("as small as possible", rough(minSide, 100), photo)
	f("too small", rough(minSide-1, 100), graphic)
	f("one pixel", rough(1, 1), graphic)
	mostly := image.NewGray(image.Rect(0, 0, 320, 320))
	for i := range mostly.Pix {
		mostly.Pix[i] = 255
	}
	draw.Draw(mostly, image.Rect(100, 100, 220, 220), rough(120, 120), image.Point{}, draw.Src)
	f("a small object on white", mostly, unclear)
	mosaic := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range mosaic.Pix {
		mosaic.Pix[i] = uint8((i/8%8*37 + i/512*101) % 256)
	}
	f("a mosaic", mosaic, graphic)
	f("plain", image.NewGray(image.Rect(0, 0, 300, 300)), graphic)
}

// TestPhotosAreRecognized checks that all photographs and their variants count as photographs.
func TestPhotosAreRecognized(t *testing.T) {
	testenv.SkipUnderRace(t)
	for i, name := range photoNames {
		img := load(t, name)
		if got := mediumOf(img); got != photo {
			t.Errorf("%s: got %d, want a photograph", name, got)
		}
		if !some(i, 4) {
			continue
		}
		for v := range synth.Variants(img) {
			if got := mediumOf(v.Image); got != photo {
				t.Errorf("%s, %s: got %d, want a photograph", name, v.Name, got)
			}
		}
	}
}
