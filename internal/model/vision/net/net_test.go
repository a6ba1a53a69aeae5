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
