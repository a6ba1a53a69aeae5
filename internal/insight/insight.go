// Package insight computes the metrics of a monitor. For each metric it decides which days, counts
// and steps to return, and leaves the counting to the post store. It reads posts only for metrics
// that list them.
package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// Store is the part of the post store that metrics are computed from. Its queries about a monitor see
// the monitor's corrections.
type Store interface {
	poststore.Reader
	Position(ctx context.Context) (earshot.Position, error)
}

// A Service computes metrics. It is safe for concurrent use.
type Service struct {
	Store    Store
	Journal  Journal
	Baseline func() interest.Baseline // frequency of interests among all microblog posts
	Opinions Opinions
	Now      func() time.Time

	Corrections filter.Corrections // as Store sees them; nil: none
	Uncorrected poststore.Reader   // Store as the models see the posts
	Samples     Samples            // nil: none

	// ContentDomain returns the domain of the texts of a team's content source. Nil: they are like social
	// media.
	ContentDomain func(team earshot.TeamID, name earshot.Source) earshot.TextDomain

	// OwnAccounts returns the usernames of the brand's own accounts. Nil: they are unknown.
	OwnAccounts func(m *earshot.Monitor) []string

	// CustomSentiment and CustomEmotion report whether an operator's own models infer them. Their
	// shares are counted.
	CustomSentiment, CustomEmotion bool

	// CustomLook reports whether an operator's own model infers sentiments in second looks.
	CustomLook bool

	Models func() uint32 // version of the current models, as in [earshot.Post]; nil: no label is outdated

	clouds       memo[WordCloud]
	topics       memo[Topics]
	heads        memo[rankedHeads]
	explanations memo[*Explanation]
	incidents    memo[*Incidents]
	dayModels    memo[*dayModels]
	voices       memo[*Voices]
	reports      memo[*TopicReport]
	changes      memo[*WordChanges]
	separations  memo[separations]
	contrasts    gate
	authors      memo[*Author]

	postLinks linkCache
	links     memo[dayLinks]
	estimates estimateCache

	overviews memo[*overviewCounts]
}

// corrections returns the corrections of a monitor or filter, or nil.
func (s *Service) corrections(m *earshot.Monitor) *poststore.Corrections {
	if s.Corrections == nil {
		return nil
	}
	return s.Corrections.For(m.ID)
}

// selection returns a selection of the posts of a monitor on some days in its time zone.
func selection(m *earshot.Monitor, days earshot.Days) poststore.Selection {
	loc := m.Location()
	return poststore.Selection{Set: poststore.MonitorSet(m.ID), From: days.Start.Start(loc), To: days.End.Start(loc)}
}

// withResults restricts days to those that have results.
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

// requireResults returns an error that names the first day without results, if there is one.
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
