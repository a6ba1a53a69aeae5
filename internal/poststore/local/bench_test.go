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

// batches returns the posts of one day in batches of a thousand.
func batches(b *testing.B, count int) [][]poststore.MatchedPost {
	return batchesOver(b, count, 24*time.Hour)
}

// batchesOver returns posts of a time span in batches of a thousand.
func batchesOver(b *testing.B, count int, span time.Duration) (all [][]poststore.MatchedPost) {
	b.Helper()
	file := "../../../../shared/data/posts/twitter_posts.jsonl.gz"
	if _, err := os.Stat(file); err != nil {
		file = "" // fall back to generated texts
	}
	sample, err := bench.NewSample(file)
	if err != nil {
		b.Fatal(err)
	}
	g := bench.Generator{Sample: sample, Seed: 1, Count: count, From: benchStart, Span: span}
	for posts := range g.Batches(1000) {
		var batch []poststore.MatchedPost
		for i, p := range posts {
			batch = append(batch, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1, poststore.SetID(2 + i%1000)}})
		}
		all = append(all, batch)
	}
	return all
}

var benchStart = time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC)

// BenchmarkAppend measures appending posts until they are flushed and synced.
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

// BenchmarkReinfer measures Reinfer without the cost of models: Infer only updates the model
// version.
func BenchmarkReinfer(b *testing.B) {
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
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	models := uint32(0)
	for b.Loop() {
		models++
		err := s.Reinfer(b.Context(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
			for i := range posts {
				posts[i].InferredBy = models
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "posts/s")
}

// BenchmarkDays queries days of a monitor with a thousand posts per day. Warm results come from
// memory, results after a restart come from disk, and narrowed ones are counted.
func BenchmarkDays(b *testing.B) {
	const year = 365
	dir := b.TempDir()
	s, err := local.Open(b.Context(), local.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { s.Close() }()
	for i, batch := range batchesOver(b, year*1000, year*24*time.Hour) {
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	ask := func(b *testing.B, of poststore.Selection, days int, ts []poststore.Tally) {
		starts := make([]time.Time, days+1)
		for day := range starts {
			starts[day] = benchStart.AddDate(0, 0, year-days+day)
		}
		if _, err := s.Days(b.Context(), of, starts, ts); err != nil {
			b.Fatal(err)
		}
	}
	restart := func(b *testing.B) {
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		if s, err = local.Open(b.Context(), local.Options{Dir: dir}); err != nil {
			b.Fatal(err)
		}
	}
	bench := func(name string, of poststore.Selection, days int, ts ...poststore.Tally) {
		b.Run(name, func(b *testing.B) {
			ask(b, of, days, ts)
			for b.Loop() {
				ask(b, of, days, ts)
			}
		})
	}
	benchRestarted := func(name string, of poststore.Selection, days int, ts ...poststore.Tally) {
		b.Run(name, func(b *testing.B) {
			ask(b, of, days, ts)
			for b.Loop() {
				b.StopTimer()
				restart(b)
				b.StartTimer()
				ask(b, of, days, ts)
			}
		})
	}
	few := []poststore.Tally{{By: []poststore.Dim{poststore.BySource}}, {By: []poststore.Dim{poststore.BySentiment}}, {By: []poststore.Dim{poststore.ByLanguage}, Top: 8}}
	many := poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Top: 100, Sum: []poststore.Measure{poststore.Impressions}}
	all := poststore.Selection{Set: 1}
	bench("30 days, 3 tallies/warm", all, 30, few...)
	bench("365 days, 3 tallies/warm", all, year, few...)
	bench("365 days, 100 rows/warm", all, year, many)
	benchRestarted("365 days, 3 tallies/after a restart", all, year, few...)
	benchRestarted("365 days, 100 rows/after a restart", all, year, many)
	bench("365 days, 3 tallies/narrowed", poststore.Selection{Set: 1, Geotagged: true}, year, few...)
	b.Run("365 days, 3 tallies/fingerprint", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Fingerprint(b.Context(), 1, benchStart, benchStart.AddDate(0, 0, year)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
