package insight

import (
	"context"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// A RecentBreakdown counts posts by category or by emotion, in the order of the monitor.
type RecentBreakdown struct {
	Posts  int64 // including posts without a category or emotion
	Counts []int64
	Steps  []BreakdownStep
}

// A BreakdownStep is the breakdown of an hour.
type BreakdownStep struct {
	VolumeStep
	Counts []int64
}

// RecentSentiments counts the posts of m by category. For an opinion monitor, it counts the
// category that each post is assigned to.
func (s *Service) RecentSentiments(ctx context.Context, m *earshot.Monitor, r RecentQuery) (f RecentBreakdown, err error) {
	if m.Type != earshot.Opinion {
		return s.recentBreakdown(ctx, m, r, poststore.BySentiment, earshot.BasicCategories)
	}
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		if err := categorization.Require(m); err != nil {
			return err
		}
		f, err = s.recentOpinions(ctx, m, r, categorization)
		return err
	})
	return f, err
}

// RecentEmotions counts the posts of m by emotion.
func (s *Service) RecentEmotions(ctx context.Context, m *earshot.Monitor, r RecentQuery) (RecentBreakdown, error) {
	return s.recentBreakdown(ctx, m, r, poststore.ByEmotion, earshot.BasicEmotions)
}

// recentBreakdown counts posts by a dimension whose keys are in names.
func (s *Service) recentBreakdown(ctx context.Context, m *earshot.Monitor, r RecentQuery, d poststore.Dim, names []string) (RecentBreakdown, error) {
	rows, err := s.countRecent(ctx, m, r, countBy(poststore.ByHour), poststore.Tally{By: []poststore.Dim{poststore.ByHour, d}})
	if err != nil {
		return RecentBreakdown{}, err
	}
	f, err := newRecentBreakdown(m, r, rows[0], len(names))
	if err != nil {
		return f, err
	}
	for _, row := range rows[1] {
		if err := f.add(row, slices.Index(names, row.Key[1])); err != nil {
			return f, err
		}
	}
	return f, nil
}

// recentOpinions counts posts by the category that a model, or a correction, assigns them to.
func (s *Service) recentOpinions(ctx context.Context, m *earshot.Monitor, r RecentQuery, categorization Categorization) (RecentBreakdown, error) {
	rows, err := s.countRecent(ctx, m, r, countBy(poststore.ByHour))
	if err != nil {
		return RecentBreakdown{}, err
	}
	f, err := newRecentBreakdown(m, r, rows[0], len(m.Categories))
	if err != nil {
		return f, err
	}
	assignable := categorization.Categories(m)
	for i, c := range m.Categories {
		if !slices.Contains(assignable, c.ID) {
			continue
		}
		r.Sets = []poststore.SetID{poststore.CategorySet(c.ID, categorization.Buffer)}
		assigned, err := s.countRecent(ctx, m, r, countBy(poststore.ByHour))
		if err != nil {
			return f, err
		}
		for _, row := range assigned[0] {
			if err := f.add(row, i); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// newRecentBreakdown returns a breakdown with the posts of each hour, and no posts in any category.
func newRecentBreakdown(m *earshot.Monitor, r RecentQuery, rows []poststore.Row, categories int) (RecentBreakdown, error) {
	steps, err := r.hours(m.Location())
	if err != nil {
		return RecentBreakdown{}, err
	}
	v, err := newVolume(steps, rows, parseInstant)
	f := RecentBreakdown{Posts: v.Posts, Counts: make([]int64, categories), Steps: make([]BreakdownStep, len(v.Steps))}
	for i, step := range v.Steps {
		f.Steps[i] = BreakdownStep{step, make([]int64, categories)}
	}
	return f, err
}

// add adds the posts of a row, whose first key is an hour, to a category.
func (f *RecentBreakdown) add(row poststore.Row, category int) error {
	at, err := parseInstant(row.Key[0])
	if err != nil || category < 0 {
		return err
	}
	i := slices.IndexFunc(f.Steps, func(s BreakdownStep) bool { return s.End.After(at) })
	if i < 0 {
		return fmt.Errorf("posts at %s are outside the range", at)
	}
	f.Steps[i].Counts[category] += row.Posts
	f.Counts[category] += row.Posts
	return nil
}
