package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientedSide is the maximum width and height of a picture that is turned. Larger ones are scaled
// down first, because turning takes time for each pixel.
const orientedSide = 4 * thumbnailSide

// An orientation says how a camera was held, as in EXIF: 1 is upright, 2 to 8 are mirrored or turned.
type orientation uint16

// orientationOf returns the orientation that the file of a JPEG states, or 1.
func orientationOf(body []byte) orientation {
	if !bytes.HasPrefix(body, []byte("\xff\xd8")) {
		return 1
	}
	for rest := body[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker, length := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		if marker == 0xda || length < 2 || 2+length > len(rest) { // the pixels, or garbage
			return 1
		}
		if exif, ok := bytes.CutPrefix(rest[4:2+length], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return orientationOfEXIF(exif)
		}
		rest = rest[2+length:]
	}
	return 1
}

// orientationOfEXIF finds the orientation, tag 0x112, in the first directory of EXIF data.
func orientationOfEXIF(exif []byte) orientation {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(exif, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(exif, []byte("II*\x00")):
		return 1
	}
	if len(exif) < 8 {
		return 1
	}
	start := int64(order.Uint32(exif[4:]))
	if start+2 > int64(len(exif)) {
		return 1
	}
	entries := exif[start+2:]
	for range order.Uint16(exif[start:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x112 {
			if o := orientation(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}

// turns reports whether width and height are exchanged.
func (o orientation) turns() bool { return o >= 5 }

// upright returns an image as people see it.
func (o orientation) upright(img image.Image) image.Image {
	if o == 1 {
		return img
	}
	from := scale(img, orientedSide)
	size := from.Bounds().Size()
	width, height := size.X, size.Y
	if o.turns() {
		width, height = height, width
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			copy(to.Pix[to.PixOffset(x, y):][:4], from.Pix[from.PixOffset(o.source(x, y, size)):][:4])
		}
	}
	return to
}

// source returns the position in an image of the given size that is shown at x, y.
func (o orientation) source(x, y int, size image.Point) (int, int) {
	if o.turns() {
		x, y = y, x
	}
	if o == 2 || o == 3 || o == 7 || o == 8 {
		x = size.X - 1 - x
	}
	if o == 3 || o == 4 || o == 6 || o == 7 {
		y = size.Y - 1 - y
	}
	return x, y
}
