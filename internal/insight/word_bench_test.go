package insight_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// sampled is a store that has only the words of a sample.
type sampled struct {
	insight.Store
	posts     [][]poststore.Word
	requested byte
}

// Fingerprint returns a different value each time, so that no result is cached.
func (s *sampled) Fingerprint(context.Context, poststore.SetID, time.Time, time.Time) (v poststore.Fingerprint, err error) {
	s.requested++
	v[0] = s.requested
	return v, nil
}

func (s *sampled) Tallies(context.Context, poststore.Selection, []poststore.Tally) ([][]poststore.Row, error) {
	return [][]poststore.Row{{{Key: []string{"en"}, Posts: int64(len(s.posts))}}}, nil
}

func (s *sampled) Words(_ context.Context, _ poststore.Selection, _ int, visit func([]poststore.Word)) (int64, error) {
	for _, words := range s.posts {
		visit(words)
	}
	return int64(len(s.posts)), nil
}

// newSampled returns a sample of 10,000 posts of 20 words each, some frequent and most rare.
func newSampled() *sampled {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 5, 40_000)
	vocabulary := make([]string, 40_001)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("word%d", i*7919%40_001)
	}
	s := &sampled{posts: make([][]poststore.Word, 10_000)}
	for i := range s.posts {
		for range 20 {
			s.posts[i] = append(s.posts[i], poststore.Word{Text: vocabulary[zipf.Uint64()], Count: 1})
		}
	}
	return s
}

func BenchmarkWordCloud(b *testing.B) {
	s := &insight.Service{Store: newSampled(), Now: time.Now}
	for b.Loop() {
		if cloud, err := s.WordCloud(b.Context(), coffeeMonitor("coffee"), march, poststore.Selection{}, ""); err != nil || len(cloud) != 300 {
			b.Fatal(len(cloud), err)
		}
	}
}

// BenchmarkTopics measures everything except counting, because Tally returns at once.
func BenchmarkTopics(b *testing.B) {
	s := &insight.Service{Store: newSampled(), Now: time.Now}
	for b.Loop() {
		if _, err := s.Topics(b.Context(), coffeeMonitor("coffee"), march, "", 10); err != nil {
			b.Fatal(err)
		}
	}
}
