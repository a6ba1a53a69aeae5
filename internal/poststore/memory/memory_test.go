package memory

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/storetest"
	"earshot/internal/test/testenv"
)

func open(*testing.T) poststore.Store { return New() }

func TestContract(t *testing.T) { storetest.Run(t, open) }

func TestAgainstOracle(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Compare(t, open, func(*testing.T) poststore.Store { return &oracle{} }, 6, 40)
}

// TestOracleContract checks the oracle that the memory store is compared with.
func TestOracleContract(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Run(t, func(*testing.T) poststore.Store { return &oracle{} })
}

func TestDayOf(t *testing.T) {
	f := func(at string, want int64) {
		t.Helper()
		parsed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := dayOf(parsed); got != want {
			t.Errorf("dayOf(%s) = %d, want %d", at, got, want)
		}
	}
	f("1970-01-01T00:00:00Z", 0)
	f("1970-01-01T23:59:59Z", 0)
	f("1970-01-02T00:00:00Z", 1)
	f("1969-12-31T23:59:59Z", -1)
	f("1969-12-31T00:00:00Z", -1)
	f("1969-12-30T23:59:59Z", -2)
	f("1970-01-02T01:00:00+02:00", 0)
}

// batches returns 100,000 posts over 90 days in batches of a thousand.
func batches() [][]poststore.MatchedPost {
	start := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	all := make([][]poststore.MatchedPost, 100)
	for b := range all {
		for i := range 1000 {
			n := b*1000 + i
			all[b] = append(all[b], poststore.MatchedPost{
				Post: earshot.Post{
					Source:         earshot.Networks[n%len(earshot.Networks)],
					GUID:           fmt.Sprint(n),
					Time:           start.Add(time.Duration(n) * (90 * 24 * time.Hour / 100_000)),
					Contents:       "an apple a day keeps the doctor away",
					AuthorUsername: fmt.Sprint("author", n%5000),
					Hashtags:       []string{"apple", fmt.Sprint("tag", n%50)},
				},
				Sets: []poststore.SetID{1, poststore.SetID(2 + n%10)},
			})
		}
	}
	return all
}

func BenchmarkAppend(b *testing.B) {
	all := batches()
	b.ReportAllocs()
	for b.Loop() {
		s := New()
		fill(b, s, all)
	}
	b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "posts/s")
}

func BenchmarkTallyByDay(b *testing.B) {
	s := New()
	fill(b, s, batches())
	b.ReportAllocs()
	for b.Loop() {
		rows, err := poststore.TallyOne(b.Context(), s, poststore.Selection{Set: 1}, poststore.Tally{By: []poststore.Dim{poststore.ByDay}})
		if err != nil || len(rows) != 90 {
			b.Fatalf("got %d rows, %v, want 90", len(rows), err)
		}
	}
}

func BenchmarkTallyOfOneDay(b *testing.B) {
	s := New()
	fill(b, s, batches())
	day := time.Date(2024, time.February, 1, 0, 0, 0, 0, time.UTC)
	of := poststore.Selection{Set: 1, From: day, To: day.AddDate(0, 0, 1)}
	for b.Loop() {
		if _, err := poststore.TallyOne(b.Context(), s, of, poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}}); err != nil {
			b.Fatal(err)
		}
	}
}

func fill(b *testing.B, s *Store, all [][]poststore.MatchedPost) {
	b.Helper()
	for i, batch := range all {
		if err := s.Append(b.Context(), earshot.Position(i+1), batch); err != nil {
			b.Fatal(err)
		}
	}
}
