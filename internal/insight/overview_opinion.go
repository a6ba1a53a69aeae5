package insight

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/poststore"
)

// fillOpinions sets the categories of an opinion monitor. They are estimated or, with a filter,
// counted as assigned.
func (s *Service) fillOpinions(ctx context.Context, v *overviewQuery, f *Breakdown) error {
	if err := v.categorization.Require(v.monitor); err != nil {
		var visible *earshot.Error
		if !errors.As(err, &visible) {
			return err
		}
		f.NeedsTraining = visible.Message
		return nil
	}
	if v.Filter != "" {
		return s.countAssigned(ctx, v, f)
	}
	return s.estimateShares(ctx, v, f)
}

// estimateShares sets the same values that [Service.Proportions] returns.
func (s *Service) estimateShares(ctx context.Context, v *overviewQuery, f *Breakdown) error {
	bounds := v.includes(DaysPart) && v.days.Len() <= maxIntervalDays
	o, err := s.estimateOpinions(ctx, v.monitor, v.days, v.categorization, bounds)
	if err != nil {
		return err
	}
	f.Estimated = true
	for day, date := range o.dates {
		f.ByDay[day].Posts = o.posts(0, day)
		f.ByDay[day].Categories = o.volumes(v.monitor, day)
		if bounds {
			f.Intervals = append(f.Intervals, DayProportions{Day: date, Posts: o.posts(0, day), Categories: o.proportions(v.monitor, day)})
		}
	}
	return nil
}

// assignedPart is an internal part for the categories of an opinion monitor with a filter.
const assignedPart Part = "assigned"

// countAssigned counts posts by the category they are assigned to.
func (s *Service) countAssigned(ctx context.Context, v *overviewQuery, f *Breakdown) error {
	sel := v.selection(v.days)
	counted, err := memoize(ctx, s.Store, &s.overviews, sel, string(assignedPart)+v.keyOf(nil), func() (*overviewCounts, error) {
		rows, err := s.Store.Days(ctx, sel, dayBounds(v.days, v.monitor.Location()), []poststore.Tally{v.categorization.assigned(v.monitor)})
		if err != nil {
			return nil, err
		}
		return &overviewCounts{parts: map[Part][][]poststore.Row{assignedPart: rows[0]}}, nil
	})
	if err != nil {
		return err
	}
	for day := range f.ByDay {
		copy(f.ByDay[day].Categories, v.categorization.count(v.monitor, counted.rows(assignedPart, day)))
	}
	return nil
}
