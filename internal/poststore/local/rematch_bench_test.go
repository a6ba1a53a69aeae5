package local_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// sortedSets returns the sets of six categories: the assigned posts and four score bits each.
func sortedSets() (sets []poststore.SetID) {
	for c := range earshot.CategoryID(6) {
		sets = append(sets, poststore.CategorySet(c+1, 0))
		for bit := range 4 {
			sets = append(sets, poststore.ScoreBitSet(c+1, 0, bit))
		}
	}
	return sets
}

// categorizeBy assigns posts to about a sixth of the sets, depending on their text.
func categorizeBy(all []poststore.SetID, salt int) func([]poststore.SetID, *earshot.Post) []poststore.SetID {
	return func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
		n := uint32(len(p.Contents)+salt) * 2654435761
		for i := range len(all) / 6 {
			sets = append(sets, all[(int(n>>(5*i))&31+6*i)%len(all)])
		}
		return sets
	}
}

// openSettled opens a compacted store with posts of monitor 1 spread over the given number of days.
func openSettled(b *testing.B, count, days int) *local.Store {
	b.Helper()
	s, err := local.Open(b.Context(), local.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for i, batch := range batchesOver(b, count, time.Duration(days)*24*time.Hour) {
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkCategorize measures Rematch without the cost of a model, for a monitor with all posts
// and for one with one post in a thousand.
func BenchmarkCategorize(b *testing.B) {
	const count = 200_000
	s := openSettled(b, count, 30)
	sets := sortedSets()
	bench := func(name string, of poststore.SetID, posts float64, sort func(n int) func([]poststore.SetID, *earshot.Post) []poststore.SetID) {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if err := s.Rematch(b.Context(), poststore.Rematch{Categorizations: []poststore.Categorization{{Posts: of, Sets: sets, Categorize: sort(n)}}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*posts/b.Elapsed().Seconds(), "posts/s")
		})
	}
	none := func(int) func([]poststore.SetID, *earshot.Post) []poststore.SetID {
		return func(sets []poststore.SetID, _ *earshot.Post) []poststore.SetID { return sets }
	}
	bench("all posts, into none", 1, count, none)
	bench("all posts, into different sets each time", 1, count, func(n int) func([]poststore.SetID, *earshot.Post) []poststore.SetID { return categorizeBy(sets, n) })
	bench("few posts, into none", 2, count/1000, none)
}

// BenchmarkDaysBySets queries a year of a monitor with a thousand posts per day: counted, cached,
// and for all days together.
func BenchmarkDaysBySets(b *testing.B) {
	const year = 365
	s := openSettled(b, year*1000, year)
	sets := sortedSets()
	sort := poststore.Categorization{Posts: 1, Sets: sets, Categorize: categorizeBy(sets, 0)}
	if err := s.Rematch(b.Context(), poststore.Rematch{Categorizations: []poststore.Categorization{sort}}); err != nil {
		b.Fatal(err)
	}
	starts := make([]time.Time, year+1)
	for day := range starts {
		starts[day] = benchStart.AddDate(0, 0, day)
	}
	t := poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: sets[:24]}
	of := poststore.Selection{Set: 1}
	days := func(b *testing.B) {
		if _, err := s.Days(b.Context(), of, starts, []poststore.Tally{t}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("counted", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			of.Sources = []earshot.Source{earshot.Twitter, earshot.Source(fmt.Sprint(n))} // not cached yet
			days(b)
		}
	})
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			days(b)
		}
	})
	b.Run("all together", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Tallies(b.Context(), of, []poststore.Tally{t}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
