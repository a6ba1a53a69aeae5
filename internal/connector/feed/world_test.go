package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
	"earshot/internal/state/kv"
)

// A world is a network in memory, and a source that reads it. It runs on the virtual time of
// synctest, so a day takes milliseconds. It fails the test if a host gets two requests at the same
// time, or less than hostGap apart.
type world struct {
	t        *testing.T
	settings connector.Settings
	store    kv.Store
	sink     *testSink

	mu    sync.Mutex
	hosts map[string]http.HandlerFunc
	open  map[string]bool
	last  map[string]time.Time
	log   []string // requests: "host/path"
	stop  func() error
}

// newWorld must be called in a synctest bubble.
func newWorld(t *testing.T, settings connector.Settings) *world {
	w := &world{
		t: t, settings: settings, store: kv.NewMemory(), sink: newTestSink(),
		hosts: map[string]http.HandlerFunc{}, open: map[string]bool{}, last: map[string]time.Time{},
	}
	t.Cleanup(func() { w.end() })
	return w
}

func (w *world) env() connector.Env {
	settings := connector.Settings{}
	for _, s := range Kind().Settings {
		settings[s.Name] = s.Default
	}
	maps.Copy(settings, w.settings)
	return connector.Env{
		Source: &earshot.LiveSource{ID: 7}, Settings: settings, Store: w.store,
		HTTP: &http.Client{Transport: w}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Wait: func(ctx context.Context, d time.Duration) error {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-timer.C:
				return nil
			}
		},
	}
}

// RoundTrip sends a request to the handler of its host.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Host
	w.mu.Lock()
	handler := w.hosts[host]
	w.log = append(w.log, host+r.URL.RequestURI())
	if w.open[host] {
		w.t.Errorf("%s got two requests at the same time", host)
	}
	if last, ok := w.last[host]; ok && time.Since(last) < hostGap {
		w.t.Errorf("%s got a request %v after the last one", host, time.Since(last))
	}
	w.open[host] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.open[host], w.last[host] = false, time.Now()
	}()
	if handler == nil {
		return nil, &fetch.NameError{Host: host}
	}
	rec := httptest.NewRecorder()
	handler(rec, r)
	resp := rec.Result()
	resp.Request = r
	if rec.Body.Len() == 0 && resp.Header.Get("Test-Body") == "slow" {
		resp.Body = io.NopCloser(slowBody{r.Context()})
	}
	return resp, r.Context().Err()
}

// A slowBody never ends.
type slowBody struct{ ctx context.Context }

func (b slowBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

// start runs the source until end is called, or until it returns an error.
func (w *world) start() {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- Kind().New(w.env()).Run(ctx, "", w.sink) }()
	w.stop = func() error {
		cancel()
		return <-done
	}
}

// end stops the source and returns its error.
func (w *world) end() error {
	if w.stop == nil {
		return nil
	}
	err := w.stop()
	w.stop = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.last)
	return err
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	<-time.After(d)
	synctest.Wait()
}

// requests returns the requests since the last call, and forgets them.
func (w *world) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.log
	w.log = nil
	return log
}

// expect fails the test if the requests since the last call were not these.
func (w *world) expect(want ...string) {
	w.t.Helper()
	if got := w.requests(); !slices.Equal(got, want) {
		w.t.Errorf("got the requests %q\nwant %q", got, want)
	}
}

// site makes a host answer requests for a path with a feed of items. It returns a function that
// replaces them.
func (w *world) site(host, path string, items ...string) func(items ...string) {
	body := rssOf(items...)
	w.handle(host, path, func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		etag := fmt.Sprintf(`"%x"`, hashBytes(body))
		rw.Header().Set("ETag", etag)
		rw.Header().Set("Last-Modified", "Mon, 16 Nov 2026 12:00:00 GMT")
		if r.Header.Get("If-None-Match") == etag && r.Header.Get("If-Modified-Since") == "Mon, 16 Nov 2026 12:00:00 GMT" {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Write(body)
	})
	return func(items ...string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		body = rssOf(items...)
	}
}

func rssOf(items ...string) []byte {
	var b bytes.Buffer
	b.WriteString("<rss><channel>")
	for _, item := range items {
		b.WriteString("<item>" + item + "</item>")
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// article returns an item with a link, a date and a text.
func article(link string, at time.Time, text string) string {
	return fmt.Sprintf("<link>%s</link><title>%s</title><pubDate>%s</pubDate>", link, text, at.UTC().Format(time.RFC1123))
}

// handler returns the handler of a host.
func (w *world) handler(host string) http.HandlerFunc {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hosts[host]
}

// handle sets the handler of a path. A path of "" is for all other paths.
func (w *world) handle(host, path string, handler http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	previous := w.hosts[host]
	w.hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case path == "" || r.URL.Path == path:
			handler(rw, r)
		case previous != nil:
			previous(rw, r)
		default:
			rw.WriteHeader(http.StatusNotFound)
		}
	}
}

// answer answers all requests with a status and headers.
func answer(code int, headers ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			rw.Header().Set(name, value)
		}
		rw.WriteHeader(code)
	}
}

// delivered is what a source has delivered.
type delivered struct {
	posts    map[string]earshot.Post // by guid
	versions int                     // of posts
	batches  []int                   // number of posts
	state    connector.State
	gaps     []connector.Gap
	count    connector.Counters
}

// A testSink keeps what a source delivers.
type testSink struct {
	mu        sync.Mutex
	delivered       // guarded by mu
	fail      error // of Deliver
	discard   bool  // keep no posts
	onDeliver func()
}

func newTestSink() *testSink {
	return &testSink{delivered: delivered{posts: map[string]earshot.Post{}}}
}

func (s *testSink) snapshot() delivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.delivered
	d.posts, d.batches, d.gaps = maps.Clone(d.posts), slices.Clone(d.batches), slices.Clone(d.gaps)
	d.count.Skipped = maps.Clone(d.count.Skipped)
	return d
}

func (s *testSink) Select(_ context.Context, posts []earshot.Post) []earshot.Post { return posts }

func (s *testSink) Deliver(_ context.Context, b connector.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	size := 0
	for i := range b.Posts {
		size += sizeOf(&b.Posts[i])
	}
	if len(b.Posts) == 0 || len(b.Posts) > maxBatch || size > batchBytes && len(b.Posts) > 1 {
		return fmt.Errorf("a batch has %d posts and %d bytes", len(b.Posts), size)
	}
	if s.onDeliver != nil {
		s.onDeliver()
	}
	s.batches = append(s.batches, len(b.Posts))
	s.versions += len(b.Posts)
	if s.discard {
		return nil
	}
	for _, p := range b.Posts {
		s.posts[p.GUID] = p
	}
	return nil
}

func (s *testSink) Report(state connector.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

func (s *testSink) Count(c connector.Counters) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Add(c)
}

func (s *testSink) Gap(_ context.Context, g connector.Gap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps = append(s.gaps, g)
	return nil
}

// titles returns the titles of the posts, sorted.
func (s *testSink) titles() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var titles []string
	for _, p := range s.posts {
		titles = append(titles, p.Title)
	}
	slices.Sort(titles)
	return titles
}

func (s *testSink) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := s.titles(); !slices.Equal(got, want) {
		t.Errorf("got the posts %q, want %q", got, want)
	}
}

func (s *testSink) expectState(t *testing.T, phase connector.Phase, reason string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Phase != phase || s.state.Reason != reason {
		t.Errorf("got the state %+v\nwant %s, %q", s.state, phase, reason)
	}
}

var errDisk = errors.New("the disk is full")
