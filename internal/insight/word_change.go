package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// WordChanges are words that are new or over-represented on some days, compared with the previous period of
// the same length.
type WordChanges struct {
	Days      earshot.Days // the days that were counted; zero if there are none
	Previous  earshot.Days // days of the previous period with results; zero if there are none
	Coverage  float64      // share of the previous period that has results
	Drivers                // expected as if the whole previous period had results; 0: new
	Estimated bool         // as in an [Explanation]
}

func (c *WordChanges) size() int { return 32 << 10 }

// WordChanges compares m's posts on the days that have results with those of the previous period. If
// no day of that has results, nothing is over-represented. The result is cached, so the caller must
// not modify it.
func (s *Service) WordChanges(ctx context.Context, m *earshot.Monitor, r ReportRequest) (changes *WordChanges, err error) {
	err = s.withReport(ctx, m, r, func(q *reportQuery) error {
		changes = &WordChanges{}
		if q.days.Len() <= 0 {
			return nil
		}
		changes.Days = q.days
		if q.coverage == 0 {
			return nil
		}
		changes, err = memoize(ctx, s.Store, &s.changes, q.all(), "changes "+q.key, func() (*WordChanges, error) {
			leave, err := s.contrasts.enter(ctx)
			if err != nil {
				return nil, err
			}
			defer leave()
			c := newContrast(m, 1/q.coverage)
			of := []poststore.Selection{q.selection(q.days)}
			if err := s.fillContrast(ctx, c, of, []poststore.Selection{q.selection(q.previous)}); err != nil {
				return nil, err
			}
			drivers, err := s.drivers(ctx, m, c, of)
			return &WordChanges{Days: q.days, Previous: q.previous, Coverage: q.coverage, Drivers: drivers, Estimated: c.estimated}, err
		})
		return err
	})
	return changes, err
}
