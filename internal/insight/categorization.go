package insight

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// Opinions provides the models that categorize the posts of opinion monitors.
type Opinions interface {
	// InUse returns the model that categorized the posts of a monitor, or nil. A newer model may
	// replace it at any time, for all posts at once.
	InUse(ctx context.Context, id earshot.MonitorID) (earshot.Model, *opinion.Model, error)
}

// A Categorization is the assignment of an opinion monitor's posts to its categories by a model. It
// is zero for monitors of other types and for untrained monitors.
type Categorization struct {
	Buffer    int
	ModelID   int64 // identifies the model
	TrainedAt time.Time
	Model     *opinion.Model

	Corrections *poststore.Corrections // of the monitor's posts; nil: none
}

// Categories returns the categories that posts are assigned to: those of the model, and those of m
// that the model was not trained on but people corrected posts to.
func (s Categorization) Categories(m *earshot.Monitor) []earshot.CategoryID {
	if !s.Corrections.HasCategories() {
		return s.Model.Categories
	}
	all := slices.Clone(s.Model.Categories)
	for _, c := range m.Categories {
		if !slices.Contains(all, c.ID) {
			all = append(all, c.ID)
		}
	}
	return all
}

// assigned returns a tally of posts by the category they are assigned to, for count.
func (s Categorization) assigned(m *earshot.Monitor) poststore.Tally {
	return poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: poststore.AssignedSets(s.Categories(m), s.Buffer)}
}

// count returns the posts of each category of m in rows of the tally assigned.
func (s Categorization) count(m *earshot.Monitor, rows []poststore.Row) []int64 {
	counts := make([]int64, len(m.Categories))
	for i, id := range s.Categories(m) {
		index := slices.IndexFunc(m.Categories, func(c earshot.Category) bool { return c.ID == id })
		for _, row := range rows {
			if index >= 0 && row.Key[0][i/8]>>(i%8)&1 != 0 {
				counts[index] += row.Posts
			}
		}
	}
	return counts
}

// IsZero reports whether posts are not categorized.
func (s Categorization) IsZero() bool { return s.Model == nil }

// maxAttempts limits how often a computation is repeated because a new model replaced the one it
// used, which is rare.
const maxAttempts = 20

// WithCategorization calls do with the current categorization of m's posts. It calls do again if
// another model has replaced it in the meantime, because the result may mix both.
func (s *Service) WithCategorization(ctx context.Context, m *earshot.Monitor, do func(Categorization) error) error {
	if m.Type != earshot.Opinion || s.Opinions == nil {
		return do(Categorization{})
	}
	var err error
	for range maxAttempts {
		var before, after Categorization
		if before, err = s.categorization(ctx, m); errors.Is(err, catalog.ErrNotFound) {
			continue // the model was removed concurrently
		}
		if err != nil {
			return err
		}
		if err := do(before); err != nil {
			return err
		}
		if after, err = s.categorization(ctx, m); err == nil && after.ModelID == before.ModelID {
			return nil
		}
	}
	if err == nil {
		err = earshot.Errorf(earshot.Unavailable, "Monitor %d is being retrained repeatedly; try again in a moment", m.ID)
	}
	return err
}

// categorization returns the current categorization of m or, if m is a filter, of its monitor.
func (s *Service) categorization(ctx context.Context, m *earshot.Monitor) (Categorization, error) {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	used, model, err := s.Opinions.InUse(ctx, id)
	if err != nil || model == nil || outdated(m, model) {
		return Categorization{}, err
	}
	return Categorization{Buffer: used.Buffer, ModelID: used.Record, TrainedAt: used.Time, Model: model, Corrections: s.corrections(m)}, nil
}

// outdated reports whether a model has categories that were removed from m while m has too few
// training posts for a new model. Such a model would assign posts to categories that no longer
// exist.
func outdated(m *earshot.Monitor, model *opinion.Model) bool {
	removed := slices.ContainsFunc(model.Categories, func(id earshot.CategoryID) bool {
		return !slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.ID == id })
	})
	return removed && earshot.RequireTraining(m) != nil
}

// Set implements [filter.Categories].
func (s Categorization) Set(m *earshot.Monitor, id earshot.CategoryID) (poststore.SetID, error) {
	return poststore.CategorySet(id, s.Buffer), s.Require(m)
}

// Require returns an error that says what is missing if the posts of m are not categorized.
func (s Categorization) Require(m *earshot.Monitor) error {
	if !s.IsZero() {
		return nil
	}
	if err := earshot.RequireTraining(m); err != nil {
		return err
	}
	return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
		Message: "The monitor is learning from its training posts; try again in a moment"}
}
