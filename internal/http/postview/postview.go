// Package postview is posts as clients see and send them: it reads the filter that refines a
// list of posts, renders posts of monitors and streams as JSON, highlights what a query matches,
// withholds what a source does not allow to show, and reads uploaded documents.
//
// Both HTTP interfaces show posts the same way, so both use this package. Which posts there are,
// and who may see them, is decided elsewhere.
package postview

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query/watchlist"
)

// A Service filters and renders posts.
type Service struct {
	Monitors    Monitors
	Categorizer Categorizer

	Restricted []earshot.Source // posts of these sources are shown without their text
	ForClients bool             // the setting compat: some programs insist on a title
}

// Monitors resolves what monitors and filters refer to.
type Monitors interface {
	// Condition returns what a monitor or a filter selects.
	Condition(m *earshot.Monitor) (*watchlist.Condition, error)

	// FindSource returns the exact name of a source of a team, given in any spelling.
	FindSource(team earshot.TeamID, name string) (string, bool)
}

// A Categorizer knows the model that has categorized the posts of an opinion monitor.
type Categorizer interface {
	WithCategorization(ctx context.Context, m *earshot.Monitor, do func(insight.Categorization) error) error
}

// IsRestricted reports whether posts of a source are shown without their text.
func (s *Service) IsRestricted(source earshot.Source) bool {
	return slices.Contains(s.Restricted, source)
}

// hidesAuthor reports whether the restrictions of a source also cover who wrote a post, and when.
func hidesAuthor(s earshot.Source) bool { return s == earshot.Twitter }

// Redact removes from a post what may not be shown: its text, the words that other fields took
// from it, and for some sources the author and the date. It reports whether the post is
// restricted. docs/decisions/0010-content-restrictions.md
func (s *Service) Redact(p *earshot.Post) bool {
	if !s.IsRestricted(p.Source) {
		return false
	}
	p.Title, p.Contents, p.Bio = "", "", ""
	p.Hashtags, p.Mentions, p.Cashtags, p.Links = nil, nil, nil, nil
	p.Images = slices.Clone(p.Images)
	for i := range p.Images {
		p.Images[i].Alt = ""
	}
	if hidesAuthor(p.Source) {
		p.Author, p.Time = "", time.Time{}
	}
	return true
}

// RedactTraining does the same for a training post.
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
