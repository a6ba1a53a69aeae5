package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// RecentFeelings are how many posts there are of each category, or of each emotion, in the order
// that the monitor has them.
type RecentFeelings struct {
	Posts int64 // also those that are in none
	Of    []int64
	Steps []FeelingStep
}

// A FeelingStep is the same for an hour.
type FeelingStep struct {
	VolumeStep
	Of []int64
}

// RecentSentiments counts the posts of m by its categories; those of an opinion monitor by the
// category that each is assigned to.
func (s *Service) RecentSentiments(ctx context.Context, m *earshot.Monitor, r Recent) (f RecentFeelings, err error) {
	if m.Type != earshot.Opinion {
		return s.recentFeelings(ctx, m, r, poststore.BySentiment, earshot.BasicCategories)
	}
	err = s.Steadily(ctx, m, func(sorted Sorting) error {
		if err := sorted.Require(m); err != nil {
			return err
		}
		f, err = s.recentOpinions(ctx, m, r, sorted)
		return err
	})
	return f, err
}

// RecentEmotions counts the posts of m by emotion.
func (s *Service) RecentEmotions(ctx context.Context, m *earshot.Monitor, r Recent) (RecentFeelings, error) {
	return s.recentFeelings(ctx, m, r, poststore.ByEmotion, earshot.BasicEmotions)
}

// recentFeelings counts posts by a dimension whose keys are names.
func (s *Service) recentFeelings(ctx context.Context, m *earshot.Monitor, r Recent, d poststore.Dim, names []string) (RecentFeelings, error) {
	rows, err := s.tallyRecent(ctx, m, r, by(poststore.ByHour), poststore.Tally{By: []poststore.Dim{poststore.ByHour, d}})
	if err != nil {
		return RecentFeelings{}, err
	}
	f, err := newFeelings(m, r, rows[0], len(names))
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

// recentOpinions counts posts by the category that a model assigns them to. Those that it does
// not know have none.
func (s *Service) recentOpinions(ctx context.Context, m *earshot.Monitor, r Recent, sorted Sorting) (RecentFeelings, error) {
	rows, err := s.tallyRecent(ctx, m, r, by(poststore.ByHour))
	if err != nil {
		return RecentFeelings{}, err
	}
	f, err := newFeelings(m, r, rows[0], len(m.Categories))
	if err != nil {
		return f, err
	}
	for i, c := range m.Categories {
		if !slices.Contains(sorted.Model.Categories, c.ID) {
			continue
		}
		r.Sets = []earshot.MonitorID{c.ID.Assigned(sorted.Slot)}
		assigned, err := s.tallyRecent(ctx, m, r, by(poststore.ByHour))
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

// newFeelings has the posts of rows by hour, and none of any category.
func newFeelings(m *earshot.Monitor, r Recent, rows []poststore.Row, categories int) (RecentFeelings, error) {
	steps, err := r.hours(m.Location())
	if err != nil {
		return RecentFeelings{}, err
	}
	v, err := volume(steps, rows, readInstant)
	f := RecentFeelings{Posts: v.Posts, Of: make([]int64, categories), Steps: make([]FeelingStep, len(v.Steps))}
	for i, step := range v.Steps {
		f.Steps[i] = FeelingStep{step, make([]int64, categories)}
	}
	return f, err
}

// add adds the posts of a row whose first key is an hour to a category.
func (f *RecentFeelings) add(row poststore.Row, category int) error {
	at, err := readInstant(row.Key[0])
	if err != nil || category < 0 {
		return err
	}
	i := slices.IndexFunc(f.Steps, func(s FeelingStep) bool { return s.End.After(at) })
	f.Steps[i].Of[category] += row.Posts
	f.Of[category] += row.Posts
	return nil
}
