// Package opinion learns the categories of an opinion monitor from posts that someone
// has sorted into them, and tells what share of each category other posts have.
//
// Its one idea: a few dozen posts a category are little, so everything is measured on
// posts that were left out of learning. The same folds give the calibration, the
// lessons that internal/quantify estimates proportions from, and the report that the
// analyst reads. A model is small, and learning is deterministic: the same posts give
// the same bytes.
package opinion

import (
	"context"
	"fmt"
	"slices"

	"earshot"
)

// Version counts up when models would tell other shares of the same posts.
const Version = 1

// A Document is a post and the category that it was sorted into.
type Document struct {
	Post     earshot.Post
	Category earshot.CategoryID
}

// Learn returns the model of documents, each of one of the categories. The order of the
// documents does not matter. Every category must have a document, and there must be
// two categories or more.
func Learn(ctx context.Context, categories []earshot.CategoryID, docs []Document) (*Model, error) {
	if len(categories) < 2 {
		return nil, fmt.Errorf("opinion: %d categories, need 2 or more", len(categories))
	}
	s, err := newSchool(categories, docs)
	if err != nil {
		return nil, err
	}
	if err := s.examine(ctx); err != nil {
		return nil, err
	}
	return s.graduate(), ctx.Err()
}

// places returns the place of each category.
func places(categories []earshot.CategoryID) (map[earshot.CategoryID]int, error) {
	at := map[earshot.CategoryID]int{}
	for i, id := range categories {
		if _, twice := at[id]; twice {
			return nil, fmt.Errorf("opinion: category %d is named twice", id)
		}
		at[id] = i
	}
	return at, nil
}

// sorted returns the documents in an order that does not depend on the one they are
// given in.
func sorted(docs []Document) []*Document {
	list := make([]*Document, len(docs))
	for i := range docs {
		list[i] = &docs[i]
	}
	slices.SortStableFunc(list, compare)
	return list
}
