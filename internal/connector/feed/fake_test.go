package feed

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
)

// A fakeItem is an item that a fake site publishes.
type fakeItem struct {
	id    int
	title string
	text  string
	time  time.Time
}

// A fakeSite publishes a feed at /news.xml. It sees when it is asked too often.
type fakeSite struct {
	*httptest.Server
	now    func() time.Time
	format string // rss, atom or json

	mu        sync.Mutex
	items     []fakeItem
	next      int
	cut       bool // the next response ends in the middle
	junk      int  // junk responses to send
	junkSent  int
	refused   time.Time // until when requests are rejected
	refuseFor time.Duration
	revoked   bool
	run       int       // of the connector
	open      int       // requests of the run in flight
	last      time.Time // of the last request of the run
	violation string
	requests  int
	unchanged int                                               // responses with the status 304
	handle    func(w http.ResponseWriter, r *http.Request) bool // replaces the feed if it returns true
}

func newFakeSite(t *testing.T, now func() time.Time, format string) *fakeSite {
	s := &fakeSite{now: now, format: format}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeSite) feedURL() string { return s.URL + "/news.xml" }

func (s *fakeSite) link(id int) string { return fmt.Sprintf("%s/article/%d", s.URL, id) }

// guid returns the guid of a post.
func (s *fakeSite) guid(id int) string { return strings.Replace(s.link(id), "http:", "https:", 1) }

func (s *fakeSite) publish(n int) (guids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.next++
		s.items = slices.Insert(s.items, 0, fakeItem{
			s.next, fmt.Sprintf("Article %d", s.next), fmt.Sprintf("<p>The %s article number %d &amp; more</p>", connectortest.Word, s.next), s.now(),
		})
		guids = append(guids, s.guid(s.next))
	}
	return guids
}

func (s *fakeSite) edit(guid string) (word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.items {
		if s.guid(s.items[i].id) == guid {
			s.next++
			word = fmt.Sprintf("edited%d", s.next)
			s.items[i].text = "<p>" + connectortest.Word + " " + word + "</p>"
		}
	}
	return word
}

// forget replaces everything that was published by an item that is newer.
func (s *fakeSite) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.items = []fakeItem{{s.next, "Filler", "something else", s.now()}}
}

func (s *fakeSite) disconnect() {
	s.mu.Lock()
	s.cut = true
	s.mu.Unlock()
	s.CloseClientConnections()
}

func (s *fakeSite) refuse(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.refuseFor = s.now().Add(d), d
}

// restarted starts a new run. Requests of earlier runs, which were canceled but may arrive late, do
// not count.
func (s *fakeSite) restarted(run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.open, s.last = run, 0, time.Time{}
}

// A runTransport marks the requests of a run.
type runTransport struct {
	http.RoundTripper
	run int
}

func (t runTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Test-Run", fmt.Sprint(t.run))
	return t.RoundTripper.RoundTrip(r)
}

// countRuns makes a kind tell sites which requests belong to its last run.
func countRuns(kind *connector.Kind, sites ...*fakeSite) {
	start, run := kind.New, 0
	kind.New = func(e connector.Env) connector.Connector {
		run++
		for _, s := range sites {
			s.restarted(run)
		}
		marked := *e.HTTP
		marked.Transport = runTransport{e.HTTP.Transport, run}
		e.HTTP = &marked
		return start(e)
	}
}

func (s *fakeSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, run := s.begin(w, r)
	defer s.end(run)
	if body == nil {
		return
	}
	switch s.format {
	case "rss":
		w.Header().Set("Content-Type", "application/rss+xml; charset=utf-8")
	case "atom":
		w.Header().Set("Content-Type", "application/atom+xml")
	case "json":
		w.Header().Set("Content-Type", "application/feed+json")
	}
	if s.takeCut() {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	etag := fmt.Sprintf(`"%x"`, hashBytes(body))
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		s.mu.Lock()
		s.unchanged++
		s.mu.Unlock()
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(body)
}

// begin checks a request, and returns the feed unless it has sent another response.
func (s *fakeSite) begin(w http.ResponseWriter, r *http.Request) (feed []byte, run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.requests++
	run, _ = strconv.Atoi(r.Header.Get("Test-Run"))
	if run == s.run {
		if s.open++; s.open > 1 {
			s.violation = "two requests at the same time"
		}
		if wait := now.Sub(s.last); wait < hostGap-hostGap/20 {
			s.violation = fmt.Sprintf("a request %v after the last one", wait)
		}
		s.last = now
	}
	if !strings.HasPrefix(r.UserAgent(), "Earshot/") {
		s.violation = "the User-Agent is " + r.UserAgent()
	}
	switch {
	case s.handle != nil && s.handle(w, r):
		return nil, run
	case now.Before(s.refused):
		if s.refuseFor == 0 {
			s.violation = "a request before Retry-After has passed"
		}
		s.refuseFor = 0
		w.Header().Set("Retry-After", fmt.Sprint(int(s.refused.Sub(now)/time.Second)+1))
		w.WriteHeader(http.StatusTooManyRequests)
		return nil, run
	case s.revoked:
		w.WriteHeader(http.StatusForbidden)
		return nil, run
	case r.URL.Path != "/news.xml":
		http.NotFound(w, r)
		return nil, run
	case s.junk > 0:
		s.junk--
		s.junkSent++
		if run == s.run {
			s.open-- // the client ends the request when it has seen enough, and the site notices later
		}
		sendJunk(w, s.junkSent)
		return nil, -1
	}
	return render(s.format, s.URL, s.items), run
}

func (s *fakeSite) takeCut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	cut := s.cut
	s.cut = false
	return cut
}

func (s *fakeSite) end(run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if run == s.run {
		s.open--
	}
}

func (s *fakeSite) violated() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.violation
}

// sendJunk sends a document that is not a feed, or only nearly one.
func sendJunk(w http.ResponseWriter, kind int) {
	switch kind % 6 {
	case 0:
		fmt.Fprint(w, `<rss><channel><item><title>not closed`)
	case 1:
		fmt.Fprint(w, `<rss><channel>`)
		for range 12 << 10 {
			fmt.Fprint(w, "<item><title>", strings.Repeat("x", 1000), "</title></item>")
		}
	case 2:
		fmt.Fprint(w, "<rss><channel><item><title>\xff\xfe\x00</title></item><item/><item><pubDate>yesterday</pubDate><link>javascript:alert(1)</link></item></channel></rss>")
	case 3:
		fmt.Fprint(w, `{"error":"no"}`)
	case 4:
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom">`, strings.Repeat("<entry><x:y xmlns:x='z'>", 20_000))
	case 5:
		w.WriteHeader(http.StatusBadGateway)
	}
}

// render writes a feed.
func render(format, site string, items []fakeItem) []byte {
	var b strings.Builder
	text := func(s string) string {
		var b strings.Builder
		xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	switch format {
	case "rss":
		b.WriteString(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Fake</title><link>` + site + `</link>`)
		for _, i := range items {
			fmt.Fprintf(&b, "<item><title>%s</title><link>%s/article/%d?utm_source=rss#top</link><guid>%d</guid><description>%s</description><pubDate>%s</pubDate></item>\n",
				text(i.title), site, i.id, i.id, text(i.text), i.time.UTC().Format(time.RFC1123Z))
		}
		b.WriteString(`</channel></rss>`)
	case "atom":
		b.WriteString(`<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Fake</title><link href="` + site + `"/><id>fake</id>`)
		for _, i := range items {
			fmt.Fprintf(&b, `<entry><title>%s</title><link href="/article/%d"/><id>tag:%d</id><content type="html">%s</content><updated>%s</updated></entry>`,
				text(i.title), i.id, i.id, text(i.text), i.time.UTC().Format(time.RFC3339))
		}
		b.WriteString(`</feed>`)
	case "json":
		type item struct {
			ID      string    `json:"id"`
			URL     string    `json:"url"`
			Title   string    `json:"title"`
			Content string    `json:"content_html"`
			Date    time.Time `json:"date_published"`
		}
		feed := struct {
			Version string `json:"version"`
			Title   string `json:"title"`
			Items   []item `json:"items"`
		}{"https://jsonfeed.org/version/1.1", "Fake", []item{}}
		for _, i := range items {
			feed.Items = append(feed.Items, item{fmt.Sprint(i.id), fmt.Sprintf("%s/article/%d?fbclid=x", site, i.id), html.UnescapeString(i.title), i.text, i.time})
		}
		body, _ := json.Marshal(feed)
		b.Write(body)
	}
	return []byte(b.String())
}
