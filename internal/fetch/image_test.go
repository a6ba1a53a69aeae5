package fetch

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// files returns images of 3 × 2 pixels.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.White, color.Black})
	var asJPEG, asPNG, asGIF bytes.Buffer
	for _, err := range []error{jpeg.Encode(&asJPEG, img, nil), png.Encode(&asPNG, img), gif.Encode(&asGIF, img, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]byte{"/jpeg": asJPEG.Bytes(), "/png": asPNG.Bytes(), "/gif": asGIF.Bytes(), "/webp": webpFile(t)}
}

// webpFile returns the smallest lossless WebP, with 1 × 1 pixels.
func webpFile(t *testing.T) []byte {
	t.Helper()
	file, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDecodeImage(t *testing.T) {
	for path, body := range files(t) {
		img, err := DecodeImage(body, 6)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want := image.Pt(3, 2)
		if path == "/webp" {
			want = image.Pt(1, 1)
		}
		if got := img.Bounds().Size(); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestDeepImagesCountTwice(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA64(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeImage(b.Bytes(), 11); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	if _, err := DecodeImage(b.Bytes(), 12); err != nil {
		t.Error(err)
	}
}

// hugePNG returns a PNG header that claims 100,000 × 100,000 pixels.
func hugePNG() []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), 100_000)
	header = append(binary.BigEndian.AppendUint32(header, 100_000), 8, 0, 0, 0, 0)
	file := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(header)-4))
	return binary.BigEndian.AppendUint32(append(file, header...), crc32.ChecksumIEEE(header))
}

func TestDecodeRejects(t *testing.T) {
	known := files(t)
	f := func(name string, body []byte, tooLarge bool) {
		t.Helper()
		if _, err := decode(body, 1000); err == nil || errors.Is(err, ErrTooLarge) != tooLarge {
			t.Errorf("%s: got %v, want too large: %v", name, err, tooLarge)
		}
	}
	f("nothing", nil, false)
	f("a text", []byte("<html>"), false)
	f("half an image", known["/png"][:40], false)
	f("the start of an image", []byte("GIF89a"), false)
	f("an image of ten thousand million pixels", hugePNG(), true)
	f("a JPEG of many scans", append(bytes.Clone(known["/jpeg"]), strings.Repeat("\xff\xda", 101)...), true)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("GIF89a"))
	f.Add([]byte("\xff\xd8\xff\xdb"))
	f.Add(hugePNG())
	f.Fuzz(func(t *testing.T, body []byte) {
		img, err := decode(body, 1<<16)
		if err == nil && img.Bounds().Dx()*img.Bounds().Dy() > 1<<16 {
			t.Errorf("got %v", img.Bounds())
		}
	})
}
