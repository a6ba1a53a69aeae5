// Package opinion learns the categories of an opinion monitor from training documents, and scores
// other posts in each category.
//
// Its one idea: a few dozen documents per category are few, so everything is measured on held-out
// documents. One cross-validation yields the calibration, the examples from which
// internal/model/quantify estimates prevalence, and the report that the analyst reads. All
// categories count the same, whatever their number of documents. Training is deterministic: the
// same documents give the same bytes.
//
// feature.go turns posts into features, classifier.go and internal/model/classify turn features
// into weights.
package opinion

import (
	"context"
	"fmt"
	"slices"

	"earshot"
)

// Version increases when models give the same posts other scores.
const Version = 1

// maxCategories is the largest number of categories of a model: the format has one byte.
const maxCategories = 255

// A Document is a training document: a post and its category.
type Document struct {
	Post     earshot.Post
	Category earshot.CategoryID
}

// Train returns a model of the categories. There must be at least two, each with a document. The
// order of the documents does not matter.
func Train(ctx context.Context, categories []earshot.CategoryID, docs []Document) (*Model, error) {
	if len(categories) < 2 || len(categories) > maxCategories {
		return nil, fmt.Errorf("opinion: %d categories, not 2 to %d", len(categories), maxCategories)
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
