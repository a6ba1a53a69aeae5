package synth

import (
	"bytes"
	"image"
	"image/color"
	"testing"
)

// pixels returns the pixels of an image.
func pixels(img image.Image) []byte {
	b := img.Bounds()
	c := cropped(img, b, b.Dx(), b.Dy())
	return c.Pix
}

// TestNonPhotos checks that all kinds are there, that no two images of a kind are the same, and that
// every second one went through JPEG.
func TestNonPhotos(t *testing.T) {
	const perKind = 3
	last, count := NonPhoto{}, map[string]int{}
	var before []byte // pixels of the last one
	for p := range NonPhotos(perKind) {
		if p.Number != count[p.Kind] {
			t.Errorf("got %s after %d images of its kind", p, count[p.Kind])
		}
		count[p.Kind]++
		if _, isPlain := p.Image.(*image.RGBA); isPlain != (p.Number%2 == 0) {
			t.Errorf("%s: got %T", p, p.Image)
		}
		after := pixels(p.Image)
		if last.Kind == p.Kind && bytes.Equal(before, after) {
			t.Errorf("%s and %s are the same", last, p)
		}
		last, before = p, after
	}
	if len(count) != len(kinds) {
		t.Errorf("got %d kinds, want %d", len(count), len(kinds))
	}
	for kind, n := range count {
		if n != perKind {
			t.Errorf("%s: got %d images, want %d", kind, n, perKind)
		}
	}
}

func TestNonPhotosAreReproducible(t *testing.T) {
	for k := range kinds {
		for i := range 2 {
			if !bytes.Equal(pixels(makeNonPhoto(k, i)), pixels(makeNonPhoto(k, i))) {
				t.Errorf("%s %d differs between calls", kinds[k].name, i)
			}
		}
	}
}

// ramp returns an image whose pixels all differ, at an offset.
func ramp() *image.RGBA {
	img := image.NewRGBA(image.Rect(5, 7, 105, 67))
	for y := 7; y < 67; y++ {
		for x := 5; x < 105; x++ {
			img.SetRGBA(x, y, color.RGBA{uint8(2 * x), uint8(3 * y), 100, 255})
		}
	}
	return img
}

// TestVariants checks the size of variants and the position of a pixel in some of them.
func TestVariants(t *testing.T) {
	img := ramp()
	variants := map[string]image.Image{}
	for v := range Variants(img) {
		if variants[v.Name] != nil || v.Image.Bounds().Empty() || bytes.Equal(pixels(v.Image), pixels(img)) {
			t.Errorf("%s: got %v, want a variant with its own name", v.Name, v.Image.Bounds())
		}
		variants[v.Name] = v.Image
	}
	f := func(name string, size image.Point, x, y int, want color.RGBA) {
		t.Helper()
		v := variants[name]
		if v == nil || v.Bounds().Size() != size {
			t.Errorf("%s: got %v, want %v", name, v, size)
			return
		}
		if got := color.RGBAModel.Convert(v.At(x, y)); got != want {
			t.Errorf("%s: got %v at %d, %d, want %v", name, got, x, y, want)
		}
	}
	f("mirrored", image.Pt(100, 60), 0, 0, color.RGBA{208, 21, 100, 255})
	f("bottom right", image.Pt(85, 51), 0, 0, color.RGBA{40, 48, 100, 255})
	f("half as large", image.Pt(50, 30), 0, 0, color.RGBA{11, 23, 100, 255})
	f("dark", image.Pt(100, 60), 0, 0, color.RGBA{7, 14, 70, 255})
	f("framed", image.Pt(116, 76), 8, 8, color.RGBA{10, 21, 100, 255})
	f("on white", image.Pt(100, 60), 0, 0, white)
	f("on white", image.Pt(100, 60), 50, 30, color.RGBA{110, 111, 100, 255})
	f("turned left", image.Pt(100, 60), 50, 30, color.RGBA{110, 111, 100, 255})
}

func TestCollages(t *testing.T) {
	red, blue := image.NewUniform(color.RGBA{255, 0, 0, 255}), image.NewUniform(color.RGBA{0, 0, 255, 255})
	a, b := cropped(red, image.Rect(0, 0, 10, 10), 10, 10), cropped(blue, image.Rect(0, 0, 10, 10), 10, 10)
	got := Collages(a, b)
	if len(got) != 2 || got[0].Image.Bounds().Size() != image.Pt(640, 320) || got[1].Image.Bounds().Size() != image.Pt(320, 640) {
		t.Fatalf("got %v", got)
	}
	for i, far := range []image.Point{{600, 10}, {10, 600}} {
		if first, second := got[i].Image.At(10, 10), got[i].Image.At(far.X, far.Y); first != red.C || second != blue.C {
			t.Errorf("%s: got %v and %v", got[i].Name, first, second)
		}
	}
}
