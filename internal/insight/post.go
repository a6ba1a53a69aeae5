package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Post returns the post of m with a key. The error is of kind [earshot.NotFound] if m has no such
// post on the days that have results.
func (s *Service) Post(ctx context.Context, m *earshot.Monitor, key earshot.PostKey) (*earshot.Post, error) {
	found, err := s.Store.Find(ctx, []earshot.PostKey{key})
	if err != nil {
		return nil, err
	}
	for i := range found { // at most one
		if has, err := s.has(ctx, m, &found[i]); has || err != nil {
			s.corrections(m).Apply(&found[i])
			return &found[i], err
		}
	}
	return nil, NoPost(key)
}

// NoPost returns the error for a post that does not exist or does not belong to the monitor.
func NoPost(key earshot.PostKey) error {
	return earshot.Errorf(earshot.NotFound, "Post %s does not exist", earshot.Clip(key.Text(), 200))
}

// has reports whether p is among the posts of m.
func (s *Service) has(ctx context.Context, m *earshot.Monitor, p *earshot.Post) (bool, error) {
	if !m.Results(s.Now()).Contains(earshot.DateOf(p.Time.In(m.Location()))) {
		return false, nil
	}
	sel := poststore.Selection{Set: poststore.MonitorSet(m.ID), From: p.Time, To: p.Time.Add(1), FromPost: p}
	first, _, err := s.Store.Posts(ctx, sel, 1)
	return len(first) > 0 && first[0].Key() == p.Key(), err
}

// Posts returns at most limit posts of m, newest first, and their total number, on the days that
// have results. It overrides the set and time range of the refinement.
func (s *Service) Posts(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return nil, 0, nil
	}
	sel := selection(m, days)
	refinement.Set, refinement.From, refinement.To = sel.Set, sel.From, sel.To
	return s.Store.Posts(ctx, refinement, limit)
}

// ResultDays restricts days to those that have results. The result is zero if there are none.
func (s *Service) ResultDays(m *earshot.Monitor, days earshot.Days) earshot.Days {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return earshot.Days{}
	}
	return days
}
