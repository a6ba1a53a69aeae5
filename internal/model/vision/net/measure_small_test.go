package net_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/model/vision"
	"earshot/internal/model/vision/net"
	"earshot/internal/model/vision/synth"
	"earshot/internal/test/testenv"
)

// writePicture writes a plain picture, which shows nothing.
func writePicture(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.SetGray(1, 1, color.Gray{Y: 10})
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

func measureFew(t *testing.T, data string, count int) (*ImagesResult, error) {
	t.Helper()
	files, err := readPictures(data)
	if err != nil {
		return nil, err
	}
	return measure(t.Context(), files, count, 1)
}

// TestFewPictures is a small version of TestMeasure.
func TestFewPictures(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir := t.TempDir()
	writePicture(t, filepath.Join(dir, "a.png"))
	writePicture(t, filepath.Join(dir, "sub", "b.PNG"))
	got, err := measureFew(t, dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Files != 2 || got.Pictures != 3 || got.PerSecond <= 0 || got.Classify <= 0 || got.MemoryMB <= 0 || got.MemoryMB > 50 || got.Accuracy != nil || got.Variants != nil || got.NonPhotos != nil {
		t.Errorf("without labels: got %+v", got)
	}

	writePicture(t, filepath.Join(dir, "n02123045_7.png")) // tabby
	writePicture(t, filepath.Join(dir, "n99999999", "dog.png"))
	if got, err = measureFew(t, dir, 1); err != nil {
		t.Fatal(err)
	}
	a := got.Accuracy
	if got.Files != 4 || a == nil || a.Pictures != 1 || a.Categories != 1 || a.Top5 != 0 || a.Assigned != 0 || a.Precision != nil || a.Labeled != 2 || *a.Recall != 0 {
		t.Errorf("with the name of a synset: got %+v, %+v, want a cat and an animal that are not seen", got, a)
	}

	labels := filepath.Join(dir, "labels.tsv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(labels, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# pictures\na.png\tdog, wine glass, animal?\t281, n02123159\nsub/b.PNG\n")
	for _, data := range []string{dir, labels} {
		if got, err = measureFew(t, data, 1); err != nil {
			t.Fatal(err)
		}
		a := got.Accuracy
		if got.Files != 2 || a.Pictures != 1 || a.Categories != 1 || a.Labeled != 2 || len(a.Classes) != 2 || len(a.Each) != 1 || strings.Join(a.Each[0].Missing, ";") != "dog;wine glass" {
			t.Errorf("with labels: got %+v, %+v", got, a)
		}
		if v := got.Variants; v == nil || v.Pictures < 20 || v.Assigned != 0 || v.Labeled < 2*v.Pictures || v.Interval != nil {
			t.Errorf("variants: got %+v, want two labels on each of 20 pictures or more, and none assigned", v)
		}
		if p := got.NonPhotos; p == nil || p.Images != synth.PerKind || p.Assigned != 0 || p.Interval[0] != 0 || p.Interval[1] < 0.1 {
			t.Errorf("images that are not photographs: got %+v, want one kind of them without a class", p)
		}
	}
	f := func(text, want string) {
		t.Helper()
		write(text)
		if _, err := measureFew(t, labels, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	f("a.png\tunicorn\n", `unknown class "unicorn"`)
	f("a.png\tdog, unicorn?\n", `unknown class "unicorn"`)
	f("a.png\tdog\t1000\n", `unknown category of ImageNet: "1000"`)
	f("c.png\tdog\n", "no such file")
	f("", "no pictures")
	f("labels.tsv\tdog\n", "decode")
}

// TestCompareLabels checks what counts as right, wrong and missing.
func TestCompareLabels(t *testing.T) {
	n, err := net.New()
	if err != nil {
		t.Fatal(err)
	}
	seen := func(names ...string) (all []net.Seen) {
		for _, name := range names {
			all = append(all, net.Seen{Class: vision.Class{Name: name}, Score: 0.9})
		}
		return all
	}
	counts := map[string]*classCount{}
	f := func(labels pictureLabels, assigned []net.Seen, wrong, missing string) {
		t.Helper()
		r := compareLabels(n, pictureFile{pictureLabels: labels}, assigned, counts)
		if got := strings.Join(r.Wrong, " "); got != wrong {
			t.Errorf("wrong: got %q, want %q", got, wrong)
		}
		if got := strings.Join(r.Missing, " "); got != missing {
			t.Errorf("missing: got %q, want %q", got, missing)
		}
	}
	f(pictureLabels{classes: []string{"dog", "car"}, optional: []string{"animal"}}, seen("dog", "cat"), "cat", "car")
	f(pictureLabels{classes: []string{"dog"}, optional: []string{"animal"}}, seen("animal"), "", "dog")
	f(pictureLabels{classes: []string{"dog"}, categories: []int{281}}, seen("dog", "cat"), "cat", "")
	f(pictureLabels{categories: []int{281}}, seen("cat", "dog", "person"), "dog", "animal")
	if got, want := *counts["dog"], (classCount{assigned: 3, right: 2, labeled: 3, found: 2}); got != want {
		t.Errorf("dogs: got %+v, want %+v", got, want)
	}
	if got, want := *counts["animal"], (classCount{assigned: 1, right: 1, labeled: 1}); got != want {
		t.Errorf("animals: got %+v, want %+v", got, want)
	}
}

func TestWilson(t *testing.T) {
	f := func(part, whole int, want [2]float64) {
		t.Helper()
		if got := wilson(part, whole); *got != want {
			t.Errorf("%d of %d: got %v, want %v", part, whole, *got, want)
		}
	}
	f(0, 10, [2]float64{0, 0.2775})
	f(10, 10, [2]float64{0.7225, 1})
	f(80, 100, [2]float64{0.7112, 0.8666})
	if got := wilson(0, 0); got != nil {
		t.Errorf("nothing: got %v, want nil", got)
	}
}
