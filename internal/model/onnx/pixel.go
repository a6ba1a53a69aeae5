package onnx

import (
	"image"

	"golang.org/x/image/draw"
)

// pixels returns what the model sees of an image: its middle, in the model's size.
func (m *Image) pixels(img image.Image) *tensor {
	w, h := m.opts.Width, m.opts.Height
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src) // behind what is transparent
	draw.BiLinear.Scale(small, small.Bounds(), img, middle(img.Bounds(), w, h, m.opts.Resize), draw.Over, nil)

	t := &tensor{kind: float, shape: []int{1, 3, h, w}, floats: make([]float32, 3*h*w)}
	colour, pixel := h*w, 1 // how far apart colours and pixels are
	if m.last {
		t.shape, colour, pixel = []int{1, h, w, 3}, 1, 3
	}
	for i := range h * w {
		for c := range 3 {
			v := float32(small.Pix[4*i+c]) / 255
			t.floats[c*colour+i*pixel] = (v - m.opts.Mean[c]) / m.opts.Std[c]
		}
	}
	return t
}

// middle returns the part of an image that is w × h large once the shorter side has
// been made as long as resize.
func middle(b image.Rectangle, w, h, resize int) image.Rectangle {
	shorter := min(b.Dx(), b.Dy())
	partW := min(max(w*shorter/resize, 1), b.Dx())
	partH := min(max(h*shorter/resize, 1), b.Dy())
	corner := image.Pt(b.Min.X+(b.Dx()-partW)/2, b.Min.Y+(b.Dy()-partH)/2)
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(partW, partH))}
}
