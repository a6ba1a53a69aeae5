package export

import (
	"log/slog"
	"runtime"
	"testing"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/insight"
	"earshot/internal/monitor"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
)

// BenchmarkExport exports one year of posts and reports the peak growth of the heap.
func BenchmarkExport(b *testing.B) { benchmarkExport(b, 365*24*time.Hour) }

// BenchmarkExportOfSimultaneousPosts exports as many posts, all with the same time, like those of a
// survey.
func BenchmarkExportOfSimultaneousPosts(b *testing.B) { benchmarkExport(b, time.Nanosecond) }

func benchmarkExport(b *testing.B, span time.Duration) {
	const count = 200_000
	s, m := exporter(b, count, span)
	admin := earshot.NewCaller(&earshot.User{ID: 1, Username: "ada", Permissions: []earshot.Permission{earshot.AdminPermission}})
	days := earshot.Days{Start: m.Start, End: m.Start.AddDays(366)}
	for _, format := range []string{"csv", "xlsx", "ndjson"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				file, err := s.Posts(b.Context(), admin, m, days, (&filter.Service{}).Refinement(nil, m, ""), format)
				if err != nil {
					b.Fatal(err)
				}
				w := &measured{begin: heap()}
				if err := file.Write(b.Context(), w); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(w.most)/1e6, "MB-of-heap")
				b.ReportMetric(float64(w.bytes)/1e6, "MB-written")
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

// measured discards what is written and samples the heap size.
type measured struct {
	begin, most  uint64
	bytes, piece int64
}

func (w *measured) Write(p []byte) (int, error) {
	w.bytes += int64(len(p))
	if w.piece++; w.piece%20 == 0 {
		if now := heap(); now > w.begin {
			w.most = max(w.most, now-w.begin)
		}
	}
	return len(p), nil
}

// exporter returns a monitor that matches every post.
func exporter(b *testing.B, count int, span time.Duration) (*Service, *earshot.Monitor) {
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
	monitors := &monitor.Service{Catalog: c, Now: time.Now}
	return &Service{
		Insight: &insight.Service{Store: store, Now: time.Now}, Monitors: monitors,
		Views: &postview.Service{Monitors: monitors, Marks: &mark.Service{Catalog: c}},
	}, m
}
