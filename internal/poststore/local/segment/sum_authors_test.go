package segment

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// The same author in different case or segments counts once, posts without an author are ignored,
// and ties are broken alphabetically.
func TestCountTopAuthors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	p := &segmentPool{store: memory.New()}
	spell := []func(n int) string{
		func(n int) string { return fmt.Sprint("Author", n) },
		func(n int) string { return fmt.Sprint("aUTHOR", n) },
		func(n int) string { return fmt.Sprint("ÄUTHOR", n%3) },
		func(int) string { return "" },
	}
	for file, n := range []int{3000, 400, 7} {
		rows := make([]Row, n)
		for i := range rows {
			name := spell[rng.IntN(len(spell))](rng.IntN(1 + rng.IntN(800)))
			rows[i].Post = &earshot.Post{
				Source: earshot.Networks[rng.IntN(3)], GUID: fmt.Sprint(file, "-", i), Author: name,
				Time: sampleStart.Add(time.Duration(i) * time.Minute), Followers: earshot.Counted(rng.Int64N(1000)),
			}
			if rng.IntN(2) == 0 {
				rows[i].Post.AuthorUsername, rows[i].Post.Author = name, fmt.Sprint("shown ", rng.IntN(5))
			}
		}
		p.add(t, rng, rows, 90)
	}
	largest := func(top int, sums ...poststore.Measure) poststore.Tally {
		return poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Top: top, Sum: sums}
	}
	for range 2 { // the second time, names are cached
		p.compare(t, []poststore.Tally{
			largest(1), largest(10, poststore.Impressions), largest(5000), largest(3, poststore.Authors),
			{By: []poststore.Dim{poststore.BySource}, Sum: []poststore.Measure{poststore.Authors, poststore.Impressions}},
			{By: []poststore.Dim{poststore.ByHour}, Sum: []poststore.Measure{poststore.Authors}},
			{Sum: []poststore.Measure{poststore.Authors}},
			{By: []poststore.Dim{poststore.ByAuthor}, Top: 2, IncludeKeys: []string{"author3"}},
		})
	}
	p.compare(t, []poststore.Tally{largest(10)})
}

// Days and hours are counted by columns of bytes and by other columns.
func TestCountDaysByColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	p := &segmentPool{store: memory.New()}
	for i, n := range []int{500, 40} {
		rows := make([]Row, n)
		for j := range rows {
			rows[j] = Row{Post: oddPost(t, rng, fmt.Sprint(i, "-", j), 100*time.Hour)}
		}
		p.add(t, rng, rows, 80)
	}
	zone, err := time.LoadLocation("America/New_York")
	check(t, err)
	var all []poststore.Tally
	for _, slot := range []poststore.Dim{poststore.ByDay, poststore.ByHour} {
		for _, d := range []poststore.Dim{poststore.BySentiment, poststore.ByEmotion, poststore.BySource, poststore.ByGender, poststore.ByAuthor, poststore.ByDay} {
			all = append(all, poststore.Tally{By: []poststore.Dim{slot, d}, Zone: zone})
		}
	}
	p.compare(t, all)
}
