package segment

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// countBenchRows is a million tweets of one day, by a quarter of a million authors.
const countBenchRows = 1_000_000

func BenchmarkCount(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := countBenchSegment(b, rng)
	bench := func(name string, rows *roaring.Bitmap, ts ...poststore.Tally) {
		b.Run(name, func(b *testing.B) { benchCount(b, f, rows, ts) })
	}
	var each []poststore.Tally
	for _, d := range poststore.Dims {
		each = append(each, poststore.Tally{By: []poststore.Dim{d}, Top: 50})
	}
	third := oneIn(rng, 3)
	for _, t := range each {
		bench(fmt.Sprint("a third by dimension ", t.By[0]), third, t)
	}
	bench("all by every dimension", nil, each...)
	bench("a third by every dimension", third, each...)
	bench("30,000 by every dimension", oneIn(rng, 33), each...)
	bench("ten by every dimension", oneIn(rng, 100_000), each...)

	berlin := loadZone(b, "Europe/Berlin")
	authors := []poststore.Measure{poststore.Authors}
	hourly := []poststore.Dim{poststore.ByHour}
	bench("authors of a third", third, poststore.Tally{Sum: authors})
	bench("authors of a third by hour and language", third, poststore.Tally{By: append(hourly, poststore.ByLanguage), Zone: berlin, Sum: authors})
	bench("impressions of a third by hour", third, poststore.Tally{By: hourly, Zone: berlin, Sum: []poststore.Measure{poststore.Impressions}})
	bench("a third by author and language", third, poststore.Tally{By: []poststore.Dim{poststore.ByAuthor, poststore.ByLanguage}})
}

// countBenchSegment returns a segment of varied tweets.
func countBenchSegment(b *testing.B, rng *rand.Rand) *Segment {
	rows := sharedTweets(b, countBenchRows)
	for _, r := range rows {
		r.Post.AuthorUsername = fmt.Sprint(r.Post.AuthorUsername, rng.IntN(100))
		if r.Post.Engagement != earshot.OriginalPost {
			r.Post.ParentGUID = fmt.Sprint("parent", rng.IntN(100_000))
		}
	}
	return writeSegment(b, rows)
}

// oneIn returns a random 1/n of the rows.
func oneIn(rng *rand.Rand, n int) *roaring.Bitmap {
	rows := roaring.New()
	for row := range uint32(countBenchRows) {
		if rng.IntN(n) == 0 {
			rows.Add(row)
		}
	}
	return rows
}

// benchCount counts rows of a segment, and adds up five such counts.
func benchCount(b *testing.B, f *Segment, rows *roaring.Bitmap, ts []poststore.Tally) {
	var counts []*Counts
	for range 5 {
		c, err := f.Count(b.Context(), rows, ts, nil, nil)
		check(b, err)
		counts = append(counts, c)
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			_, err := f.Count(b.Context(), rows, ts, nil, nil)
			check(b, err)
		}
	})
	b.Run("sum of five", func(b *testing.B) {
		for b.Loop() {
			counts[0].budget = NewBudget(MaxQueryBytes) // a new query
			_, err := Sum(ts, counts)
			check(b, err)
		}
	})
}

func BenchmarkFingerprints(b *testing.B) {
	const n = 100_000
	f := writeSegment(b, sharedTweets(b, n))
	for b.Loop() {
		_, err := f.Fingerprints(nil, []uint32{0, n})
		check(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
