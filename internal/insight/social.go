package insight

import (
	"cmp"
	"context"

	"earshot"
)

// A Figure is what a counter of an account read on a day.
type Figure struct {
	Day   earshot.Date
	Value int64
}

// Followers returns how many followers the account of m had on each day. A day for which
// nobody told has what was told last; days before the first time are left out.
// docs/decisions/0039-own-posts-and-account-figures.md
func (s *Service) Followers(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Figure, error) {
	return s.figures(ctx, m, days, followers)
}

// PageLikes returns how many likes the page of m had on each day, like Followers.
func (s *Service) PageLikes(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Figure, error) {
	return s.figures(ctx, m, days, func(snap earshot.Snapshot) earshot.Count { return snap.Likes })
}

func followers(snap earshot.Snapshot) earshot.Count { return snap.Followers }

// figures returns a figure of the account on those of the days that have results.
func (s *Service) figures(ctx context.Context, m *earshot.Monitor, days earshot.Days, of func(earshot.Snapshot) earshot.Count) ([]Figure, error) {
	days, err := s.countable(m, days)
	if err != nil || days.Len() <= 0 {
		return nil, err
	}
	// What was told before the first day counts on.
	known := earshot.Days{Start: earshot.Date{Year: 1, Month: 1, Day: 1}, End: days.End}
	snapshots, err := s.Store.Snapshots(ctx, whole(m), known)
	if err != nil {
		return nil, err
	}
	return carry(days, snapshots, of), nil
}

// carry gives each day the last figure that was told up to it.
func carry(days earshot.Days, snapshots []earshot.Snapshot, of func(earshot.Snapshot) earshot.Count) (figures []Figure) {
	var last earshot.Count
	next := 0
	for _, day := range dates(days) {
		for ; next < len(snapshots) && !day.Before(snapshots[next].Date); next++ {
			if told := of(snapshots[next]); !told.IsZero() {
				last = told
			}
		}
		if n, told := last.Value(); told {
			figures = append(figures, Figure{day, n})
		}
	}
	return figures
}

// whole returns the monitor that m is or is a filter of: what is known of an account and of
// its posts does not depend on the filter.
func whole(m *earshot.Monitor) earshot.MonitorID { return cmp.Or(m.Parent, m.ID) }

// ownOf returns m with only those of its posts that the account wrote itself.
func ownOf(m *earshot.Monitor) *earshot.Monitor {
	own := *m
	own.ID = m.ID.Own()
	return &own
}
