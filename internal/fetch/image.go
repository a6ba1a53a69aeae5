package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// Image downloads an image and calls use with it. It supports JPEG, PNG, GIF (the first frame) and
// WebP, detected by content regardless of the content type. Errors are those of Get, and
// ErrTooLarge for an image with too many pixels, which is not decoded. Images are decoded and used
// one at a time, because a large one takes hundreds of megabytes.
func (c *Client) Image(ctx context.Context, rawURL string, use func(image.Image) error) error {
	body, _, err := c.Get(ctx, rawURL)
	if err != nil {
		return err
	}
	if err := acquire(ctx, c.decoding); err != nil {
		return fmt.Errorf("wait to decode an image: %w", err)
	}
	defer func() { <-c.decoding }()
	picture, err := decode(body, c.opts.MaxPixels)
	if err != nil {
		return err
	}
	return use(picture)
}

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

// maxScans limits the scans of a progressive JPEG. Encoders write about ten; a small malicious file
// can have thousands, which take minutes to decode.
const maxScans = 100

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
	if config.Width > maxPixels/config.Height {
		return nil, fmt.Errorf("image of %d × %d pixels: %w", config.Width, config.Height, ErrTooLarge)
	}
	if f.scan != "" && bytes.Count(body, []byte(f.scan)) > maxScans {
		return nil, fmt.Errorf("image of more than %d scans: %w", maxScans, ErrTooLarge)
	}
	img, err := f.decode(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("decode image: %w", err)
	}
	return img, nil
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
