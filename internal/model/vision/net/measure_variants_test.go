package net_test

import (
	"context"
	"image"
	"slices"

	"earshot/internal/model/vision/net"
	"earshot/internal/model/vision/synth"
)

// maxVaried is the number of labeled pictures up to which their variants are classified, too.
const maxVaried = 20

// measureVariants classifies variants of the pictures whose classes are labeled, and collages of each
// with the next. It returns nil if there are none, or more than maxVaried.
func measureVariants(ctx context.Context, n *net.Networks, files []pictureFile) (*ImagesAccuracy, error) {
	var labeled []pictureFile
	var pictures []image.Image
	for _, f := range files {
		if len(f.classes) == 0 {
			continue
		}
		img, err := decodePicture(f)
		if err != nil {
			return nil, err
		}
		labeled, pictures = append(labeled, f), append(pictures, img)
	}
	if len(labeled) == 0 || len(labeled) > maxVaried {
		return nil, nil
	}
	a, counts := &ImagesAccuracy{}, map[string]*classCount{}
	add := func(f pictureFile, v synth.Variant) error {
		seen, err := n.Classify(v.Image)
		if err != nil {
			return err
		}
		a.Pictures++
		f.name += ", " + v.Name
		if r := compareLabels(n, f, seen, counts); len(r.Wrong) > 0 && len(a.Each) < maxEach {
			a.Each = append(a.Each, r)
		}
		return ctx.Err()
	}
	for i, f := range labeled {
		for v := range synth.Variants(pictures[i]) {
			if err := add(f, v); err != nil {
				return nil, err
			}
		}
		next := (i + 1) % len(labeled)
		both := pictureFile{name: f.name + " and " + labeled[next].name}
		both.classes = slices.Concat(f.classes, labeled[next].classes)
		both.optional = slices.Concat(f.optional, labeled[next].optional)
		for _, v := range synth.Collages(pictures[i], pictures[next]) {
			if err := add(both, v); err != nil {
				return nil, err
			}
		}
	}
	a.finish(counts)
	return a, nil
}

// NonPhotos is how often images that are not photographs, which are generated, get a class.
type NonPhotos struct {
	Images   int            `json:"images"`
	Assigned int            `json:"assigned"` // images with a class
	Share    float64        `json:"share"`
	Interval *[2]float64    `json:"shareInterval"`
	Classes  map[string]int `json:"classes"` // images by class
	Kinds    map[string]int `json:"kinds"`   // images with a class by kind of image
}

// measureNonPhotos classifies the images of a number of kinds, 0 for all.
func measureNonPhotos(ctx context.Context, n *net.Networks, kinds int) (*NonPhotos, error) {
	result := &NonPhotos{Classes: map[string]int{}, Kinds: map[string]int{}}
	for p := range synth.NonPhotos(synth.PerKind) {
		if kinds > 0 && result.Images == kinds*synth.PerKind {
			break
		}
		seen, err := n.Classify(p.Image)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result.Images++
		if len(seen) > 0 {
			result.Assigned++
			result.Kinds[p.Kind]++
		}
		for _, s := range seen {
			result.Classes[s.Class.Name]++
		}
	}
	result.Share, result.Interval = float64(result.Assigned)/float64(result.Images), wilson(result.Assigned, result.Images)
	return result, nil
}
