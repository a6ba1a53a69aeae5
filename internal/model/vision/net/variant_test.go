package net

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"earshot/internal/testenv"
)

// variants returns an image as people post it: mirrored, cropped, darker, brighter, smaller, and
// strongly compressed.
func variants(t *testing.T, img image.Image) map[string]image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	each := func(f func(x, y int) color.Color) image.Image {
		to := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				to.Set(x, y, f(b.Min.X+x, b.Min.Y+y))
			}
		}
		return to
	}
	scaled := func(from image.Rectangle, w, h int) image.Image {
		to := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.BiLinear.Scale(to, to.Bounds(), img, from, draw.Src, nil)
		return to
	}
	times := func(factor float64) func(x, y int) color.Color {
		return func(x, y int) color.Color {
			r, g, b, _ := img.At(x, y).RGBA()
			f := func(v uint32) uint8 { return uint8(min(float64(v>>8)*factor, 255)) }
			return color.RGBA{f(r), f(g), f(b), 255}
		}
	}
	compressed := func(quality int) image.Image {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		decoded, err := jpeg.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	return map[string]image.Image{
		"original":   img,
		"mirrored":   each(func(x, y int) color.Color { return img.At(2*b.Min.X+w-1-x, y) }),
		"top left":   scaled(image.Rect(b.Min.X, b.Min.Y, b.Min.X+w*9/10, b.Min.Y+h*9/10), w*9/10, h*9/10),
		"bottom":     scaled(image.Rect(b.Min.X+w/20, b.Min.Y+h/10, b.Max.X-w/20, b.Max.Y), w*9/10, h*9/10),
		"darker":     each(times(0.7)),
		"brighter":   each(times(1.3)),
		"smaller":    scaled(b, w/2, h/2),
		"quality 30": compressed(30),
		"quality 15": compressed(15),
	}
}

// TestVariants checks that all classes of the test pictures and their variants are right, and that
// most of what the pictures show is seen. It logs the figures in docs/models/images.md.
func TestVariants(t *testing.T) {
	testenv.SkipUnderRace(t)
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	// What the pictures show; must is seen in the original, if not "".
	for _, picture := range []struct{ name, must, shows string }{
		{"dog.jpg", "dog bicycle", "dog bicycle car truck"},
		{"eagle.jpg", "bird", "bird eagle"},
		{"giraffe.jpg", "giraffe zebra", "giraffe zebra"},
		{"horses.jpg", "animal", "horse animal"},
		{"person.jpg", "person dog", "person dog horse"},
		{"coffee.png", "cup coffee", "cup coffee spoon dining_table"},
		{"chelsea.png", "cat", "cat animal"},
		{"astronaut.png", "person", "person"},
	} {
		right, found := 0, 0
		all := variants(t, load(t, picture.name))
		for variant, img := range all {
			seen, err := n.Classify(img)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range seen {
				name := strings.ReplaceAll(s.Class.Name, " ", "_")
				if !slices.Contains(strings.Fields(picture.shows), name) {
					t.Errorf("%s, %s: got %s (%.2f), which it does not show", picture.name, variant, name, s.Score)
				}
				right++
			}
			for _, name := range strings.Fields(picture.must) {
				has := slices.ContainsFunc(seen, func(s Seen) bool { return s.Class.Name == name })
				if has {
					found++
				} else if variant == "original" {
					t.Errorf("%s: %s is missing in %v", picture.name, name, seen)
				}
			}
		}
		t.Logf("%s: %d classes in %d variants are right; %d of %d that must be seen", picture.name, right, len(all), found, len(all)*len(strings.Fields(picture.must)))
	}
}

// TestNonPictures checks that images without anything to see get no class.
func TestNonPictures(t *testing.T) {
	testenv.SkipUnderRace(t)
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, img := range nonPictures() {
		seen, err := n.Classify(img)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) > 0 {
			t.Errorf("%s: got %v, want nothing", name, seen)
		}
	}
}

// nonPictures returns images that show nothing: plain colors, gradients, noise, patterns and texts.
func nonPictures() map[string]image.Image {
	r := rand.New(rand.NewPCG(1, 2))
	const w, h = 400, 300
	each := func(f func(x, y int) color.RGBA) image.Image {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				img.SetRGBA(x, y, f(x, y))
			}
		}
		return img
	}
	colors := map[string]color.RGBA{
		"black": {0, 0, 0, 255}, "white": {255, 255, 255, 255}, "gray": {128, 128, 128, 255}, "red": {220, 20, 20, 255},
		"green": {20, 160, 40, 255}, "blue": {20, 60, 200, 255}, "sky": {135, 206, 235, 255}, "sand": {194, 178, 128, 255},
	}
	all := map[string]image.Image{
		"noise": each(func(int, int) color.RGBA {
			return color.RGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
		}),
		"gray noise":     each(func(int, int) color.RGBA { v := uint8(r.IntN(256)); return color.RGBA{v, v, v, 255} }),
		"gradient right": each(func(x, y int) color.RGBA { return color.RGBA{uint8(255 * x / w), 80, 120, 255} }),
		"gradient down":  each(func(x, y int) color.RGBA { return color.RGBA{uint8(200 * y / h), uint8(220 * y / h), 255, 255} }),
		"stripes":        each(func(x, y int) color.RGBA { v := uint8(x / 20 % 2 * 255); return color.RGBA{v, v, v, 255} }),
		"checks":         each(func(x, y int) color.RGBA { v := uint8((x/25 + y/25) % 2 * 255); return color.RGBA{v, v, v, 255} }),
		"bars": each(func(x, y int) color.RGBA {
			if x%50 > 10 && y > h-20-(x/50*37+60)%220 && y < h-20 {
				return color.RGBA{60, 110, 200, 255}
			}
			return color.RGBA{255, 255, 255, 255}
		}),
	}
	for name, c := range colors {
		all[name] = each(func(int, int) color.RGBA { return c })
		all["text on "+name] = textOn(c, w, h)
	}
	return all
}

// textOn returns a screenshot of a text.
func textOn(background color.RGBA, w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	ink := image.NewUniform(color.RGBA{255 - background.R, 255 - background.G, 255 - background.B, 255})
	d := font.Drawer{Dst: img, Src: ink, Face: basicfont.Face7x13}
	const text = "We are happy to announce that our new store opens on Monday at nine. Come by, say hello, and get ten percent off. "
	for line := range (h - 20) / 16 {
		from := line * 31 % len(text)
		d.Dot = fixed.P(12, 24+16*line)
		d.DrawString((text + text)[from : from+52-line*7%20])
	}
	return img
}
