package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// A format is an image format, recognized by its magic number.
type format struct {
	magic  string // ? stands for any byte
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	scan   string // starts each pass over the image; "" for formats with one pass
}

var formats = []format{
	{"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode, "\xff\xda"},
	{"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, ""},
	{"GIF8?a", gif.DecodeConfig, gif.Decode, ""},
	{"RIFF????WEBPVP8", webp.DecodeConfig, webp.Decode, ""},
}

// Limits of the time to decode a progressive JPEG, which has several scans over all of its pixels.
// Encoders write about ten; a small malicious file can have thousands, which take minutes.
const (
	maxScans     = 100
	typicalScans = 10 // an image of the maximum size may have
)

// DecodeImage decodes an image of at most maxPixels pixels with 8 bits per channel, or half as many
// with 16. It supports JPEG, PNG, GIF (the first frame) and WebP, detected by content. It reads the
// dimensions first, and does not decode larger images; errors for those wrap [ErrTooLarge]. Images
// are untrusted input: if one makes the decoder panic, that is an error, too.
//
// A large image takes hundreds of megabytes, so callers should decode one at a time.
func DecodeImage(body []byte, maxPixels int) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("decode image: panic: %v", r)
		}
	}()
	return decode(body, maxPixels)
}

// decode decodes an image of at most maxPixels pixels.
func decode(body []byte, maxPixels int) (image.Image, error) {
	f, ok := formatOf(body)
	if !ok {
		return nil, errors.New("unsupported image format: must be JPEG, PNG, GIF or WebP")
	}
	config, err := f.config(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("read image header: %w", err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return nil, errors.New("the image has no pixels")
	}
	if isDeep(config.ColorModel) {
		maxPixels /= 2
	}
	if config.Width > maxPixels/config.Height {
		return nil, fmt.Errorf("image of %d × %d pixels: %w", config.Width, config.Height, ErrTooLarge)
	}
	if f.scan != "" {
		scans := bytes.Count(body, []byte(f.scan))
		if scans > maxScans || scans*config.Width*config.Height > typicalScans*maxPixels {
			return nil, fmt.Errorf("image of %d × %d pixels in %d scans: %w", config.Width, config.Height, scans, ErrTooLarge)
		}
	}
	img, err := f.decode(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("decode image: %w", err)
	}
	return img, nil
}

// isDeep reports whether the pixels of a color model have 16 bits per channel.
func isDeep(m color.Model) bool {
	return m == color.NRGBA64Model || m == color.RGBA64Model || m == color.Gray16Model
}

func formatOf(body []byte) (format, bool) {
	for _, f := range formats {
		if hasMagic(body, f.magic) {
			return f, true
		}
	}
	return format{}, false
}

func hasMagic(body []byte, magic string) bool {
	if len(body) < len(magic) {
		return false
	}
	for i := range magic {
		if magic[i] != '?' && magic[i] != body[i] {
			return false
		}
	}
	return true
}
