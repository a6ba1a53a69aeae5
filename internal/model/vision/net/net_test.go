package net

import (
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"testing"
)

// pictures is the folder of test pictures.
const pictures = "../../../../../shared/data/vision/images"

func load(t testing.TB, name string) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(pictures, name))
	if os.IsNotExist(err) {
		t.Skip("no shared data")
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
	var buf buffer
	buf.line = buf.pic.read(img, nil)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			buf.pic.read(img, buf.line)
		}
	})
	b.Run("squeezenet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := n.categories(&buf, center(&buf.pic, 1)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nanodet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := n.detect(&buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestClassifyPictures checks that the networks see what is most prominent in the test pictures.
func TestClassifyPictures(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"eagle.jpg": "bird", "giraffe.jpg": "giraffe", "person.jpg": "person",
		"coffee.png": "cup", "chelsea.png": "cat", "astronaut.png": "person",
	} {
		seen, err := n.Classify(load(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) == 0 || seen[0].Class.Name != want {
			t.Errorf("%s: got %v, want %s first", name, seen, want)
		}
	}
}
