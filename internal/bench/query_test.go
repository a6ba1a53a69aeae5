package bench

import (
	"testing"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

func TestKeywords(t *testing.T) {
	q := Query{Phrase: "cold brew", All: []string{"tea"}, Any: []string{"a", "b"}, Prefix: "mil", None: []string{"cup"}}
	const want = `"cold brew" AND tea AND (a OR b) AND mil* NOT cup`
	if got := q.Keywords(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestConditionIncludesFilters(t *testing.T) {
	q := Query{All: []string{"tea"}, Language: "en", Country: "USA", Gender: earshot.Female}
	c, err := q.Condition()
	if err != nil {
		t.Fatal(err)
	}
	post := earshot.Post{Contents: "Tea", Language: "en", Place: earshot.Place{Country: "USA", State: "CA"}, Gender: earshot.Female}
	if !c.Match(query.NewDocument(&post)) {
		t.Error("a selected post does not match")
	}
	for name, change := range map[string]func(*earshot.Post){
		"word":     func(p *earshot.Post) { p.Contents = "Milk" },
		"language": func(p *earshot.Post) { p.Language = "de" },
		"country":  func(p *earshot.Post) { p.Place.Country = "CAN" },
		"gender":   func(p *earshot.Post) { p.Gender = earshot.Male },
	} {
		other := post
		change(&other)
		if c.Match(query.NewDocument(&other)) {
			t.Errorf("a post with another %s matches", name)
		}
	}
}

func TestQueriesSelectExpectedShares(t *testing.T) {
	testenv.SkipUnderRace(t)
	g := smallGenerator(t, 20_000)
	posts := map[string]int{}
	queries, err := g.Words().Queries()
	if err != nil {
		t.Fatal(err)
	}
	conditions := make([]*watchlist.Condition, len(queries))
	for i, q := range queries {
		if conditions[i], err = q.Condition(); err != nil {
			t.Fatal(err)
		}
	}
	for p := range g.Posts() {
		doc := query.NewDocument(&p)
		for i, q := range queries {
			if conditions[i].Match(doc) {
				posts[q.Name]++
			}
		}
	}
	for _, q := range queries {
		t.Logf("%s: %s: %d of %d", q.Name, q.Keywords(), posts[q.Name], g.Count)
		if posts[q.Name] == 0 {
			t.Errorf("%s: %s selects no posts", q.Name, q.Keywords())
		}
	}
	if common, rare := posts["very common term"], posts["rare term"]; common < g.Count/10 || rare > g.Count/200 {
		t.Errorf("the common term has %d of %d posts, the rare one %d", common, g.Count, rare)
	}
}
