package net

import (
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"earshot/internal/model/vision/synth"
	"earshot/internal/test/testenv"
)

// pictures is the folder of test pictures.
const pictures = "../../../../../shared/data/vision/images"

// photoNames lists the photographs in it.
var photoNames = []string{"dog.jpg", "eagle.jpg", "giraffe.jpg", "horses.jpg", "person.jpg", "coffee.png", "chelsea.png", "astronaut.png"}

func load(t testing.TB, name string) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(pictures, name))
	if os.IsNotExist(err) {
		testenv.SkipMissing(t, "no shared data")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func BenchmarkClassify(b *testing.B) {
	n, err := New()
	if err != nil {
		b.Fatal(err)
	}
	img := load(b, "dog.jpg")
	buf := newBuffer()
	var e evidence
	buf.line = buf.pic.read(img, nil)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			buf.pic.read(img, buf.line)
		}
	})
	b.Run("squeezenet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := n.categorize(buf, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nanodet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := n.detect(buf, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestClassifyConcurrently(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, name := range []string{"chelsea.png", "eagle.jpg", "chelsea.png", "eagle.jpg", "coffee.png", "coffee.png"} {
		img := load(t, name)
		want, err := n.Classify(img)
		if err != nil || len(want) == 0 {
			t.Fatalf("%s: got %v, %v", name, want, err)
		}
		all.Go(func() {
			for range 3 {
				if got, err := n.Classify(img); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
				}
			}
		})
	}
	all.Wait()
}

// rough returns an image with the texture of a photograph, so that the networks look at it.
func rough(w, h int) image.Image {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		x, y := i%w, i/w
		img.Pix[i] = uint8(128 + (x*y*7)%(1<<(2+(x/16+y/16)%5)))
	}
	return img
}

// TestMemory checks that the networks hold at most 50 MB, and that classifying more images needs no
// more.
func TestMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	before := heap()
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	images := []image.Image{rough(640, 640), rough(minSide, 300), rough(500, minSide)}
	classify := func(times int) {
		for range times {
			for _, img := range images {
				if _, err := n.Classify(img); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	classify(2)
	warm := heap()
	if warm-before > 50 {
		t.Errorf("the networks hold %.1f MB, want at most 50", warm-before)
	}
	classify(5)
	if grown := heap() - warm; grown > 0.5 {
		t.Errorf("the heap grew by %.1f MB, want nothing", grown)
	}
	runtime.KeepAlive(n)
}

func TestImagesWithoutPixels(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range []image.Image{nil, image.NewGray(image.Rectangle{}), image.NewRGBA(image.Rect(3, 3, 9, 3))} {
		if _, err := n.Classify(img); !errors.Is(err, errNoPixels) {
			t.Errorf("Classify: got %v, want %v", err, errNoPixels)
		}
		if _, err := n.Probabilities(img); !errors.Is(err, errNoPixels) {
			t.Errorf("Probabilities: got %v, want %v", err, errNoPixels)
		}
		if got := PerceptualHash(img); got != 0 {
			t.Errorf("PerceptualHash: got %x, want 0", got)
		}
	}
}

// TestPerceptualHash checks that copies of a picture are close to it and other pictures are not.
func TestPerceptualHash(t *testing.T) {
	testenv.SkipUnderRace(t)
	hashes := map[string]uint64{}
	for i, name := range photoNames {
		img := load(t, name)
		hashes[name] = PerceptualHash(img)
		if !some(i, 4) {
			continue
		}
		for v := range synth.Variants(img) {
			switch v.Name {
			case "dark", "bright", "half as large", "quality 30", "quality 20":
				if d := Distance(hashes[name], PerceptualHash(v.Image)); d > MaxDistance {
					t.Errorf("%s, %s: got distance %d, want at most %d", name, v.Name, d, MaxDistance)
				}
			}
		}
	}
	for i, a := range photoNames {
		for _, b := range photoNames[:i] {
			if d := Distance(hashes[a], hashes[b]); d < 2*MaxDistance {
				t.Errorf("%s and %s: got distance %d, want at least %d", a, b, d, 2*MaxDistance)
			}
		}
	}
	white := image.NewGray(image.Rect(0, 0, 20, 50))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	if a, b := PerceptualHash(image.NewGray(image.Rect(0, 0, 9, 9))), PerceptualHash(white); a != b {
		t.Errorf("plain images: got %x and %x, want the same", a, b)
	}
}

// Distance returns the number of bits in which two perceptual hashes differ. Unrelated images differ
// in about 32.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }
