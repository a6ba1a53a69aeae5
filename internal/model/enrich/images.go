package enrich

import (
	"math"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/onnx"
	"earshot/internal/model/vision"
)

// MapLabels maps the labels of an operator's image model to Earshot's classes, in the same way as
// alt text. It skips labels without a class.
func MapLabels(predictions []onnx.Prediction) (objects []earshot.ImageObject, brands []earshot.ImageBrand) {
	for _, s := range predictions {
		score := math.Round(float64(s.Score)*100) / 100
		shown, logos := builtinModels().vision.Alt(strings.ReplaceAll(s.Label, "_", " "))
		for i := range shown {
			shown[i].Score = score
		}
		for i := range logos {
			logos[i].Score = score
		}
		objects, brands = addObjects(objects, shown), addBrands(brands, logos)
	}
	return objects, brands
}

// fillImages infers what images show from their alt text and from what was found in their pictures,
// unless the post states it. Either is enough for a class; if both have it, its score is higher.
func (m *models) fillImages(p *earshot.Post) {
	if len(p.Images) == 0 || p.Inferred&earshot.InferredImages == 0 && hasLabels(p.Images) {
		return
	}
	images := slices.Clone(p.Images) // the slice may be shared with the caller
	for i := range images {
		image := &images[i]
		image.Objects, image.Brands = nil, nil // of an earlier call
		if image.Alt != "" {
			image.Objects, image.Brands = m.vision.Alt(image.Alt)
		}
		if found := image.Picture; found != nil {
			image.Objects = vision.Merge(image.Objects, seenObjects(found.Objects))
			image.Brands = addBrands(image.Brands, found.Brands)
		}
	}
	p.Images = images
	p.Inferred &^= earshot.InferredImages
	if hasLabels(images) {
		p.Inferred |= earshot.InferredImages
	}
}

func seenObjects(objects []earshot.ImageObject) []vision.Seen {
	seen := make([]vision.Seen, len(objects))
	for i, o := range objects {
		seen[i] = vision.Seen{Class: vision.Class{ID: o.ClassID, Name: o.ClassName, Type: vision.TypeOf(o.ClassID)}, Score: o.Score}
	}
	return seen
}

// addObjects appends the objects that are missing from known.
func addObjects(known, more []earshot.ImageObject) []earshot.ImageObject {
	known = slices.Clip(known)
	for _, o := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageObject) bool { return k.ClassID == o.ClassID }) {
			known = append(known, o)
		}
	}
	return known
}

// addBrands appends the brands that are missing from known.
func addBrands(known, more []earshot.ImageBrand) []earshot.ImageBrand {
	known = slices.Clip(known)
	for _, b := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageBrand) bool { return k.ID == b.ID }) {
			known = append(known, b)
		}
	}
	return known
}

func hasLabels(images []earshot.Image) bool {
	for i := range images {
		if len(images[i].Brands)+len(images[i].Objects) > 0 {
			return true
		}
	}
	return false
}
