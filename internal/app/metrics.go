package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"earshot/internal/picture"
)

// gaugeTimeout is the maximum time to read a gauge, so one that hangs does not block a scrape. Such
// a gauge reports -1.
const gaugeTimeout = time.Second

// A metricSet contains the metrics of /metrics.
type metricSet struct {
	set   *metrics.Set
	store *metrics.Set // requests to ClickHouse
	more  []metricWriter
}

// A metricWriter writes metrics whose labels change.
type metricWriter interface{ WriteMetrics(w io.Writer) }

func (a *App) newMetrics() *metricSet {
	set := metrics.NewSet()
	gauge := func(name string, read func(ctx context.Context) (int64, error)) {
		set.NewGauge(name, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), gaugeTimeout)
			defer cancel()
			n, err := read(ctx)
			if err != nil {
				return -1
			}
			return float64(n)
		})
	}
	gauge("earshot_posts_processed_total", func(context.Context) (int64, error) {
		posts, _ := a.pipeline.Processed()
		return posts, nil
	})
	gauge("earshot_posts_of_erased_authors_total", func(context.Context) (int64, error) { return a.Erasure.Skipped(), nil })
	gauge("earshot_journal_pending", a.pending)
	gauge("earshot_dead_letters", func(ctx context.Context) (int64, error) {
		letters, err := a.Journal.DeadLetters(ctx)
		return letters.Count, err
	})
	gauge("earshot_posts_stored", func(ctx context.Context) (int64, error) {
		stats, err := a.posts.Stats(ctx)
		return stats.Posts, err
	})
	gauge("earshot_segments_set_aside", func(ctx context.Context) (int64, error) {
		stats, err := a.posts.Stats(ctx)
		return int64(len(stats.Quarantined)), err
	})
	set.NewGauge("earshot_damage_findings", func() float64 { return float64(len(a.scrub.Report().Findings)) })
	set.NewGauge("earshot_scrub_bytes_total", func() float64 { return float64(a.scrub.Bytes()) })
	set.NewGauge("earshot_scrub_last_success_timestamp_seconds", func() float64 {
		if finished := a.scrub.Report().LastFinished; !finished.IsZero() {
			return float64(finished.Unix())
		}
		return 0
	})
	gauge("earshot_streams_pending", a.streamsLag)
	gauge("earshot_streams_bytes", func(ctx context.Context) (int64, error) {
		stats, err := a.feed.Stats(ctx)
		return stats.Bytes, err
	})
	for name, value := range map[string]func(picture.Stats) int64{
		"earshot_pictures_waiting":             func(s picture.Stats) int64 { return int64(s.Waiting) },
		"earshot_pictures_oldest_seconds":      func(s picture.Stats) int64 { return int64(s.Oldest.Seconds()) },
		"earshot_pictures_looked_total":        func(s picture.Stats) int64 { return s.Looked },
		"earshot_pictures_cached_total":        func(s picture.Stats) int64 { return s.Cached },
		"earshot_pictures_failed_total":        func(s picture.Stats) int64 { return s.Failed },
		"earshot_pictures_fetched_bytes_total": func(s picture.Stats) int64 { return s.FetchedBytes },
		"earshot_pictures_thumbnail_bytes":     func(s picture.Stats) int64 { return s.ThumbnailSize },
	} {
		gauge(name, func(context.Context) (int64, error) { return value(a.Pictures.Stats()), nil })
	}
	if a.looks != nil {
		gauge("earshot_second_looks_total", func(context.Context) (int64, error) { return a.looks.Looked(), nil })
	}
	gauge("earshot_ready", func(context.Context) (int64, error) {
		if a.ready.Load() {
			return 1, nil
		}
		return 0, nil
	})
	return &metricSet{set, a.storeRequests, []metricWriter{a.Sources, a.Deliveries, a.cluster}}
}

// observe counts a request by its route, not by its path, because paths contain IDs.
func (m *metricSet) observe(route, method string, status int, d time.Duration) {
	labels := fmt.Sprintf(`{route=%q,method=%q,status="%d"}`, route, method, status)
	m.set.GetOrCreateCounter("earshot_http_requests_total" + labels).Inc()
	m.set.GetOrCreateSummary(fmt.Sprintf(`earshot_http_request_seconds{route=%q}`, route)).Update(d.Seconds())
}

func (m *metricSet) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	m.store.WritePrometheus(w)
	for _, part := range m.more {
		part.WriteMetrics(w)
	}
	metrics.WriteProcessMetrics(w)
}
