package api

import (
	"sync"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/watchlist"
)

// excerptLength is how many characters of contents are shown unless all are asked for.
const excerptLength = 300

// ShowPosts returns posts of m as /api/monitor/posts shows them, with excerpts of
// their contents. m need not be stored.
func (a *API) ShowPosts(m *earshot.Monitor, posts []earshot.Post) any {
	a.shorten(m, posts, nil)
	shown, s := make([]post, len(posts)), a.newShower(m)
	for i := range posts {
		s.show(&shown[i], &posts[i])
	}
	return shown
}

// shorten replaces long contents by an excerpt around what m looks for, and what
// narrow, which may be nil, looks for besides.
func (a *API) shorten(m *earshot.Monitor, posts []earshot.Post, narrow *watchlist.Condition) {
	ofMonitor := sync.OnceValue(func() *watchlist.Condition { // most answers have no long contents at all
		// A query that this version does not read, or a filter that has just gone, is no
		// reason to show nothing: then it is the beginning of the contents that is shown.
		c, _ := a.Monitors.Condition(m)
		return c
	})
	var doc query.Document
	for i := range posts {
		p := &posts[i]
		if a.restricted(p.Source) || query.Fits(p.Contents, excerptLength) {
			continue
		}
		doc.Reset(p)
		spans := query.Union(ofMonitor().Spans(&doc), narrow.Spans(&doc))
		p.Contents = query.Excerpt(p.Contents, spans, excerptLength)
	}
}
