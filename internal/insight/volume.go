package insight

import (
	"context"
	"iter"
	"slices"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A Volume is the number of posts of a monitor, in steps.
type Volume struct {
	Steps []VolumeStep
	Posts int64
}

// A VolumeStep is the number of posts in one hour, day, week or month.
type VolumeStep struct {
	period.Step
	Posts int64
}

// A LongVolume is a Volume whose steps are computed while they are read, because there may be
// hundreds of thousands.
type LongVolume struct {
	First, Last period.Step // zero if there are no steps
	Steps       iter.Seq[VolumeStep]
	Posts       int64
}

// Volume counts the posts of m. Only full weeks and months are included, so the steps may cover
// less than the requested days. All days must have results.
func (s *Service) Volume(ctx context.Context, m *earshot.Monitor, days earshot.Days, grouping earshot.Grouping) (LongVolume, error) {
	if err := s.requireResults(m, days); err != nil {
		return LongVolume{}, err
	}
	steps, err := period.Each(days, grouping, m.Location())
	if err != nil {
		return LongVolume{}, err
	}
	v := LongVolume{Steps: func(func(VolumeStep) bool) {}}
	for v.Last = range steps {
		if v.First.End.IsZero() {
			v.First = v.Last
		}
	}
	if v.First.End.IsZero() { // a day that the time zone skipped has no hours
		return v, nil
	}
	sel := selection(m, days)
	sel.From, sel.To = v.First.Start, v.Last.End
	counts, err := s.counts(ctx, m, sel, grouping)
	if err != nil {
		return LongVolume{}, err
	}
	for _, c := range counts {
		v.Posts += c.posts
	}
	v.Steps = func(yield func(VolumeStep) bool) {
		rest := counts
		for step := range steps {
			counted := VolumeStep{Step: step}
			for len(rest) > 0 && rest[0].at.Before(step.End) {
				counted.Posts += rest[0].posts
				rest = rest[1:]
			}
			if !yield(counted) {
				return
			}
		}
	}
	return v, nil
}

// A count is a number of posts at some time.
type count struct {
	at    time.Time
	posts int64
}

// counts returns the number of selected posts of each day or, if the grouping is hourly, of each hour,
// in chronological order. Days and hours without posts are omitted.
func (s *Service) counts(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, grouping earshot.Grouping) ([]count, error) {
	dim, parse := volumeDim(grouping)
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{By: []poststore.Dim{dim}, Zone: m.Location()})
	if err != nil {
		return nil, err
	}
	counts := make([]count, len(rows))
	for i, row := range rows {
		at, err := parse(row.Key[0], m.Location())
		if err != nil {
			return nil, err
		}
		counts[i] = count{at, row.Posts}
	}
	slices.SortFunc(counts, func(a, b count) int { return a.at.Compare(b.at) })
	return counts, nil
}

// volumeDim returns the dimension that steps are counted by, and a function that parses its keys.
func volumeDim(grouping earshot.Grouping) (poststore.Dim, func(key string, loc *time.Location) (time.Time, error)) {
	if grouping == earshot.Hourly {
		return poststore.ByHour, parseHourKey
	}
	return poststore.ByDay, parseDayKey
}

// countSteps counts the selected posts, all of which must be within the steps of a grouping.
func (s *Service) countSteps(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, steps []period.Step, grouping earshot.Grouping) (Volume, error) {
	dim, parse := volumeDim(grouping)
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{By: []poststore.Dim{dim}, Zone: m.Location()})
	if err != nil {
		return Volume{}, err
	}
	return newVolume(steps, rows, func(key string) (time.Time, error) { return parse(key, m.Location()) })
}

// parseDayKey and parseHourKey parse row keys.
func parseDayKey(key string, loc *time.Location) (time.Time, error) {
	day, err := earshot.ParseDate(key)
	return day.Start(loc), err
}

func parseHourKey(key string, _ *time.Location) (time.Time, error) {
	return time.Parse(time.RFC3339, key)
}

// newVolume adds the rows to the steps that contain them.
func newVolume(steps []period.Step, rows []poststore.Row, parse func(key string) (time.Time, error)) (Volume, error) {
	v := Volume{Steps: make([]VolumeStep, len(steps))}
	for i, step := range steps {
		v.Steps[i].Step = step
	}
	for _, row := range rows {
		at, err := parse(row.Key[0])
		if err != nil {
			return Volume{}, err
		}
		v.Steps[stepAt(steps, at)].Posts += row.Posts
		v.Posts += row.Posts
	}
	return v, nil
}

// stepAt returns the index of the step that contains a time.
func stepAt(steps []period.Step, at time.Time) int {
	i, _ := slices.BinarySearchFunc(steps, at, func(s period.Step, at time.Time) int {
		if s.End.After(at) {
			return 0
		}
		return -1
	})
	return i
}
