package jetstream_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
)

// BenchmarkAcknowledgmentLog measures what the log of acknowledged messages costs. It writes to two
// servers, one without the log, in alternating blocks, so that both see the same disk. It reports
// the median latency of each in microseconds, and how much longer writes with the log take: by the
// median (latency) and by the total (throughput).
func BenchmarkAcknowledgmentLog(b *testing.B) {
	small, _ := upload(1)
	large, _ := upload(1000)
	for _, bench := range []struct {
		name    string
		writers int
		write   func(ctx context.Context, s *server, n int) error
	}{
		{"1 post", 1, func(ctx context.Context, s *server, _ int) error { _, err := s.journal.Append(ctx, small); return err }},
		{"1 post, 16 writers", 16, func(ctx context.Context, s *server, _ int) error { _, err := s.journal.Append(ctx, small); return err }},
		{"1,000 posts", 1, func(ctx context.Context, s *server, _ int) error { _, err := s.journal.Append(ctx, large); return err }},
		{"catalog", 1, func(ctx context.Context, s *server, n int) error {
			_, err := s.catalog.Set(ctx, fmt.Sprintf("monitor.%d", n%100), []byte(`{"Name":"Coffee","Keywords":"coffee OR espresso"}`))
			return err
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			with, without := openServer(b, false), openServer(b, true)
			for i := 0; b.Loop(); i++ {
				servers := []*server{with, without}
				if i%2 == 1 {
					slices.Reverse(servers)
				}
				for _, s := range servers {
					s.block(b, bench.writers, bench.write)
				}
			}
			median := func(s *server) float64 {
				slices.Sort(s.latencies)
				return float64(s.latencies[len(s.latencies)/2].Nanoseconds()) / 1e3
			}
			b.ReportMetric(median(without), "µs-without")
			b.ReportMetric(median(with), "µs-with")
			b.ReportMetric(100*(median(with)/median(without)-1), "%-latency")
			b.ReportMetric(100*(with.total.Seconds()/without.total.Seconds()-1), "%-throughput")
		})
	}
}

// A server has a journal and a bucket on disk.
type server struct {
	journal *jetstream.Journal
	catalog *natsnode.Bucket

	mu        sync.Mutex
	latencies []time.Duration // guarded by mu
	total     time.Duration
}

func openServer(b *testing.B, noLog bool) *server {
	b.Helper()
	node, err := natsnode.Open(b.Context(), natsnode.Options{Dir: b.TempDir(), NoAcknowledgmentLog: noLog})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(node.Close)
	s := &server{}
	if s.journal, err = jetstream.Open(b.Context(), node, jetstream.Options{}); err != nil {
		b.Fatal(err)
	}
	if s.catalog, err = natsnode.OpenBucket(b.Context(), node, natsnode.BucketOptions{Name: "catalog"}); err != nil {
		b.Fatal(err)
	}
	return s
}

// block makes ten writes in each of several goroutines.
func (s *server) block(b *testing.B, writers int, write func(ctx context.Context, s *server, n int) error) {
	began := time.Now()
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for i := range 10 {
				start := time.Now()
				if err := write(b.Context(), s, i); err != nil {
					b.Error(err)
				}
				took := time.Since(start)
				s.mu.Lock()
				s.latencies = append(s.latencies, took)
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	s.total += time.Since(began)
}
