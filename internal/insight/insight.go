// Package insight computes the metrics of a monitor: it decides which days, which counts and which
// steps a metric has, and has the post store count them. It reads posts only where a metric lists
// them.
package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
)

// Store is what metrics are computed from.
type Store interface {
	poststore.Reader
	Position(ctx context.Context) (earshot.Position, error)
}

// A Service computes metrics.
type Service struct {
	Store    Store
	Journal  Journal
	Baseline func() interest.Baseline // of all microblog posts
	Opinions Opinions
	Now      func() time.Time

	clouds    memo[WordCloud]
	topics    memo[Topics]
	postLinks linkCache
	links     memo[dayLinks]
	estimates estimateCache

	overviews memo[*overviewCounts]
}

// selection picks the posts of a monitor on the days of its zone.
func selection(m *earshot.Monitor, days earshot.Days) poststore.Selection {
	loc := m.Location()
	return poststore.Selection{Set: poststore.MonitorSet(m.ID), From: days.Start.Start(loc), To: days.End.Start(loc)}
}

// withResults returns those of the days that have results.
func (s *Service) withResults(m *earshot.Monitor, days earshot.Days) earshot.Days {
	results := m.Results(s.Now())
	if days.Start.Before(results.Start) {
		days.Start = results.Start
	}
	if results.End.Before(days.End) {
		days.End = results.End
	}
	return days
}

// requireResults returns an error for the first day that has no results.
func (s *Service) requireResults(m *earshot.Monitor, days earshot.Days) error {
	results := m.Results(s.Now())
	if results.Len() == 0 || !results.Contains(days.Start) {
		return noResults(m, days.Start)
	}
	if results.End.Before(days.End) {
		return noResults(m, results.End)
	}
	return nil
}

func noResults(m *earshot.Monitor, day earshot.Date) error {
	return earshot.Errorf(earshot.Invalid, "No results available for monitor %d on %s", m.ID, day)
}
