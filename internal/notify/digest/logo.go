package digest

import (
	"bytes"
	"errors"
	"image"
	"image/png"

	"golang.org/x/image/draw"

	"earshot"
	"earshot/internal/fetch"
)

// Limits of logos: of an uploaded file, and of the picture that is kept. The latter is sharp in print, and fits
// into a record of the catalog whatever it shows.
const (
	maxLogo       = 512 << 10
	maxLogoPixels = 4_000_000
	logoWidth     = 600
	logoHeight    = 240
)

// newLogo returns an uploaded PNG or JPEG picture as a small PNG picture. Files are untrusted: the error says
// what is wrong with one.
func newLogo(file []byte) ([]byte, error) {
	switch {
	case len(file) > maxLogo:
		return nil, earshot.InvalidBody("logo must have at most 512 KB")
	case !bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) && !bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return nil, earshot.InvalidBody("logo must be a PNG or JPEG picture")
	}
	picture, err := fetch.DecodeImage(file, maxLogoPixels)
	if errors.Is(err, fetch.ErrTooLarge) {
		return nil, earshot.InvalidBody("logo has too many pixels: at most 2,000 × 2,000")
	}
	if err != nil {
		return nil, earshot.InvalidBody("logo cannot be read: the file is incomplete or damaged")
	}
	size := picture.Bounds().Size()
	scale := min(1, logoWidth/float64(size.X), logoHeight/float64(size.Y))
	small := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
	draw.CatmullRom.Scale(small, small.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return out.Bytes(), err
}
