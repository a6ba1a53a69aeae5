package insight

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A Volume is how many posts a monitor has, in steps.
type Volume struct {
	Steps []VolumeStep
	Posts int64
}

// A VolumeStep is the number of posts in one hour, day, week or month.
type VolumeStep struct {
	period.Step
	Posts int64
}

// Volume counts the posts of m. Weeks and months are full ones only, so the
// steps may cover less than the days asked for. Every day must have results.
func (s *Service) Volume(ctx context.Context, m *earshot.Monitor, days earshot.Days, by earshot.Grouping) (Volume, error) {
	if err := s.requireResults(m, days); err != nil {
		return Volume{}, err
	}
	steps, err := period.Steps(days, by, m.Location())
	if err != nil {
		return Volume{}, err
	}
	if len(steps) == 0 { // a day that a zone skipped has no hours
		return Volume{}, nil
	}
	of := selection(m, days)
	of.From, of.To = steps[0].Start, steps[len(steps)-1].End
	dim, layout := poststore.ByDay, time.DateOnly
	if by == earshot.Hourly {
		dim, layout = poststore.ByHour, time.RFC3339
	}
	rows, err := s.Store.Tally(ctx, poststore.Tally{Of: of, By: []poststore.Dim{dim}, Zone: m.Location()})
	if err != nil {
		return Volume{}, err
	}
	return volume(steps, rows, layout, m.Location())
}

// volume adds the rows, keyed by moments in layout, to the steps they fall into.
func volume(steps []period.Step, rows []poststore.Row, layout string, loc *time.Location) (Volume, error) {
	v := Volume{Steps: make([]VolumeStep, len(steps))}
	for i, step := range steps {
		v.Steps[i].Step = step
	}
	for _, row := range rows {
		at, err := time.ParseInLocation(layout, row.Key[0], loc)
		if err != nil {
			return Volume{}, err
		}
		if layout == time.DateOnly {
			at = earshot.DateOf(at).Start(loc)
		}
		i, _ := slices.BinarySearchFunc(steps, at, func(s period.Step, at time.Time) int {
			if s.End.After(at) {
				return 0
			}
			return -1
		})
		v.Steps[i].Posts += row.Posts
		v.Posts += row.Posts
	}
	return v, nil
}
