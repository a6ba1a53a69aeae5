package net

import (
	_ "embed"
	"errors"
	"image"
	"slices"
	"strings"

	"earshot/internal/model/vision"
)

//go:embed synsets.tsv
var synsetList string

// A Category is a category of ImageNet.
type Category struct {
	Synset string // ID in WordNet, such as "n02123045"
	Name   string
}

// Categories returns the categories of ImageNet in the order of [Networks.Probabilities].
func Categories() []Category {
	all := make([]Category, 0, imageNetCategories)
	for line := range strings.Lines(synsetList) {
		synset, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, Category{synset, name})
	}
	return all
}

// Probabilities returns the probability of each category of ImageNet for an image, to measure the
// classifier. [Networks.Classify] is more reliable.
func (n *Networks) Probabilities(img image.Image) ([]float32, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, errNoPixels
	}
	b := <-n.buffers
	defer func() { n.buffers <- b }()
	b.line = b.pic.read(img, b.line)
	var e evidence
	if err := n.categorize(b, &e); err != nil {
		return nil, err
	}
	if len(e.categories) != imageNetCategories {
		return nil, errors.New("the classifier has another number of categories")
	}
	return slices.Clone(e.categories), nil
}

// Shown returns the classes that a category of ImageNet shows, and all classes that have categories.
// A picture that is labeled only with a category may show any of the other classes, too.
func (n *Networks) Shown(category int) (shown, known []vision.Class) {
	for i := range n.groups {
		known = append(known, n.groups[i].class)
		if slices.Contains(n.groups[i].categories, category) {
			shown = append(shown, n.groups[i].class)
		}
	}
	return shown, known
}
