// Package opinion learns the categories of an opinion monitor from training documents and scores
// other posts for each category.
//
// Its central idea: analysts provide only a few dozen documents per category, so everything is
// measured on held-out documents. A single cross-validation yields the calibration, the examples
// from which internal/model/quantify estimates prevalence, and the report for the analyst. All
// categories have equal weight, whatever their document counts. Training is deterministic: the same
// documents yield the same bytes.
//
// feature.go converts posts to features; classifier.go and internal/model/classify fit the weights.
package opinion

import (
	"context"
	"fmt"
	"slices"

	"earshot"
)

// Version must increase when models score the same posts differently.
const Version = 1

// maxCategories is the maximum number of categories of a model, because quantify stores a category
// index in one byte.
const maxCategories = 255

// A Document is a training document: a post and its category.
type Document struct {
	Post     earshot.Post
	Category earshot.CategoryID
}

// Train trains a model for the categories. It needs at least two categories, each with at least one
// document. The order of the documents does not matter.
func Train(ctx context.Context, categories []earshot.CategoryID, docs []Document) (*Model, error) {
	if len(categories) < 2 || len(categories) > maxCategories {
		return nil, fmt.Errorf("opinion: got %d categories, want 2 to %d", len(categories), maxCategories)
	}
	c, err := newCorpus(categories, docs)
	if err != nil {
		return nil, err
	}
	c.canceled = func() bool { return ctx.Err() != nil }
	predictions, err := c.crossValidate(ctx)
	if err != nil {
		return nil, err
	}
	final := c.fit(func(*example) bool { return true })
	m := &Model{Categories: slices.Clone(c.categories), table: newTable(final)}
	m.calibration = calibrate(predictions[fullPart], classWeights(c.counts, len(c.examples)))
	m.heldOut = m.calibration.heldOut(predictions[fullPart])
	m.report = c.report(predictions, final, m)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return m, nil
}
