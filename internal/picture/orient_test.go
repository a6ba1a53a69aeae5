package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
)

// held returns a JPEG that states an orientation. Its upper left quarter is white.
func held(t *testing.T, o uint16, order binary.ByteOrder) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 64, 32))
	for y := range 16 {
		for x := range 32 {
			img.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00II*\x00")
	if order == binary.BigEndian {
		exif = []byte("Exif\x00\x00MM\x00*")
	}
	exif = append32(order, exif, 8)
	exif = append16(order, exif, 2, 0x110, 3, 0, 1, 7, 0) // another tag
	exif = append16(order, exif, 0x112, 3, 0, 1, o, 0)
	exif = append32(order, exif, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return append(append([]byte("\xff\xd8"), append(segment, exif...)...), b.Bytes()[2:]...)
}

func append16(order binary.ByteOrder, b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = append(b, 0, 0)
		order.PutUint16(b[len(b)-2:], v)
	}
	return b
}

func append32(order binary.ByteOrder, b []byte, v uint32) []byte {
	b = append(b, 0, 0, 0, 0)
	order.PutUint32(b[len(b)-4:], v)
	return b
}

func TestOrientation(t *testing.T) {
	const upperLeft, upperRight, lowerLeft, lowerRight = 0, 1, 2, 3
	want := []int{1: upperLeft, 2: upperRight, 3: lowerRight, 4: lowerLeft, 5: upperLeft, 6: upperRight, 7: lowerRight, 8: lowerLeft}
	for o := uint16(1); o <= 8; o++ {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			body := held(t, o, order)
			img, err := jpeg.Decode(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			got := orientationOf(body)
			if got != orientation(o) {
				t.Errorf("orientation %d: got %d", o, got)
			}
			img = got.upright(img)
			size := img.Bounds().Size()
			if wide := size.X > size.Y; wide == (o >= 5) {
				t.Errorf("orientation %d: got size %v", o, size)
			}
			white := -1
			for quarter := range 4 {
				if r, _, _, _ := img.At(size.X/4+quarter%2*size.X/2, size.Y/4+quarter/2*size.Y/2).RGBA(); r > 0x8000 {
					white = quarter
				}
			}
			if white != want[o] {
				t.Errorf("orientation %d: quarter %d is white, want %d", o, white, want[o])
			}
		}
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x20Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if o := orientationOf(body); o < 1 || o > 8 {
			t.Errorf("got %d", o)
		}
	})
}
