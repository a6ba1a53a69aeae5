package manage_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/http/manage"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/monitor"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// BenchmarkExport exports one year of posts and reports the peak growth of the heap.
func BenchmarkExport(b *testing.B) { benchmarkExport(b, 365*24*time.Hour) }

// BenchmarkExportOfSimultaneousPosts exports as many posts, all with the same time, like those of a
// survey.
func BenchmarkExportOfSimultaneousPosts(b *testing.B) { benchmarkExport(b, time.Nanosecond) }

func benchmarkExport(b *testing.B, span time.Duration) {
	const count = 200_000
	h := exporter(b, count, span)
	for _, query := range []string{"?format=csv", "?format=ndjson", "?format=csv&filter=keywords:the"} {
		b.Run(query, func(b *testing.B) {
			request := httptest.NewRequest("GET", "/manage/v1/monitors/2147483700/export"+query+"&auth=t&start=2024-03-01&end=2025-03-01", nil)
			for b.Loop() {
				w := &measured{header: http.Header{}, begin: heap()}
				h.ServeHTTP(w, request)
				b.ReportMetric(float64(w.most)/1e6, "MB-of-heap")
				b.ReportMetric(float64(w.bytes)/1e6, "MB-sent")
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// measured is a response writer that discards everything and samples the heap size.
type measured struct {
	header       http.Header
	begin, most  uint64
	bytes, piece int64
}

func (w *measured) Header() http.Header { return w.header }
func (w *measured) WriteHeader(int)     {}
func (w *measured) Write(p []byte) (int, error) {
	w.bytes += int64(len(p))
	if w.piece++; w.piece%200 == 0 {
		if now := heap(); now > w.begin {
			w.most = max(w.most, now-w.begin)
		}
	}
	return len(p), nil
}

// exporter serves one monitor that matches every post.
func exporter(b *testing.B, count int, span time.Duration) http.Handler {
	sample, err := bench.NewSample("")
	if err != nil {
		b.Fatal(err)
	}
	store, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	from := time.Date(2024, time.March, 1, 5, 0, 0, 0, time.UTC) // midnight in New York
	g := bench.Generator{Sample: sample, Seed: 1, Count: count, From: from, Span: span}
	const id = earshot.MonitorID(earshot.FirstID + 51)
	at := earshot.Position(0)
	for posts := range g.Batches(1000) {
		matched := make([]poststore.MatchedPost, len(posts))
		for i := range posts {
			matched[i] = poststore.MatchedPost{Post: posts[i], Sets: []poststore.SetID{poststore.MonitorSet(id)}}
		}
		at++
		if err := store.Append(b.Context(), at, matched); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	c, err := catalog.Open(b.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	m := &earshot.Monitor{ID: id, Type: earshot.Buzz, Enabled: true, Timezone: "America/New_York", Start: earshot.DateOf(from)}
	if err := c.Monitors.Add(b.Context(), id, m); err != nil {
		b.Fatal(err)
	}
	a := &manage.API{
		Monitors: &monitor.Service{Catalog: c, Now: time.Now}, Insight: &insight.Service{Store: store, Now: time.Now}, Now: time.Now,
		Posts: &postview.Service{}, Cards: &card.Service{Monitors: &monitor.Service{Catalog: c}, Now: time.Now},
	}
	return rest.New(rest.Options{Authenticate: func(context.Context, string) (*earshot.Caller, error) {
		return earshot.NewCaller(&earshot.User{ID: 1, Username: "ada", Permissions: []earshot.Permission{earshot.AdminPermission}}), nil
	}}, a.Routes())
}
