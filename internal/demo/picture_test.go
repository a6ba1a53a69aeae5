package demo

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/jpeg"
	_ "image/png"
	"log/slog"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/model/vision/net"
	"earshot/internal/picture"
	"earshot/internal/test/testenv"
)

var update = flag.Bool("update", false, "make the photographs of the demo again")

// sharedPhotos is the folder of the photographs that the demo's are parts of.
const sharedPhotos = "../../../shared/data/vision/images"

// photoParts lists the photographs of the demo, with the part of the original that they show.
var photoParts = map[string]struct {
	original string
	part     image.Rectangle
}{
	"coffee":    {"coffee.png", image.Rect(0, 0, 600, 400)},
	"table":     {"coffee.png", image.Rect(150, 100, 540, 400)},
	"cup":       {"coffee.png", image.Rect(200, 0, 600, 300)},
	"cat":       {"chelsea.png", image.Rect(0, 0, 451, 300)},
	"kitten":    {"chelsea.png", image.Rect(150, 0, 451, 225)},
	"astronaut": {"astronaut.png", image.Rect(0, 0, 512, 512)},
}

// TestPhotos checks that the photographs are the parts of the originals that they should be.
func TestPhotos(t *testing.T) {
	for name, p := range photoParts {
		f, err := os.Open(filepath.Join(sharedPhotos, p.original))
		if os.IsNotExist(err) {
			testenv.SkipMissing(t, "no shared data")
		}
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		part := img.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(p.part)
		want := encode(shrink(part, 320))
		file := filepath.Join("pictures", name+".jpg")
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the part %v of %s: %v", file, p.part, p.original, err)
		}
	}
}

// TestPictures checks what the networks find in each picture, and that a small copy looks like the
// original and like no other picture.
func TestPictures(t *testing.T) {
	n, err := net.New()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"coffee": "cup, coffee", "table": "cup, coffee", "cup": "cup, coffee", "cat": "cat", "kitten": "cat", "astronaut": "person",
		"clock": "clock", "stop": "", "phone": "", "ball": "", "sunset": "", "quote": "", "poster": "", "sale": "", "banner": "",
	}
	hashes := map[string]uint64{}
	for file, body := range pictureFiles() {
		img, err := jpeg.Decode(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(file, ".jpg")
		hashes[name] = net.PerceptualHash(img)
		if size := img.Bounds().Size(); max(size.X, size.Y) > 320 {
			t.Errorf("%s has %v pixels", file, size)
		}
		if strings.HasSuffix(name, smallSuffix) {
			continue
		}
		seen, err := n.Classify(img)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var classes []string
		for _, s := range seen {
			classes = append(classes, s.Class.Name)
		}
		if got, known := strings.Join(classes, ", "), want[name]; got != known {
			t.Errorf("%s shows %q, want %q", file, got, known)
		}
	}
	if len(hashes) != 2*len(want) {
		t.Errorf("got pictures %v", slices.Sorted(maps.Keys(hashes)))
	}
	for a := range want {
		for b := range hashes {
			isCopy := a == strings.TrimSuffix(b, smallSuffix)
			if distance := bits.OnesCount64(hashes[a] ^ hashes[b]); isCopy != (distance <= 8) {
				t.Errorf("%s and %s differ in %d bits", a, b, distance)
			}
		}
	}
}

// TestPostsHavePictures checks that all images of posts exist, that nothing is stated about them but
// logos, and that pictures change nothing else about posts.
func TestPostsHavePictures(t *testing.T) {
	g := standard
	g.Days = 30
	plain := slices.Collect(g.Posts())
	g.Pictures = true
	used := map[string]int{}
	i := 0
	for p := range g.Posts() {
		for k := range p.Images {
			image := p.Images[k]
			if _, _, err := Picture(t.Context(), image.URL); err != nil {
				t.Fatalf("%s: %v", image.URL, err)
			}
			used[image.URL]++
			if image.Objects != nil || len(image.Brands) != len(plain[i].Images[k].Brands) {
				t.Fatalf("got %+v", image)
			}
			if isAd := regexp.MustCompile("poster|sale|banner").MatchString(image.URL); isAd != (len(image.Brands) > 0) {
				t.Fatalf("got logos %v of %s", image.Brands, image.URL)
			}
		}
		p.Images, plain[i].Images = nil, nil
		p.MediaURLs, plain[i].MediaURLs = nil, nil
		if !reflect.DeepEqual(p, plain[i]) {
			t.Fatalf("got %+v, want %+v", p, plain[i])
		}
		i++
	}
	if len(used) < 25 {
		t.Errorf("posts use %d pictures: %v", len(used), used)
	}
}

// TestUnknownPicture requests pictures that do not exist. An analysis says why.
func TestUnknownPicture(t *testing.T) {
	cache, err := picture.OpenCache(picture.CacheOptions{Dir: t.TempDir(), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s := picture.New(picture.Options{Cache: cache, Get: Picture, Now: time.Now, Log: slog.New(slog.DiscardHandler), Model: picture.Model{Version: "1"}})
	const want = "The picture could not be fetched: the demo reaches no network. Use the URL of a picture in one of its posts, such as https://images.example/coffee.jpg"
	_, err = s.Show(t.Context(), "https://elsewhere.example/coffee.jpg")
	var e *earshot.Error
	if !errors.As(err, &e) || e.Kind != earshot.Unprocessable || e.Message != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, url := range []string{pictureSite + "nothing.jpg", "https://elsewhere.example/coffee.jpg", ""} {
		_, _, err := Picture(t.Context(), url)
		var status *fetch.StatusError
		if !errors.As(err, &status) || status.Code != 404 {
			t.Errorf("%s: got %v, want status 404", url, err)
		}
	}
}
