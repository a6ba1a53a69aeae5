package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"slices"
)

// ImageOptions say how an image model is used. What they leave zero is taken from the
// files earshot.json and preprocessor_config.json beside the model, or is a default:
// that of models trained on ImageNet.
type ImageOptions struct {
	Width, Height int        // of what the model looks at; default what the model says, else 224
	Resize        int        // the shorter side before the middle is cut out; default 256/224 of the larger of both
	Mean, Std     [3]float32 // of red, green and blue, from 0 to 1
	Top           int        // how many labels Classify returns; default 5
	MinScore      float32    // the least score of a label that Classify returns; default 0.2
}

// A Prediction is a label and how well it fits, from 0 to 1.
type Prediction struct {
	Label string
	Score float32
}

// An Image is an image classifier. It is safe for parallel use; each image is computed
// on one core.
type Image struct {
	opts    ImageOptions
	head    head
	program *program
	last    bool // colours are the last dimension, not the one before the sides
}

// OpenImage opens the model at path, a file .onnx or the folder of one. Beside it must
// be its labels (config.json or labels.txt). The model is tried once: what OpenImage
// returns without an error can be used.
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
	if m.program, err = compile(file, output, usual); err != nil {
		return nil, err
	}
	side, err := m.layout()
	if err != nil {
		return nil, err
	}
	if m.opts, err = files.imageOptions(opts, side); err != nil {
		return nil, err
	}
	if _, err := m.Scores(image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		return nil, err
	}
	return m, nil
}

// layout finds out where the model wants colours, and which sides it wants; 0 where it
// does not say.
func (m *Image) layout() (sides image.Point, err error) {
	if len(m.program.inputs) != 1 {
		return sides, fmt.Errorf("not supported: an image model of %d inputs", len(m.program.inputs))
	}
	in := m.program.inputs[0]
	if in.kind != float || len(in.shape) != 4 || in.shape[0] > 1 {
		return sides, fmt.Errorf("not supported: input %q of shape %v for images", in.name, in.shape)
	}
	at := 2
	if m.last = in.shape[3] == 3 && in.shape[1] != 3; m.last {
		at = 1
	}
	if !m.last && in.shape[1] != 3 && in.shape[1] != -1 {
		return sides, fmt.Errorf("not supported: images of %d colours", in.shape[1])
	}
	return image.Pt(max(in.shape[at+1], 0), max(in.shape[at], 0)), nil
}

// Labels returns the names of what the model tells, in the order of Scores.
func (m *Image) Labels() []string { return slices.Clone(m.head.labels) }

// Classify returns the labels that fit an image, best first: those of at least
// MinScore, at most Top.
func (m *Image) Classify(img image.Image) ([]Prediction, error) {
	scores, err := m.Scores(img)
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

// Scores returns how well each label fits an image, from 0 to 1. They add up to 1,
// unless the model was trained for labels that hold independently.
func (m *Image) Scores(img image.Image) ([]float32, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, errors.New("an image without pixels")
	}
	out, err := m.program.run([]*tensor{m.pixels(img)})
	if err != nil {
		return nil, err
	}
	return m.head.scores(out, m.program.last)
}
