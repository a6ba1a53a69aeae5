package local

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// filterCategories returns the rows that satisfy the CategoryFilter of a selection: those in one of
// its sets or with one of its sentiments or emotions. It considers the rows in among, or all rows
// of the segment if among is nil.
func (s *Store) filterCategories(ctx context.Context, p *segmentState, of *poststore.Selection, among *roaring.Bitmap, c *segment.Corrections) (*roaring.Bitmap, error) {
	rows := roaring.New()
	for _, id := range of.Categories.Sets {
		set, err := s.correctedSet(p, id, c)
		if err != nil {
			return nil, err
		}
		rows.Or(set)
	}
	if among != nil {
		rows.And(among)
	}
	others := poststore.CategoryFilter{Sentiments: of.Categories.Sentiments, Emotions: of.Categories.Emotions}
	if others.IsZero() {
		return rows, nil
	}
	felt, err := p.data.SelectCorrected(ctx, &poststore.Selection{From: of.From, To: of.To, FromPost: of.FromPost, Categories: others}, among, c)
	if err != nil {
		return nil, err
	}
	rows.Or(felt)
	return rows, nil
}

// setReader returns a function that reads corrected sets of a segment and caches them.
func (s *Store) setReader(p *segmentState, c *segment.Corrections) segment.SetRows {
	known := map[poststore.SetID]*roaring.Bitmap{}
	return func(id poststore.SetID) (*roaring.Bitmap, error) {
		if rows := known[id]; rows != nil {
			return rows, nil
		}
		rows, err := s.correctedSet(p, id, c)
		known[id] = rows
		return rows, err
	}
}
