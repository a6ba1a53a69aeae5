package onnx

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"slices"

	"golang.org/x/image/draw"
)

// ImageOptions configure an image model. Zero fields are taken from earshot.json and
// preprocessor_config.json next to the model, or get the defaults of models trained on ImageNet.
type ImageOptions struct {
	Width, Height int        // of the model's input; default from the model, else 224
	Resize        int        // shorter side before the center crop; default 256/224 of the larger side
	Mean, Std     [3]float32 // of red, green and blue, from 0 to 1
	Top           int        // maximum number of labels that Classify returns; default 5
	MinScore      float32    // minimum score of a label that Classify returns; default 0.2
}

// A Prediction is a label and its score from 0 to 1.
type Prediction struct {
	Label string
	Score float32
}

// An Image is an image classifier. It is safe for concurrent use; each image is processed on one
// core.
type Image struct {
	opts    ImageOptions
	head    head
	program *program
	last    bool // channels are the last dimension, not the one before height and width
	version string
}

// Version returns a hash of the contents of the model and of the files next to it.
func (m *Image) Version() string { return m.version }

// OpenImage opens the model at path, an .onnx file or the folder of one. Its labels (config.json or
// labels.txt) must be next to it. OpenImage runs the model once, so a model that it returns without
// an error is usable.
func OpenImage(path string, opts ImageOptions) (*Image, error) {
	m, err := openImage(path, opts)
	if err != nil {
		return nil, fmt.Errorf("open image model %s: %w", path, err)
	}
	return m, nil
}

func openImage(path string, opts ImageOptions) (*Image, error) {
	files, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	m := &Image{}
	if m.head, err = files.readHead(); err != nil {
		return nil, err
	}
	file, err := files.readModel()
	if err != nil {
		return nil, err
	}
	output, err := file.output()
	if err != nil {
		return nil, err
	}
	if m.program, err = compile(file, output, defaultLimits); err != nil {
		return nil, err
	}
	side, err := m.layout()
	if err != nil {
		return nil, err
	}
	if m.opts, err = files.imageOptions(opts, side); err != nil {
		return nil, err
	}
	if _, err := m.scores(image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		return nil, err
	}
	m.version = hex.EncodeToString(files.sum.Sum(nil)[:8])
	return m, nil
}

// layout determines the position of the channel dimension and the required input size, with 0 for
// sides that the model does not specify.
func (m *Image) layout() (sides image.Point, err error) {
	if len(m.program.inputs) != 1 {
		return sides, fmt.Errorf("not supported: an image model with %d inputs", len(m.program.inputs))
	}
	in := m.program.inputs[0]
	if in.kind != float || len(in.shape) != 4 || in.shape[0] > 1 {
		return sides, fmt.Errorf("not supported: input %q with shape %v of an image model", in.name, in.shape)
	}
	at := 2
	if m.last = in.shape[3] == 3 && in.shape[1] != 3; m.last {
		at = 1
	}
	if !m.last && in.shape[1] != 3 && in.shape[1] != -1 {
		return sides, fmt.Errorf("not supported: images with %d color channels", in.shape[1])
	}
	return image.Pt(max(in.shape[at+1], 0), max(in.shape[at], 0)), nil
}

// Classify returns the labels of an image, best first: at most Top labels with a score of at least
// MinScore.
func (m *Image) Classify(img image.Image) ([]Prediction, error) {
	scores, err := m.scores(img)
	if err != nil {
		return nil, err
	}
	var found []Prediction
	for i, score := range scores {
		if score >= m.opts.MinScore {
			found = append(found, Prediction{m.head.labels[i], score})
		}
	}
	slices.SortStableFunc(found, func(a, b Prediction) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(len(found), m.opts.Top)], nil
}

// scores returns the score of each label from 0 to 1. They sum to 1, except for multi-label models.
func (m *Image) scores(img image.Image) ([]float32, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, errors.New("the image has no pixels")
	}
	out, err := m.program.run([]*tensor{m.pixels(img)})
	if err != nil {
		return nil, err
	}
	return m.head.scores(out, m.program.last)
}

// pixels returns the model's input for an image: its center, scaled to the model's size.
func (m *Image) pixels(img image.Image) *tensor {
	w, h := m.opts.Width, m.opts.Height
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	// White is the background for transparent pixels.
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(small, small.Bounds(), img, centerCrop(img.Bounds(), w, h, m.opts.Resize), draw.Over, nil)

	t := &tensor{kind: float, shape: []int{1, 3, h, w}, floats: make([]float32, 3*h*w)}
	channel, pixel := h*w, 1 // strides of channels and pixels
	if m.last {
		t.shape, channel, pixel = []int{1, h, w, 3}, 1, 3
	}
	for i := range h * w {
		for c := range 3 {
			v := float32(small.Pix[4*i+c]) / 255
			t.floats[c*channel+i*pixel] = (v - m.opts.Mean[c]) / m.opts.Std[c]
		}
	}
	return t
}

// centerCrop returns the centered part of an image that becomes the model's input.
func centerCrop(b image.Rectangle, w, h, resize int) image.Rectangle {
	shorter := min(b.Dx(), b.Dy())
	partW := min(max(w*shorter/resize, 1), b.Dx())
	partH := min(max(h*shorter/resize, 1), b.Dy())
	corner := image.Pt(b.Min.X+(b.Dx()-partW)/2, b.Min.Y+(b.Dy()-partH)/2)
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(partW, partH))}
}
