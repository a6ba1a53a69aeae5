package api

import (
	"sync"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// excerptLength is how many characters of contents are shown unless all are asked for.
const excerptLength = 300

// shorten has long contents shown as an excerpt around what the monitor looks for, and what
// narrow, which may be nil, looks for besides.
func (s *shower) shorten(narrow *watchlist.Condition) {
	ofMonitor := sync.OnceValue(func() *watchlist.Condition { // most answers have no long contents at all
		// A query that this version does not read, or a filter that has just gone, is no
		// reason to show nothing: then it is the beginning of the contents that is shown.
		c, _ := s.api.Monitors.Condition(s.monitor)
		return c
	})
	var doc query.Document
	s.excerpt = func(p *earshot.Post) string {
		if s.api.restricted(p.Source) || query.Fits(p.Contents, excerptLength) {
			return p.Contents
		}
		doc.Reset(p)
		spans := query.MergeSpans(ofMonitor().Spans(&doc), narrow.Spans(&doc))
		return query.NewExcerpt(p.Contents, spans, excerptLength).Text
	}
}
