package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"earshot/internal/pipeline"
)

// A metricSet is what /metrics shows, in Prometheus' text format.
type metricSet struct{ set *metrics.Set }

func (a *App) newMetrics() *metricSet {
	set := metrics.NewSet()
	set.NewGauge("earshot_posts_processed_total", func() float64 {
		posts, _ := a.pipeline.Processed()
		return float64(posts)
	})
	set.NewGauge("earshot_journal_pending", func() float64 { return a.gauge(a.pending) })
	set.NewGauge("earshot_dead_letters", func() float64 { return a.gauge(a.deadLetters) })
	set.NewGauge("earshot_posts_stored", func() float64 { return a.gauge(a.stored) })
	set.NewGauge("earshot_segments_set_aside", func() float64 { return a.gauge(a.setAside) })
	set.NewGauge("earshot_streams_pending", func() float64 { return float64(a.Streams.Lag()) })
	set.NewGauge("earshot_streams_bytes", func() float64 { return a.gauge(a.streamBytes) })
	set.NewGauge("earshot_ready", func() float64 {
		if a.ready.Load() {
			return 1
		}
		return 0
	})
	return &metricSet{set}
}

// gauge reads a figure, within a second; -1 when it cannot be had.
func (a *App) gauge(read func(context.Context) (int64, error)) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, err := read(ctx)
	if err != nil {
		return -1
	}
	return float64(n)
}

func (a *App) pending(ctx context.Context) (int64, error) {
	return a.Journal.Pending(ctx, pipeline.Consumer)
}

func (a *App) deadLetters(ctx context.Context) (int64, error) {
	letters, err := a.Journal.DeadLetters(ctx)
	return letters.Count, err
}

func (a *App) setAside(ctx context.Context) (int64, error) {
	stats, err := a.posts.Stats(ctx)
	return int64(len(stats.SetAside)), err
}

func (a *App) streamBytes(ctx context.Context) (int64, error) {
	stats, err := a.feed.Stats(ctx)
	return stats.Bytes, err
}

func (a *App) stored(ctx context.Context) (int64, error) {
	stats, err := a.posts.Stats(ctx)
	return stats.Posts, err
}

// observe counts a request under its route, never under its path: paths carry ids.
func (m *metricSet) observe(route, method string, status int, d time.Duration) {
	labels := fmt.Sprintf(`{route=%q,method=%q,status="%d"}`, route, method, status)
	m.set.GetOrCreateCounter("earshot_http_requests_total" + labels).Inc()
	m.set.GetOrCreateSummary(fmt.Sprintf(`earshot_http_request_seconds{route=%q}`, route)).Update(d.Seconds())
}

func (m *metricSet) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
