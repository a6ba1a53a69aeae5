package net

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"
)

// checks returns an image of opaque squares, at an offset.
func checks(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h))
	for y := range h {
		for x := range w {
			v := uint8((x/4 + y/4) % 2 * 200)
			img.SetNRGBA(3+x, 5+y, color.NRGBA{v, v, v, 255})
		}
	}
	return img
}

// TestReadAllTypes checks that the type of an image does not matter.
func TestReadAllTypes(t *testing.T) {
	from := checks(24, 16)
	b := from.Bounds()
	var want picture
	want.read(from, nil)
	if want.width != 24 || want.height != 16 || want.planes[0][0] != 0 || want.planes[2][4] != 200 {
		t.Fatalf("got %d × %d pixels, %v", want.width, want.height, want.planes[0][:8])
	}
	copied := func(to draw.Image) image.Image {
		draw.Draw(to, b, from, b.Min, draw.Src)
		return to
	}
	luma := func(ratio image.YCbCrSubsampleRatio) image.Image {
		to := image.NewYCbCr(b, ratio)
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				to.Y[to.YOffset(x, y)] = from.NRGBAAt(x, y).R
			}
		}
		for i := range to.Cb {
			to.Cb[i], to.Cr[i] = 128, 128
		}
		return to
	}
	larger := image.NewRGBA(b.Inset(-7))
	draw.Draw(larger, b, from, b.Min, draw.Src)
	for name, img := range map[string]image.Image{
		"RGBA": copied(image.NewRGBA(b)), "Gray": copied(image.NewGray(b)), "NRGBA64": copied(image.NewNRGBA64(b)), "CMYK": copied(image.NewCMYK(b)),
		"Paletted": copied(image.NewPaletted(b, color.Palette{color.Black, color.Gray{Y: 200}})), "a part": larger.SubImage(b),
		"4:4:4": luma(image.YCbCrSubsampleRatio444), "4:2:0": luma(image.YCbCrSubsampleRatio420), "4:1:1": luma(image.YCbCrSubsampleRatio411), "4:4:0": luma(image.YCbCrSubsampleRatio440),
	} {
		var got picture
		got.read(img, nil)
		for c := range 3 {
			for i, v := range got.planes[c] {
				if math.Abs(float64(v-want.planes[c][i])) > 1 {
					t.Errorf("%s: channel %d, pixel %d: got %g, want %g", name, c, i, v, want.planes[c][i])
					break
				}
			}
		}
	}
}

// TestReadColors checks the order of colors, and that what is transparent becomes white.
func TestReadColors(t *testing.T) {
	f := func(img image.Image, want [3]float32) {
		t.Helper()
		var p picture
		p.read(img, nil)
		for c, v := range want {
			if math.Abs(float64(p.planes[c][0]-v)) > 1.5 {
				t.Errorf("%T: got %v, want %v", img, [3]float32{p.planes[0][0], p.planes[1][0], p.planes[2][0]}, want)
				return
			}
		}
	}
	one := image.Rect(0, 0, 1, 1)
	for _, img := range []draw.Image{image.NewRGBA(one), image.NewNRGBA(one), image.NewNRGBA64(one)} {
		img.Set(0, 0, color.NRGBA{200, 100, 50, 255})
		f(img, [3]float32{200, 100, 50})
		img.Set(0, 0, color.NRGBA{200, 100, 0, 128})
		f(img, [3]float32{227, 177, 127})
		img.Set(0, 0, color.NRGBA{0, 0, 0, 0})
		f(img, [3]float32{255, 255, 255})
	}
	y := image.NewYCbCr(one, image.YCbCrSubsampleRatio420)
	y.Y[0], y.Cb[0], y.Cr[0] = color.RGBToYCbCr(200, 100, 50)
	f(y, [3]float32{200, 100, 50})
}

// TestReadReduces checks the means of blocks in images of any shape.
func TestReadReduces(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 5000}, {5000, 1}, {641, 3}, {1300, 1290}, {2000, 10}} {
		img := image.NewGray(image.Rectangle{Max: size})
		for i := range img.Pix {
			img.Pix[i] = 77
		}
		var p picture
		p.read(img, nil)
		if max(p.width, p.height) > maxSide || p.width < 1 || p.height < 1 || len(p.planes[1]) != p.width*p.height {
			t.Errorf("%v: got %d × %d pixels", size, p.width, p.height)
		}
		for _, v := range p.planes[1] {
			if math.Abs(float64(v)-77) > 0.01 {
				t.Errorf("%v: got %g, want 77", size, v)
				break
			}
		}
	}
}

func TestDraw(t *testing.T) {
	plain := normalization{scale: [3]float32{1, 1, 1}}
	p := picture{width: 4, height: 2}
	for c := range p.planes {
		p.planes[c] = []float32{0, 10, 20, 30, 40, 50, 60, 70}
		for i := range p.planes[c] {
			p.planes[c][i] += float32(100 * c)
		}
	}
	var r resampler
	input := make([]float32, 3*4*4)
	r.draw(input, 4, image.Rect(0, 1, 4, 3), &p, image.Rect(0, 0, 4, 2), plain)
	if input[3] != 0 || input[4] != 200 || input[11] != 270 || input[12] != 0 || input[2*16+4] != 0 {
		t.Errorf("the same size: got %v, want blue first and nothing outside the target", input)
	}
	r.draw(input, 4, image.Rect(0, 0, 1, 1), &p, image.Rect(0, 0, 4, 2), normalization{mean: [3]float32{235, 0, 0}, scale: [3]float32{2, 1, 1}})
	if math.Abs(float64(input[0])) > 1e-3 || math.Abs(float64(input[32])-35) > 1e-3 {
		t.Errorf("one pixel: got %g and %g, want 2 × (235 - 235) and the mean 35", input[0], input[32])
	}
	r.draw(input, 4, image.Rect(0, 0, 4, 1), &p, image.Rect(0, 0, 2, 1), plain)
	for x, want := range []float32{200, 202.5, 207.5, 210} {
		if math.Abs(float64(input[x]-want)) > 1e-3 {
			t.Errorf("twice as wide: got %v", input[:4])
			break
		}
	}
}

func TestFit(t *testing.T) {
	f := func(w, h int, want image.Rectangle) {
		t.Helper()
		if got := fit(w, h, 320); got != want {
			t.Errorf("%d × %d: got %v, want %v", w, h, got, want)
		}
	}
	f(640, 640, image.Rect(0, 0, 320, 320))
	f(640, 320, image.Rect(0, 80, 320, 240))
	f(10, 640, image.Rect(157, 0, 162, 320))
	f(640, 1, image.Rect(0, 159, 320, 160))
}
