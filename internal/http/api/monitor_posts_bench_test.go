package api_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/http/api"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/model/enrich"
	"earshot/internal/monitor"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/workspace/postview"
)

// BenchmarkPosts measures /api/monitor/posts?extendLimit=true: it finds, reads, excerpts and sends
// 10,000 of 200,000 posts. With -cpu 1 it measures the time on one core.
func BenchmarkPosts(b *testing.B) {
	store, days := filledStore(b, 200_000)
	b.Run("restricted", func(b *testing.B) { benchPosts(b, store, days, earshot.Twitter) })
	b.Run("all shown", func(b *testing.B) { benchPosts(b, store, days) })
}

func benchPosts(b *testing.B, store insight.Store, days earshot.Days, restricted ...earshot.Source) {
	h := handler(b, store, days.Start, restricted)
	request := httptest.NewRequest("GET", "/api/monitor/posts?auth=t&id=2147483700&extendLimit=true&start="+days.Start.String()+"&end="+days.End.String(), nil)
	var w counter
	for b.Loop() {
		w = counter{header: http.Header{}}
		h.ServeHTTP(&w, request)
		if w.status != http.StatusOK {
			b.Fatalf("got status %d", w.status)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10_000, "µs/post")
	b.ReportMetric(float64(w.bytes)/10_000, "bytes/post")
}

// A counter is a response writer that counts and discards what is written.
type counter struct {
	header http.Header
	status int
	bytes  int64
}

func (w *counter) Header() http.Header    { return w.header }
func (w *counter) WriteHeader(status int) { w.status = status }
func (w *counter) Write(p []byte) (int, error) {
	w.bytes += int64(len(p))
	return len(p), nil
}

// handler serves one monitor that matches every post.
func handler(b *testing.B, store insight.Store, start earshot.Date, restricted []earshot.Source) http.Handler {
	monitors, err := catalog.Open(b.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(monitors.Close)
	m := &earshot.Monitor{ID: earshot.FirstID + 51, Type: earshot.Buzz, Enabled: true, Timezone: "America/New_York", Start: start}
	for i, name := range earshot.BasicCategories {
		m.Categories = append(m.Categories, earshot.Category{ID: earshot.FirstID + 60 + earshot.CategoryID(i), Name: name})
	}
	for i, name := range earshot.BasicEmotions {
		m.Emotions = append(m.Emotions, earshot.Category{ID: earshot.FirstID + 70 + earshot.CategoryID(i), Name: name})
	}
	if err := monitors.Monitors.Add(b.Context(), m.ID, m); err != nil {
		b.Fatal(err)
	}
	service := &monitor.Service{Catalog: monitors, Now: time.Now}
	a := &api.API{
		Monitors: service,
		Insight:  &insight.Service{Store: store, Now: time.Now},
		Posts:    &postview.Service{Monitors: service, Restricted: restricted},
		Now:      time.Now,
	}
	return rest.New(rest.Options{Authenticate: func(context.Context, string) (*earshot.Caller, error) {
		return earshot.NewCaller(&earshot.User{ID: 1, Username: "ada", Permissions: []earshot.Permission{earshot.AdminPermission}}), nil
	}}, a.Routes())
}

// filledStore returns a store with one year of posts that all match the monitor, with their
// inferred attributes.
func filledStore(b *testing.B, count int) (*local.Store, earshot.Days) {
	b.Helper()
	file := "../../../../shared/data/posts/twitter_posts.jsonl.gz"
	if _, err := os.Stat(file); err != nil {
		file = "" // generated texts are good enough
	}
	sample, err := bench.NewSample(file)
	if err != nil {
		b.Fatal(err)
	}
	store, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	g := bench.Generator{Sample: sample, Seed: 1, Count: count, From: time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC), Span: 365 * 24 * time.Hour}
	models, at := enrich.New(), earshot.Position(0)
	for posts := range g.Batches(1000) {
		models.All(posts)
		batch := make([]poststore.MatchedPost, len(posts))
		for i, p := range posts {
			batch[i] = poststore.MatchedPost{Post: p, Sets: []poststore.SetID{earshot.FirstID + 51}}
		}
		at++
		if err := store.Append(b.Context(), at, batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	return store, earshot.Days{Start: earshot.DateOf(g.From), End: earshot.DateOf(g.End()).AddDays(1)}
}
