package local_test

import (
	"os"
	"testing"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// batches returns posts of a day, a thousand in each batch.
func batches(b *testing.B, count int) (all [][]poststore.Matched) {
	b.Helper()
	file := "../../../../shared/data/posts/twitter_posts.jsonl.gz"
	if _, err := os.Stat(file); err != nil {
		file = "" // generated texts will do
	}
	sample, err := bench.NewSample(file)
	if err != nil {
		b.Fatal(err)
	}
	g := bench.Generator{Sample: sample, Seed: 1, Count: count, From: time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC), Span: 24 * time.Hour}
	for posts := range g.Batches(1000) {
		var batch []poststore.Matched
		for i, p := range posts {
			batch = append(batch, poststore.Matched{Post: p, Monitors: []earshot.MonitorID{1, earshot.MonitorID(2 + i%1000)}})
		}
		all = append(all, batch)
	}
	return all
}

// BenchmarkAppend takes posts in until they are flushed and synced.
func BenchmarkAppend(b *testing.B) {
	const count = 200_000
	all := batches(b, count)
	for b.Loop() {
		s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		for i, batch := range all {
			if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "posts/s")
}

// BenchmarkRevise writes posts again that models tell next to nothing of: it is what a
// revision takes besides the models.
func BenchmarkRevise(b *testing.B) {
	const count = 100_000
	s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i, batch := range batches(b, count) {
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	models := uint32(0)
	for b.Loop() {
		models++
		err := s.Revise(b.Context(), poststore.Revision{Models: models, Revise: func(posts []earshot.Post) {
			for i := range posts {
				posts[i].Models = models
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "posts/s")
}
