package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Posts returns at most limit posts of m, newest first, and how many there are, on
// the days that have results.
// narrow adds conditions to the selection; its Monitor, From and To are set here.
func (s *Service) Posts(ctx context.Context, m *earshot.Monitor, days earshot.Days, narrow poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return nil, 0, nil
	}
	of := selection(m, days)
	narrow.Monitor, narrow.From, narrow.To = of.Monitor, of.From, of.To
	return s.Store.Posts(ctx, narrow, limit)
}

// ResultDays returns those of the days that have results, both zero when there are none.
func (s *Service) ResultDays(m *earshot.Monitor, days earshot.Days) earshot.Days {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return earshot.Days{}
	}
	return days
}
