package digest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/postview"
)

// feedEntries is the maximum number of entries of a feed.
const feedEntries = 50

// A Feed is an Atom feed, which changes only when what it says changes.
type Feed struct {
	Data     []byte
	Type     string
	Tag      string // of the contents
	Modified time.Time
}

// Feed composes what a feed says now. reader is the caller that OpenFeed returns, and path is where the
// feed is served.
func (s *Composer) Feed(ctx context.Context, reader *earshot.Caller, l *earshot.FeedLink, path string) (Feed, error) {
	feed := atomFeed{
		ID: feedURN("feed", int64(l.ID)), Title: xmlText(l.Name), Author: &atomAuthor{Name: "Earshot"}, Generator: "Earshot",
		Links: []atomLink{{Rel: "self", Type: atomType, Href: s.PublicURL + path}},
	}
	add := s.addPosts
	if l.Kind == earshot.SignalFeed {
		add = s.addSignals
	}
	switch err := add(ctx, reader, l, &feed); {
	case earshot.IsKind(err, earshot.Invalid), earshot.IsKind(err, earshot.NotFound): // a category of the filter was removed, for example
		return Feed{}, earshot.Errorf(earshot.Unprocessable, "This feed cannot be shown")
	case err != nil:
		return Feed{}, err
	}
	updated := l.Created
	for _, e := range feed.Entries {
		updated = period.Later(updated, e.updated)
	}
	feed.Updated = atomTime(updated)
	return feed.encode(updated)
}

// addPosts adds the newest posts. Texts that may not be shown are missing already.
func (s *Composer) addPosts(ctx context.Context, c *earshot.Caller, l *earshot.FeedLink, feed *atomFeed) error {
	feed.addLink(s.PublicURL, fmt.Sprintf("/monitors/%d", l.Monitor))
	posts, err := s.Cards.Posts(ctx, c, card.PostsRequest{Query: card.Query{Monitor: l.Monitor, Filter: l.Filter}, Limit: feedEntries, Ranked: true, Order: poststore.NewestFirst})
	if err != nil {
		return err
	}
	for _, p := range posts.Items {
		feed.Entries = append(feed.Entries, newPostEntry(l, p))
	}
	return nil
}

func newPostEntry(l *earshot.FeedLink, p *postview.HighlightedPost) atomEntry {
	updated, published := l.Created, ""
	if at := time.Time(p.Date); !at.IsZero() { // otherwise hidden, as the text is
		updated, published = at, atomTime(at)
	}
	author := cmp.Or(authorName(p), string(p.Type))
	e := atomEntry{
		ID: feedURN("post", int64(l.ID), p.Key), Author: &atomAuthor{Name: xmlText(author)}, updated: updated,
		Updated: atomTime(updated), Published: published, Categories: []atomCategory{{Term: xmlText(string(p.Type))}},
	}
	text := textOf(p.Contents)
	e.Title = xmlText(earshot.Clip(strings.Join(strings.Fields(cmp.Or(textOf(p.Title), text)), " "), 100))
	if p.Contents == nil {
		text = "Text not shown"
	}
	if e.Title == "" {
		e.Title = xmlText(author + " on " + string(p.Type))
	}
	e.Content = atomText{Type: "text", Text: xmlText(text)}
	e.addLink(p.URL)
	return e
}

// Incidents of a feed: the newest ones of the last days.
const (
	feedIncidents = 20
	feedDays      = 30
)

// addSignals adds the incidents of a monitor, or of all monitors of the team, and the newest signals that are
// not about incidents.
func (s *Composer) addSignals(ctx context.Context, c *earshot.Caller, l *earshot.FeedLink, feed *atomFeed) error {
	feed.addLink(s.PublicURL, "/signals")
	incidents, err := s.addIncidents(ctx, c, l, feed)
	if err != nil {
		return err
	}
	var found []*earshot.Signal
	for _, sig := range s.Catalog.Signals.List() {
		isIncident := slices.ContainsFunc(incidents, func(i incident.Incident) bool { return slices.Contains(i.Signals, sig.ID) })
		if !isIncident && sig.Team == l.Team && (l.Monitor == 0 || sig.Monitor == l.Monitor) {
			found = append(found, sig)
		}
	}
	slices.SortStableFunc(found, func(a, b *earshot.Signal) int { return b.Raised.Compare(a.Raised) })
	for _, sig := range found {
		if _, err := s.Monitors.Find(c, sig.Monitor); err != nil {
			continue
		}
		if len(feed.Entries) == feedEntries {
			break
		}
		feed.Entries = append(feed.Entries, s.newSignalEntry(sig))
	}
	return nil
}

// addIncidents adds and returns the newest incidents.
func (s *Composer) addIncidents(ctx context.Context, c *earshot.Caller, l *earshot.FeedLink, feed *atomFeed) ([]incident.Incident, error) {
	found, err := s.Incidents.Team(ctx, c, l.Team, feedDays)
	if err != nil {
		return nil, err
	}
	for _, i := range found.Incidents {
		isOf := l.Monitor == 0 || i.Monitor.ID == l.Monitor || slices.ContainsFunc(i.Monitors, func(m incident.Monitor) bool { return m.ID == l.Monitor })
		m, err := s.Monitors.Find(c, i.Monitor.ID)
		if !isOf || err != nil || len(feed.Entries) == feedIncidents {
			continue
		}
		sum, err := s.Incidents.Summary(ctx, incident.Query{Caller: c, Monitor: m, Visitors: true}, i.From, i.To)
		if err != nil {
			return nil, err
		}
		e := atomEntry{
			ID: feedURN("incident", int64(l.ID), strconv.FormatInt(int64(m.ID), 10), atomTime(i.From)), Title: xmlText(i.Title),
			updated: i.To, Updated: atomTime(i.To), Published: atomTime(i.From),
			Categories: []atomCategory{{Term: string(i.Severity)}}, Content: atomText{Type: "text", Text: xmlText(sum.Text)},
		}
		if s.PublicURL != "" {
			e.addLink(s.PublicURL + incidentPath(&i))
		}
		feed.Entries = append(feed.Entries, e)
	}
	return found.Incidents, nil
}

// incidentPath returns the page of the web app that explains an incident.
func incidentPath(i *incident.Incident) string {
	const clock = "2006-01-02T15:04"
	return fmt.Sprintf("/monitors/%d/why?%s", i.Monitor.ID, url.Values{"from": {i.From.Format(clock)}, "to": {i.To.Format(clock)}}.Encode())
}

func (s *Composer) newSignalEntry(sig *earshot.Signal) atomEntry {
	updated := period.Later(period.Later(sig.Raised, sig.Updated), sig.Resolved)
	text := sig.Text
	if sig.Explanation != nil && sig.Explanation.Sentence != "" && !strings.Contains(text, sig.Explanation.Sentence) {
		text = strings.TrimSpace(text + "\n\n" + sig.Explanation.Sentence)
	}
	e := atomEntry{
		ID: feedURN("signal", int64(sig.ID)), Title: xmlText(sig.Title), updated: updated, Updated: atomTime(updated), Published: atomTime(sig.Raised),
		Categories: []atomCategory{{Term: string(sig.Severity)}, {Term: string(sig.State)}}, Content: atomText{Type: "text", Text: xmlText(text)},
	}
	if s.PublicURL != "" {
		e.addLink(fmt.Sprintf("%s/signals/%d", s.PublicURL, sig.ID))
	}
	return e
}

const atomType = "application/atom+xml"

// An atomFeed is a feed by RFC 4287.
type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Updated   string      `xml:"updated"`
	Author    *atomAuthor `xml:"author"`
	Generator string      `xml:"generator"`
	Links     []atomLink  `xml:"link"`
	Entries   []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Published  string         `xml:"published,omitempty"`
	Author     *atomAuthor    `xml:"author"` // nil: the author of the feed
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Content    atomText       `xml:"content"`

	updated time.Time
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// addLink adds a page of the web app, if its address is known.
func (f *atomFeed) addLink(base, path string) {
	if base != "" {
		f.Links = append(f.Links, atomLink{Rel: "alternate", Type: "text/html", Href: base + path})
	}
}

// addLink adds the page of an entry, unless a reader should not open it.
func (e *atomEntry) addLink(text string) {
	if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		e.Links = append(e.Links, atomLink{Rel: "alternate", Href: u.String()})
	}
}

func (f *atomFeed) encode(updated time.Time) (Feed, error) {
	out := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(out).Encode(f); err != nil {
		return Feed{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return Feed{Data: out.Bytes(), Type: atomType + "; charset=utf-8", Tag: hex.EncodeToString(sum[:16]), Modified: updated}, nil
}

// feedURN returns an ID that is always the same for the same thing, and reveals nothing about it: a UUID
// of version 8 (RFC 9562).
func feedURN(kind string, id int64, more ...string) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("earshot.%s.%d.%s", kind, id, strings.Join(more, "."))))
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func atomTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// xmlText returns text without the characters that XML does not allow.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r < 0x7f || r >= 0xa0 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}
