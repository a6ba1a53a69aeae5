package insight

import (
	"cmp"
	"context"

	"earshot"
)

// A CounterValue is the value of an account's counter on a day.
type CounterValue struct {
	Day   earshot.Date
	Value int64
}

// Followers returns the number of followers that the account of m had on each day. A day without a
// snapshot has the most recent earlier value. Days before the first snapshot are omitted.
// docs/decisions/0039-own-posts-and-account-metrics.md
func (s *Service) Followers(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]CounterValue, error) {
	return s.counterValues(ctx, m, days, followers)
}

// PageLikes is [Service.Followers] for the likes of a page.
func (s *Service) PageLikes(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]CounterValue, error) {
	return s.counterValues(ctx, m, days, func(snap earshot.Snapshot) earshot.Count { return snap.Likes })
}

func followers(snap earshot.Snapshot) earshot.Count { return snap.Followers }

// counterValues returns the values of a counter on the requested days that have results.
func (s *Service) counterValues(ctx context.Context, m *earshot.Monitor, days earshot.Days, counter func(earshot.Snapshot) earshot.Count) ([]CounterValue, error) {
	days, err := s.limitDays(m, days)
	if err != nil || days.Len() <= 0 {
		return nil, err
	}
	// Values from before the first day carry forward.
	history := earshot.Days{Start: earshot.Date{Year: 1, Month: 1, Day: 1}, End: days.End}
	snapshots, err := s.Store.Snapshots(ctx, rootID(m), history)
	if err != nil {
		return nil, err
	}
	return carryForward(days, snapshots, counter), nil
}

// carryForward returns the most recent value for each day.
func carryForward(days earshot.Days, snapshots []earshot.Snapshot, counter func(earshot.Snapshot) earshot.Count) (values []CounterValue) {
	var last earshot.Count
	next := 0
	for _, day := range listDays(days) {
		for ; next < len(snapshots) && !day.Before(snapshots[next].Date); next++ {
			if count := counter(snapshots[next]); !count.IsZero() {
				last = count
			}
		}
		if n, count := last.Value(); count {
			values = append(values, CounterValue{day, n})
		}
	}
	return values
}

// rootID returns the ID of m or, if m is a filter, of its monitor. Filters do not apply to an
// account and its own posts.
func rootID(m *earshot.Monitor) earshot.MonitorID { return cmp.Or(m.Parent, m.ID) }
