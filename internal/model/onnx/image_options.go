package onnx

import (
	"encoding/json"
	"fmt"
	"image"
)

// imageSettings are the settings in earshot.json next to an image model.
type imageSettings struct {
	Width    int         `json:"width"`
	Height   int         `json:"height"`
	Resize   int         `json:"resize"`
	Mean     *[3]float32 `json:"mean"`
	Std      *[3]float32 `json:"std"`
	Top      int         `json:"top"`
	MinScore float32     `json:"minScore"`
}

// preprocessor contains the parts of preprocessor_config.json that are used.
type preprocessor struct {
	Size      sides       `json:"size"`
	CropSize  sides       `json:"crop_size"`
	Crop      bool        `json:"do_center_crop"`
	Normalize *bool       `json:"do_normalize"`
	Mean      *[3]float32 `json:"image_mean"`
	Std       *[3]float32 `json:"image_std"`
}

// sides are given as a number or as an object.
type sides struct {
	Width, Height, Shortest int
}

func (s *sides) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &s.Shortest) == nil {
		return nil
	}
	var object struct {
		Width    int `json:"width"`
		Height   int `json:"height"`
		Shortest int `json:"shortest_edge"`
	}
	err := json.Unmarshal(data, &object)
	*s = sides(object)
	return err
}

// settings converts the file to the form of earshot.json.
func (p *preprocessor) settings() imageSettings {
	s := imageSettings{Mean: p.Mean, Std: p.Std}
	look := p.Size
	if p.Crop {
		look = p.CropSize
		s.Resize = max(p.Size.Shortest, min(p.Size.Width, p.Size.Height))
	}
	s.Width, s.Height = max(look.Width, look.Shortest), max(look.Height, look.Shortest)
	if s.Resize == 0 {
		s.Resize = min(s.Width, s.Height)
	}
	if p.Normalize != nil && !*p.Normalize {
		s.Mean, s.Std = &[3]float32{}, &[3]float32{1, 1, 1}
	}
	return s
}

// imageOptions completes options from the files next to a model and from the input size that the
// model specifies, which takes precedence.
func (f folder) imageOptions(opts ImageOptions, model image.Point) (ImageOptions, error) {
	var own imageSettings
	if err := f.readSettings(&own); err != nil {
		return opts, err
	}
	opts.fill(own)
	var p preprocessor
	found, err := f.readJSON("preprocessor_config.json", &p)
	if err != nil {
		return opts, err
	}
	if found {
		opts.fill(p.settings())
	}
	if model.X > 0 && model.Y > 0 {
		opts.Width, opts.Height = model.X, model.Y
	}
	opts.fill(imageSettings{
		Width: 224, Height: 224, Top: 5, MinScore: 0.2,
		Mean: &[3]float32{0.485, 0.456, 0.406}, Std: &[3]float32{0.229, 0.224, 0.225},
	})
	if opts.Resize == 0 {
		opts.Resize = max(opts.Width, opts.Height) * 256 / 224
	}
	return opts, opts.check()
}

// fill sets the options that are zero.
func (o *ImageOptions) fill(s imageSettings) {
	for _, pair := range []struct {
		to   *int
		from int
	}{{&o.Width, s.Width}, {&o.Height, s.Height}, {&o.Resize, s.Resize}, {&o.Top, s.Top}} {
		if *pair.to == 0 {
			*pair.to = pair.from
		}
	}
	if o.MinScore == 0 {
		o.MinScore = s.MinScore
	}
	if o.Std == [3]float32{} && s.Std != nil {
		o.Std = *s.Std
		if s.Mean != nil {
			o.Mean = *s.Mean
		}
	}
}

// maxImageSide is the maximum side length of a model's input image.
const maxImageSide = 1024

func (o *ImageOptions) check() error {
	if min(o.Width, o.Height) < 1 || max(o.Width, o.Height) > maxImageSide || o.Resize < 1 || o.Resize > 2*maxImageSide {
		return fmt.Errorf("invalid image size %d × %d, resized to %d; sides must be from 1 to %d", o.Width, o.Height, o.Resize, maxImageSide)
	}
	for _, v := range o.Std {
		if !(v > 0) {
			return fmt.Errorf("std is %v, must be three numbers above 0", o.Std)
		}
	}
	if o.Top < 1 || o.MinScore < 0 || o.MinScore > 1 {
		return fmt.Errorf("top is %d, must be at least 1; minScore is %g, must be from 0 to 1", o.Top, o.MinScore)
	}
	return nil
}
