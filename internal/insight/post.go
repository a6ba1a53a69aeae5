package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Post returns the post of m that has a key, and a NotFound error when m has none on the days
// that have results.
func (s *Service) Post(ctx context.Context, m *earshot.Monitor, key earshot.PostKey) (*earshot.Post, error) {
	found, err := s.Store.Find(ctx, []earshot.PostKey{key})
	if err != nil {
		return nil, err
	}
	for i := range found { // one at most
		if has, err := s.has(ctx, m, &found[i]); has || err != nil {
			return &found[i], err
		}
	}
	return nil, NoPost(key)
}

// NoPost is the response for a post that does not exist or is none of the monitor's.
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

// Posts returns at most limit posts of m, newest first, and their total, on the days that have
// results. It sets the range and the monitor of the refinement.
func (s *Service) Posts(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return nil, 0, nil
	}
	sel := selection(m, days)
	refinement.Set, refinement.From, refinement.To = sel.Set, sel.From, sel.To
	return s.Store.Posts(ctx, refinement, limit)
}

// ResultDays returns those of the days that have results, both zero when there are none.
func (s *Service) ResultDays(m *earshot.Monitor, days earshot.Days) earshot.Days {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return earshot.Days{}
	}
	return days
}
