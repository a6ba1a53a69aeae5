package local_test

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// BenchmarkRank ranks and groups 300,000 posts of a year.
func BenchmarkRank(b *testing.B) {
	s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i, batch := range batchesOver(b, recallPosts, 365*24*time.Hour) {
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	for name, r := range map[string]poststore.Ranking{
		"engagement": {Order: poststore.MostEngagement},
		"oldest":     {Order: poststore.OldestFirst},
		"relevance":  {Order: poststore.MostRelevant, Terms: []string{"coffee", "love", "day"}},
		"groups":     {Order: poststore.MostEngagement, Group: true},
	} {
		r.Limit = 50
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ranked, err := s.Rank(b.Context(), poststore.Selection{Set: 1}, r)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(ranked.Groups), "groups")
			}
		})
	}
	b.Run("sample", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Sample(b.Context(), poststore.Selection{Set: 1}, 10_000, func(*earshot.Post) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
