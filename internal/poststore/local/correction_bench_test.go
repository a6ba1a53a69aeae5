package local_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// BenchmarkCorrections counts a year of a monitor with a thousand posts per day, some of them
// corrected: all tallies of an overview in one pass, the sentiments of each day from the day cache,
// the same after one more correction, and the negative posts.
func BenchmarkCorrections(b *testing.B) {
	const days, perDay = 365, 1000
	s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var keys []earshot.PostKey
	for i, batch := range batchesOver(b, days*perDay, days*24*time.Hour) {
		for n := range batch {
			p := &batch[n].Post
			p.Sentiment, p.Emotion = earshot.Sentiment{}, earshot.Emotion{}
			p.Sentiment[n%3], p.Emotion[n%7] = 100, 100
			keys = append(keys, p.Key())
		}
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	correct := func(n int) *poststore.Corrections {
		all := map[earshot.PostKey]poststore.Correction{}
		for i := range n {
			all[keys[i*len(keys)/n]] = poststore.Correction{Sentiment: 3}
		}
		return poststore.NewCorrections(all)
	}
	starts := make([]time.Time, days+1)
	for day := range starts {
		starts[day] = benchStart.AddDate(0, 0, day)
	}
	by := func(dims ...poststore.Dim) poststore.Tally { return poststore.Tally{By: dims} }
	overview := []poststore.Tally{
		{}, by(poststore.ByDay), by(poststore.ByDay, poststore.ByEmotion), by(poststore.ByDay, poststore.BySentiment),
		by(poststore.BySource), by(poststore.ByLanguage), by(poststore.ByCountry), by(poststore.ByAge), by(poststore.ByGender), by(poststore.ByClock),
		{By: []poststore.Dim{poststore.BySite}, Top: 50}, {By: []poststore.Dim{poststore.ByHashtag}, Top: 50},
		{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Impressions}, Top: 50, TopSum: 50},
	}
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range []int{0, 1000, 20_000} {
		of := poststore.Selection{Set: 1, From: starts[0], To: starts[days], Corrections: correct(n)}
		b.Run(fmt.Sprintf("%d/overview", n), func(b *testing.B) {
			for b.Loop() {
				_, err := s.Tallies(b.Context(), of, overview)
				check(err)
			}
		})
		b.Run(fmt.Sprintf("%d/days", n), func(b *testing.B) {
			for b.Loop() {
				_, err := s.Days(b.Context(), of, starts, []poststore.Tally{by(poststore.BySentiment)})
				check(err)
			}
		})
		b.Run(fmt.Sprintf("%d/negative", n), func(b *testing.B) {
			negative := of
			negative.Having = []poststore.Having{{By: poststore.BySentiment, Keys: []string{"Basic Negative"}}}
			for b.Loop() {
				_, _, err := s.Posts(b.Context(), negative, 50)
				check(err)
			}
		})
		if n == 0 {
			continue
		}
		b.Run(fmt.Sprintf("%d/days after another correction", n), func(b *testing.B) {
			all := map[earshot.PostKey]poststore.Correction{}
			for i := range n {
				all[keys[i*len(keys)/n]] = poststore.Correction{Sentiment: 3}
			}
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				all[keys[1+i%1000]] = poststore.Correction{Sentiment: uint8(1 + i/1000%3)}
				b.StartTimer()
				of.Corrections = poststore.NewCorrections(all)
				_, err := s.Days(b.Context(), of, starts, []poststore.Tally{by(poststore.BySentiment)})
				check(err)
			}
		})
	}
}
