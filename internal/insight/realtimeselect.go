package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// tallyRecent counts posts in several ways. There are rows of each, perhaps none.
func (s *Service) tallyRecent(ctx context.Context, m *earshot.Monitor, r Recent, ts ...poststore.Tally) ([][]poststore.Row, error) {
	of, any, err := s.selectRecent(ctx, m, r)
	if err != nil || !any {
		return make([][]poststore.Row, len(ts)), err
	}
	for i := range ts {
		ts[i].Zone = m.Location()
	}
	return s.Store.Tallies(ctx, of, ts)
}

// selectRecent picks the posts of a stretch of time, and reports whether there may be any: only
// on days that have results, as everywhere.
func (s *Service) selectRecent(ctx context.Context, m *earshot.Monitor, r Recent) (of poststore.Selection, any bool, err error) {
	of = selection(m, m.Results(s.Now()))
	if of.From.Before(r.Start) {
		of.From = r.Start
	}
	if of.To.After(r.End) {
		of.To = r.End
	}
	of.Sources, of.Engagement, of.Feelings.Sets = r.Sources, r.Engagement, r.Sets
	if !r.Received.IsZero() {
		of.After, err = s.Journal.Before(ctx, r.Received)
	}
	return of, of.From.Before(of.To), err
}

// hours returns the hours of a clock, as far as they are in the stretch of time.
func (r Recent) hours(zone *time.Location) ([]period.Step, error) {
	if !r.Start.Before(r.End) {
		return nil, nil
	}
	start, end := r.Start.In(zone), r.End.In(zone)
	all, err := period.Steps(earshot.Days{Start: earshot.DateOf(start), End: earshot.DateOf(end).AddDays(1)}, earshot.Hourly, zone)
	var steps []period.Step
	for _, step := range all {
		if !step.End.After(start) || !step.Start.Before(end) {
			continue
		}
		if step.Start.Before(start) {
			step.Start, step.StartDate = start, earshot.Timestamp(start)
		}
		if step.End.After(end) {
			step.End, step.EndDate = end, earshot.Timestamp(end)
		}
		steps = append(steps, step)
	}
	return steps, err
}

// readInstant reads a key of ByHour.
func readInstant(key string) (time.Time, error) { return time.Parse(time.RFC3339, key) }

// total is the posts of the row of everything, if there is one.
func total(rows []poststore.Row) (posts int64) {
	for _, row := range rows {
		posts += row.Posts
	}
	return posts
}
