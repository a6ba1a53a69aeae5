package insight

import (
	"context"
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

// Volume counts the posts of m. Only full weeks and months are included, so the steps may cover
// less than the requested days. All days must have results.
func (s *Service) Volume(ctx context.Context, m *earshot.Monitor, days earshot.Days, grouping earshot.Grouping) (Volume, error) {
	if err := s.requireResults(m, days); err != nil {
		return Volume{}, err
	}
	steps, err := period.Steps(days, grouping, m.Location())
	if err != nil {
		return Volume{}, err
	}
	if len(steps) == 0 { // a day that the time zone skipped has no hours
		return Volume{}, nil
	}
	sel := selection(m, days)
	sel.From, sel.To = steps[0].Start, steps[len(steps)-1].End
	return s.countSteps(ctx, m, sel, steps, grouping)
}

// countSteps counts the selected posts, all of which must be within the steps of a grouping.
func (s *Service) countSteps(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, steps []period.Step, grouping earshot.Grouping) (Volume, error) {
	dim, parse := poststore.ByDay, parseDayKey
	if grouping == earshot.Hourly {
		dim, parse = poststore.ByHour, parseHourKey
	}
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
