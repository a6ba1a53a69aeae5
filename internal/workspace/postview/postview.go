// Package postview decides how posts are shown. It renders posts of monitors and streams, highlights
// what a query matches, and redacts what may not be displayed.
//
// Cards, reports and both HTTP interfaces use this package, so they show posts the same way. Other
// packages decide which posts to show and to whom.
package postview

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query/watchlist"
)

// A Service renders posts.
type Service struct {
	Monitors    Monitors
	Categorizer Categorizer
	Marks       Marks
	Corrections Corrections

	Restricted []earshot.Source // sources whose posts are shown without their text
	ForClients bool             // set by the compat setting: some existing programs require a title
}

// Monitors has the conditions of monitors.
type Monitors interface {
	// Condition returns the condition that selects the posts of a monitor or filter.
	Condition(m *earshot.Monitor) (*watchlist.Condition, error)
}

// A Categorizer provides the model that categorized the posts of an opinion monitor.
type Categorizer interface {
	WithCategorization(ctx context.Context, m *earshot.Monitor, do func(insight.Categorization) error) error
}

// IsRestricted reports whether posts of a source are shown without their text.
func (s *Service) IsRestricted(source earshot.Source) bool {
	return slices.Contains(s.Restricted, source)
}

// hidesAuthor reports whether the restrictions of a source also cover the author and the date of a
// post.
func hidesAuthor(s earshot.Source) bool { return s == earshot.Twitter }

// Redact removes from a post what must not be shown: its text, words that other fields took from
// the text, and for some sources the author and the date. It reports whether the post is
// restricted. See docs/decisions/0010-content-restrictions.md.
func (s *Service) Redact(p *earshot.Post) bool {
	if !s.IsRestricted(p.Source) {
		return false
	}
	p.Title, p.Contents, p.Bio = "", "", ""
	p.Hashtags, p.Mentions, p.Cashtags, p.Links = nil, nil, nil, nil
	p.Interests, p.AuthorInterests = nil, nil
	p.Images = slices.Clone(p.Images)
	for i := range p.Images {
		p.Images[i].Alt = ""
	}
	if hidesAuthor(p.Source) {
		p.Author, p.Time = "", time.Time{}
	}
	return true
}

// RedactTraining is like [Service.Redact] for a training post.
func (s *Service) RedactTraining(p *earshot.TrainingPost) bool {
	if !s.IsRestricted(p.Source) {
		return false
	}
	p.Title, p.Contents = "", ""
	if hidesAuthor(p.Source) {
		p.Author, p.Time = "", time.Time{}
	}
	return true
}
