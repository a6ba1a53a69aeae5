package local

import (
	"context"
	"errors"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// sumDays computes a tally over complete days of a set by adding up cached counts of days and months.
// It returns false if the tally cannot be added up or doing so takes too much memory.
func (s *Store) sumDays(ctx context.Context, v *view, of *poststore.Selection, t *poststore.Tally) (rows []poststore.Row, ok bool, err error) {
	starts := enginekit.SumStarts(of, t)
	if starts == nil {
		return nil, false, nil
	}
	q := newDayQuery(poststore.Selection{Set: of.Set, Corrections: of.Corrections}, starts, []poststore.Tally{enginekit.WithAllRows(*t)}, v.setGenerations)
	if q.shared = false; !enginekit.ByTime(t) { // all rows of a day would take too much memory
		q.step = monthStep
	}
	sum := enginekit.NewRowSum(t, segment.MaxQueryBytes)
	err = s.countDays(ctx, v, q, func(_ int, rows [][]poststore.Row) error {
		if !sum.Add(rows[0]) {
			return segment.ErrTooManyGroups
		}
		return nil
	})
	if errors.Is(err, segment.ErrTooManyGroups) {
		return nil, false, nil // counting everything at once takes less memory or reports the error
	}
	if err != nil {
		return nil, false, err
	}
	return sum.Rows(), true, nil
}
