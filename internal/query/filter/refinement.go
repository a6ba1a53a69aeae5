package filter

import (
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// A Refinement is a filter that a caller applies to posts of a monitor. In addition to the fields of
// a [Filter], it accepts what charts count posts by, so that people can select part of a chart, ranges
// of numbers, posts of the brand's own accounts, and posts that the team has marked. "-" before a
// field selects the posts that the pair does not select: "-source:Twitter,Reddit". See
// docs/decisions/0055-overview-and-refinements.md.
type Refinement struct {
	service *Service
	monitor *earshot.Monitor
	filter  *Filter // nil: all posts
	key     string
	err     error
}

// Refinement parses the text of a filter for posts of m. An empty text selects all posts. Marks are
// read now, even if Selection is called later. The methods return the error, if there is one.
func (s *Service) Refinement(c *earshot.Caller, m *earshot.Monitor, text string) *Refinement {
	r := &Refinement{service: s, monitor: m, key: text}
	if text == "" {
		return r
	}
	f, err := parse(text)
	if err == nil {
		err = s.findMarked(c, m, f)
	}
	if err != nil {
		r.err = earshot.InvalidParameter("filter", text, err.Error())
		return r
	}
	r.filter = f
	if strings.Contains(strings.ToLower(text), string(Own)) {
		r.key += fmt.Sprintf(" %q", s.Monitors.OwnAccounts(m))
	}
	r.key += f.more.markedKey()
	return r
}

// Check returns an error if a text is not a filter of a [Refinement]. The error says which fields or
// values are allowed. It does not check whether a monitor has the named categories, sources and
// colleagues.
func Check(text string) error {
	if text == "" {
		return nil
	}
	_, err := parse(text)
	return err
}

// parse parses the text of a filter that may have all fields.
func parse(text string) (*Filter, error) {
	f := &Filter{more: &refinement{}}
	return f, f.UnmarshalText([]byte(text))
}

// Key returns a string that two refinements of a monitor share only if they select the same posts. It
// is empty if they select all.
func (r *Refinement) Key() string { return r.key }

// Selection returns the selected posts.
func (r *Refinement) Selection(c Categories) (poststore.Selection, error) {
	if r.filter == nil {
		return poststore.Selection{}, r.err
	}
	return r.service.refine(r.monitor, r.filter, c)
}
