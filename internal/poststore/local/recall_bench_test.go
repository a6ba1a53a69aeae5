package local_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// recallPosts is the number of posts in the benchmarks of this file, all in one monitor.
const recallPosts = 300_000

// BenchmarkRecall measures words, posts by key, and Changed over a year.
func BenchmarkRecall(b *testing.B) {
	file := "../../../../shared/data/posts/twitter_posts.jsonl.gz"
	if _, err := os.Stat(file); err != nil {
		file = "" // fall back to generated texts
	}
	sample, err := bench.NewSample(file)
	if err != nil {
		b.Fatal(err)
	}
	s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	from := time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC)
	var keys []earshot.PostKey
	at := earshot.Position(0)
	g := bench.Generator{Sample: sample, Seed: 1, Count: recallPosts, From: from, Span: 365 * 24 * time.Hour}
	for posts := range g.Batches(5000) {
		batch := make([]poststore.MatchedPost, len(posts))
		for i, p := range posts {
			batch[i] = poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1}}
		}
		keys = append(keys, posts[len(keys)%len(posts)].Key())
		at++
		if err := s.Append(b.Context(), at, batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Run("words of 10000", func(b *testing.B) {
		for b.Loop() {
			words := 0
			n, err := s.Words(b.Context(), poststore.Selection{Set: 1}, 10_000, func(w []poststore.Word) { words += len(w) })
			if err != nil || n != recallPosts {
				b.Fatal(n, err)
			}
			b.ReportMetric(float64(words)/10_000, "words/post")
		}
	})
	b.Run(fmt.Sprintf("find %d", len(keys)), func(b *testing.B) {
		for b.Loop() {
			posts, err := s.Find(b.Context(), keys)
			if err != nil || len(posts) != len(keys) {
				b.Fatal(len(posts), err)
			}
		}
	})
	b.Run("find 5000 missing", func(b *testing.B) {
		none := make([]earshot.PostKey, 5000)
		for i := range none {
			none[i] = earshot.PostKey{Source: earshot.Twitter, GUID: fmt.Sprint("none", i)}
		}
		for b.Loop() {
			if posts, err := s.Find(b.Context(), none); err != nil || len(posts) > 0 {
				b.Fatal(len(posts), err)
			}
		}
	})
	var days []time.Time
	for day := range 366 {
		days = append(days, from.AddDate(0, 0, day))
	}
	b.Run("changed in 365 days", func(b *testing.B) {
		for b.Loop() {
			changed, err := s.Changed(b.Context(), 1, days)
			if err != nil || changed[364].IsZero() {
				b.Fatal(changed, err)
			}
		}
	})
	b.Run("changed in 365 days without posts", func(b *testing.B) {
		for b.Loop() {
			changed, err := s.Changed(b.Context(), 2, days)
			if err != nil || !changed[364].IsZero() {
				b.Fatal(changed, err)
			}
		}
	})
}
