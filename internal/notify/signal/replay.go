package signal

import (
	"context"
	"time"

	"earshot/internal/insight/detect"
)

// Replay raises, updates and resolves the signals about unusual activity that Run would have raised in
// [from, to), had it been running, and explains them. Nobody is notified. Other rules are left out,
// because people had not defined them then.
//
// It evaluates every step, which may be longer than that of Run to save time: signals then start and
// end at multiples of it.
func (s *Service) Replay(ctx context.Context, from, to time.Time, step time.Duration) error {
	s.evaluatingAll.Lock()
	defer s.evaluatingAll.Unlock()
	past := &Service{
		Posts: s.Posts, Catalog: s.Catalog, Log: s.Log, Monitors: s.Monitors, Filters: s.Filters, Insight: s.Insight,
		Sources: s.Sources, Restricted: s.Restricted,
	}
	for at := from.Truncate(detect.Step); at.Before(to); at = at.Add(step) {
		past.Now = func() time.Time { return at }
		for _, t := range past.targets() {
			t.others = nil
			if err := past.evaluate(ctx, &t, touch{posts: 1}, at, func(time.Duration) {}); err != nil {
				return err
			}
		}
		past.explainAll(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
