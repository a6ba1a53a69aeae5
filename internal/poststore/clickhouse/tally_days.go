package clickhouse

import (
	"context"
	"slices"
	"time"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// maxCachedDays is the maximum number of intervals of a call that are looked up in the day cache.
const maxCachedDays = 5000

// A dayTally is a tally whose rows of each interval may be in the day cache.
type dayTally struct {
	tally  poststore.Tally
	key    dayKey // without the interval
	cached bool
	rows   [][]poststore.Row // by interval
	stored []bool            // by interval: whether rows are known
}

func newDayTally(v *view, of *poststore.Selection, t poststore.Tally, intervals int) *dayTally {
	d := &dayTally{tally: t, rows: make([][]poststore.Row, intervals), stored: make([]bool, intervals)}
	d.key = dayKey{set: of.Set, gen: v.sets[of.Set].gen}
	d.key.query, d.cached = enginekit.NewQueryID(of, []poststore.Tally{t}, v.gens())
	d.cached = d.cached && intervals <= maxCachedDays
	if of.Corrections != nil && (of.IsCorrectable() || t.IsCorrectable()) {
		d.key.corrections = of.Corrections.Fingerprint()
	}
	return d
}

// missing returns the intervals whose rows are not known.
func (d *dayTally) missing() (days []int) {
	for day, stored := range d.stored {
		if !stored {
			days = append(days, day)
		}
	}
	return days
}

// in returns the key of an interval.
func (d *dayTally) in(starts []time.Time, day int) dayKey {
	key := d.key
	key.from, key.to = instantOf(starts[day]), instantOf(starts[day+1])
	return key
}

// countDays sets the rows of tallies over intervals. It takes them from the day cache or counts.
func (s *Store) countDays(ctx context.Context, v *view, of *poststore.Selection, starts []time.Time, ts []*dayTally) error {
	var now []state // by interval
	if slices.ContainsFunc(ts, func(t *dayTally) bool { return t.cached }) {
		all, err := s.states(ctx, v, of.Set, starts[0], starts[len(starts)-1])
		if err != nil {
			return err
		}
		now = s.recall(all, starts, ts)
	}
	for len(ts) > 0 { // tallies that lack the same intervals are counted together
		days := ts[0].missing()
		var alike, others []*dayTally
		for _, t := range ts {
			if slices.Equal(t.missing(), days) {
				alike = append(alike, t)
			} else {
				others = append(others, t)
			}
		}
		if err := s.countMissing(ctx, v, of, starts, alike, days); err != nil {
			return err
		}
		for _, t := range alike {
			for _, day := range days {
				if t.cached && now[day] != unknownState {
					s.days.put(t.in(starts, day), now[day], t.rows[day])
				}
			}
		}
		ts = others
	}
	return nil
}

// unknownState stands for the state of an interval that must not be cached.
var unknownState = state{aborted: -1}

// recall takes rows from the cache, and returns the states of intervals.
func (s *Store) recall(all *states, starts []time.Time, ts []*dayTally) []state {
	now := make([]state, len(starts)-1)
	all.each(starts, func(day int, is state, ok bool) {
		if now[day] = is; !ok {
			now[day] = unknownState
			return
		}
		for _, t := range ts {
			if t.cached {
				t.rows[day], t.stored[day] = s.days.get(t.in(starts, day), is)
			}
		}
	})
	return now
}

// maxRuns is how many ranges of consecutive intervals are counted separately.
const maxRuns = 3

func (s *Store) countMissing(ctx context.Context, v *view, of *poststore.Selection, starts []time.Time, ts []*dayTally, days []int) error {
	if len(days) == 0 {
		return nil
	}
	list := make([]poststore.Tally, len(ts))
	for i := range ts {
		list[i] = ts[i].tally
	}
	for _, r := range runsOf(days) {
		counted, err := s.tallyIntervals(ctx, v, of, &intervals{starts[r.first : r.last+2]}, list)
		if err != nil {
			return err
		}
		for i, t := range ts {
			for day, rows := range counted[i] {
				t.rows[r.first+day], t.stored[r.first+day] = rows, true
			}
		}
	}
	return nil
}

// A dayRun is a range of intervals.
type dayRun struct{ first, last int }

// runsOf returns few ranges that contain the given intervals, which must be ascending.
func runsOf(days []int) (runs []dayRun) {
	for _, day := range days {
		if n := len(runs); n > 0 && runs[n-1].last == day-1 {
			runs[n-1].last = day
			continue
		}
		runs = append(runs, dayRun{day, day})
	}
	if n := len(runs); n > maxRuns {
		return []dayRun{{runs[0].first, runs[n-1].last}}
	}
	return runs
}

// Days implements [poststore.Reader].
func (s *Store) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	result := make([][][]poststore.Row, len(ts))
	if len(starts) < 2 {
		return result, ctx.Err()
	}
	if err := checkTallies(ts); err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	of.From, of.To = time.Time{}, time.Time{}
	days := make([]*dayTally, len(ts))
	for i := range ts {
		days[i] = newDayTally(v, &of, ts[i], len(starts)-1)
	}
	if err := s.countDays(ctx, v, &of, starts, days); err != nil {
		return nil, err
	}
	for i := range days {
		result[i] = days[i].rows
	}
	return result, nil
}

// Tallies implements [poststore.Reader]. Tallies of complete days with few rows are added up from those
// of days and months. Others are counted at once.
func (s *Store) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	if err := checkTallies(ts); err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	var groups [][]int // tallies that are counted together
	var starts [][]time.Time
	for i := range ts {
		sum := sumStarts(&of, &ts[i])
		g := slices.IndexFunc(starts, func(other []time.Time) bool { return slices.EqualFunc(sum, other, time.Time.Equal) })
		if g < 0 {
			g = len(groups)
			groups, starts = append(groups, nil), append(starts, sum)
		}
		groups[g] = append(groups[g], i)
	}
	result := make([][]poststore.Row, len(ts))
	err = parallel.For(ctx, len(groups), maxStatements, func(ctx context.Context, g int) error {
		which := groups[g]
		if starts[g] != nil {
			var err error
			if which, err = s.sumTallies(ctx, v, &of, ts, which, starts[g], result); err != nil || len(which) == 0 {
				return err
			}
		}
		return s.countTallies(ctx, v, &of, ts, which, result)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// maxSumBytes is the maximum memory for the rows of a tally that is added up.
const maxSumBytes = 256 << 20

// sumTallies sets the rows of tallies that intervals add up to. It returns those that have too many.
func (s *Store) sumTallies(ctx context.Context, v *view, of *poststore.Selection, ts []poststore.Tally, which []int, starts []time.Time, result [][]poststore.Row) (rest []int, err error) {
	set := poststore.Selection{Set: of.Set, Corrections: of.Corrections}
	days := make([]*dayTally, len(which))
	for k, i := range which {
		days[k] = newDayTally(v, &set, enginekit.WithAllRows(ts[i]), len(starts)-1)
	}
	if err := s.countDays(ctx, v, &set, starts, days); err != nil {
		return nil, err
	}
	for k, i := range which {
		sum := enginekit.NewRowSum(&ts[i], maxSumBytes)
		if slices.ContainsFunc(days[k].rows, func(rows []poststore.Row) bool { return !sum.Add(rows) }) {
			rest = append(rest, i)
			continue
		}
		result[i] = sum.Rows()
	}
	return rest, nil
}

// countTallies sets the rows of tallies that are counted at once. The day cache has those of a complete
// set in a range of time.
func (s *Store) countTallies(ctx context.Context, v *view, of *poststore.Selection, ts []poststore.Tally, which []int, result [][]poststore.Row) error {
	all := *of
	all.From, all.To = time.Time{}, time.Time{}
	inRange := !of.From.IsZero() && !of.To.IsZero() && of.From.Before(of.To)
	var cached, rest []int
	var days []*dayTally
	for _, i := range which {
		if d := newDayTally(v, &all, ts[i], 1); d.cached && inRange {
			cached, days = append(cached, i), append(days, d)
		} else {
			rest = append(rest, i)
		}
	}
	if err := s.countDays(ctx, v, &all, []time.Time{of.From, of.To}, days); err != nil {
		return err
	}
	for k, i := range cached {
		result[i] = days[k].rows[0]
	}
	if len(rest) == 0 {
		return nil
	}
	list := make([]poststore.Tally, len(rest))
	for k, i := range rest {
		list[k] = ts[i]
	}
	counted, err := s.tallyIntervals(ctx, v, of, nil, list)
	if err != nil {
		return err
	}
	for k, i := range rest {
		result[i] = counted[k][0]
	}
	return nil
}

// sumStarts returns the intervals that add up to a tally, or nil if it should be counted at once.
func sumStarts(of *poststore.Selection, t *poststore.Tally) []time.Time {
	if slices.ContainsFunc(t.By, hasManyKeys) {
		return nil
	}
	return enginekit.SumStarts(of, t)
}

// hasManyKeys reports whether a dimension may have about as many keys as there are posts. The server is
// better at adding up their rows.
func hasManyKeys(d poststore.Dim) bool {
	switch d {
	case poststore.ByAuthor, poststore.ByParent, poststore.ByRetweeted, poststore.ByHashtag, poststore.ByCashtag:
		return true
	}
	return false
}

func checkTallies(ts []poststore.Tally) error {
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return err
		}
	}
	return nil
}
