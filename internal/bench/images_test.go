package bench

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/testenv"
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

func imagesBench(t *testing.T, data string, count int) (*ImagesResult, error) {
	t.Helper()
	report, err := find(t, "images").Run(t.Context(), Options{Data: data, Count: count})
	if err != nil {
		return nil, err
	}
	return report.Result.(*ImagesResult), nil
}

func TestImages(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir := t.TempDir()
	writePicture(t, filepath.Join(dir, "a.png"))
	writePicture(t, filepath.Join(dir, "sub", "b.PNG"))
	got, err := imagesBench(t, dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Files != 2 || got.Pictures != 3 || got.PerSecond <= 0 || got.Classify <= 0 || got.MemoryMB <= 0 || got.MemoryMB > 50 || got.Accuracy != nil {
		t.Errorf("without labels: got %+v", got)
	}

	writePicture(t, filepath.Join(dir, "n02123045_7.png")) // tabby
	writePicture(t, filepath.Join(dir, "n99999999", "dog.png"))
	if got, err = imagesBench(t, dir, 1); err != nil {
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
	write("# pictures\na.png\tdog, wine glass\t281, n02123159\nsub/b.PNG\n")
	for _, data := range []string{dir, labels} {
		if got, err = imagesBench(t, data, 1); err != nil {
			t.Fatal(err)
		}
		a := got.Accuracy
		if got.Files != 2 || a.Pictures != 1 || a.Categories != 1 || a.Labeled != 2 || len(a.Classes) != 2 || len(a.Each) != 1 || strings.Join(a.Each[0].Missing, ";") != "dog;wine glass" {
			t.Errorf("with labels: got %+v, %+v", got, a)
		}
	}
	f := func(text, want string) {
		t.Helper()
		write(text)
		if _, err := imagesBench(t, labels, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	f("a.png\tunicorn\n", `unknown class "unicorn"`)
	f("a.png\tdog\t1000\n", `unknown category of ImageNet: "1000"`)
	f("c.png\tdog\n", "no such file")
	f("", "has no pictures")
	f("labels.tsv\tdog\n", "decode")
}

func TestGeneratedPictures(t *testing.T) {
	a, err := generatePictures(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := generatePictures(1)
	if err != nil || len(a) != 8 || string(a[3].data) != string(b[3].data) || string(a[0].data) == string(a[1].data) {
		t.Errorf("got %d pictures, %v, want 8 different ones, the same for the same seed", len(a), err)
	}
}
