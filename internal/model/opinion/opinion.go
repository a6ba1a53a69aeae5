// Package opinion learns the categories of an opinion monitor from posts that someone
// has sorted into them, and tells what share of each category other posts have.
//
// Its one idea: a few dozen posts a category are little, so everything is measured on
// posts that were left out of learning. The same folds give the calibration, the
// lessons that internal/model/quantify estimates proportions from, and the report that the
// analyst reads. All categories count the same, whatever number of documents they
// have. Learning is deterministic: the same documents give the same bytes.
//
// How documents become features is in feature.go, how features become weights in
// teach.go and in internal/model/classify.
package opinion

import (
	"context"
	"fmt"

	"earshot"
)

// Version counts up when models would tell other shares of the same posts.
const Version = 1

// A Document is a post and the category that it was sorted into.
type Document struct {
	Post     earshot.Post
	Category earshot.CategoryID
}

// Train returns the model of documents, each of one of the categories. The order of the
// documents does not matter. There must be two categories or more, and each must have a
// document.
func Train(ctx context.Context, categories []earshot.CategoryID, docs []Document) (*Model, error) {
	if len(categories) < 2 || len(categories) > maxCategories {
		return nil, fmt.Errorf("opinion: %d categories, not 2 to %d", len(categories), maxCategories)
	}
	c, err := newCorpus(categories, docs)
	if err != nil {
		return nil, err
	}
	c.ended = func() bool { return ctx.Err() != nil }
	exams, err := c.examine(ctx)
	if err != nil {
		return nil, err
	}
	m := c.graduate(exams)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// maxCategories is how many categories a model may have.
const maxCategories = 255
