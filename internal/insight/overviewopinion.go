package insight

import (
	"context"
	"errors"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// viewOpinions tells the categories of an opinion monitor: estimated ones, or with a filter
// those that posts are assigned to.
func (s *Service) viewOpinions(ctx context.Context, v *viewed, f *Feelings) error {
	if err := v.sorted.Require(v.monitor); err != nil {
		var told *earshot.Error
		if !errors.As(err, &told) {
			return err
		}
		f.Untaught = told.Message
		return nil
	}
	if v.Filter != "" {
		return s.viewAssigned(ctx, v, f)
	}
	return s.viewEstimated(ctx, v, f)
}

// viewEstimated tells what Results and Proportions tell.
func (s *Service) viewEstimated(ctx context.Context, v *viewed, f *Feelings) error {
	bounds := v.has(DaysPart) && v.days.Len() <= mostIntervalDays
	o, err := s.estimateOpinions(ctx, v.monitor, v.days, v.sorted, bounds)
	if err != nil {
		return err
	}
	f.Estimated = true
	for day, date := range o.dates {
		f.Daily[day].Posts = o.posts(0, day)
		f.Daily[day].Categories = apportion(o.posts(0, day), o.shares(v.monitor, day))
		if bounds {
			f.Intervals = append(f.Intervals, DayProportions{Day: date, Posts: o.posts(0, day), Categories: o.proportions(v.monitor, day)})
		}
	}
	return nil
}

// assignedPart is counted of the days of an opinion monitor with a filter.
const assignedPart Part = "assigned"

// viewAssigned counts posts by the categories that they are assigned to.
func (s *Service) viewAssigned(ctx context.Context, v *viewed, f *Feelings) error {
	sets := make([]earshot.MonitorID, len(v.sorted.Model.Categories))
	for i, c := range v.sorted.Model.Categories {
		sets[i] = c.Assigned(v.sorted.Slot)
	}
	of := v.selection(v.days)
	counted, err := remember(ctx, s.Store, &s.overviews, of, string(assignedPart)+v.question(), func() (*viewFigures, error) {
		rows, err := s.Store.Days(ctx, of, starts(v.days, v.monitor.Location()), []poststore.Tally{
			{By: []poststore.Dim{poststore.BySets}, Sets: sets, Sorting: v.sorted.Record},
		})
		if err != nil {
			return nil, err
		}
		return &viewFigures{parts: map[Part][][]poststore.Row{assignedPart: rows[0]}}, nil
	})
	if err != nil {
		return err
	}
	for day := range f.Daily {
		for _, row := range counted.rows(assignedPart, day) {
			v.assign(f.Daily[day].Categories, row)
		}
	}
	return nil
}

// assign adds the posts of a row to the categories whose sets they are in.
func (v *viewed) assign(counts []int64, row poststore.Row) {
	for i, id := range v.sorted.Model.Categories {
		if row.Key[0][i/8]>>(i%8)&1 == 0 {
			continue
		}
		if place := slices.IndexFunc(v.monitor.Categories, func(c earshot.Category) bool { return c.ID == id }); place >= 0 {
			counts[place] += row.Posts
		}
	}
}
