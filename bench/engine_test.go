package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/bench"
	"earshot/internal/poststore"
)

// TestEnginesAgree runs all queries on all engines with a few posts. If engines select the same
// number of posts, their counts must also be equal. Tokenizers may differ on some posts.
func TestEnginesAgree(t *testing.T) {
	sample, err := bench.NewSample("")
	if err != nil {
		t.Fatal(err)
	}
	s := &settings{count: 5000, cpus: 1, dir: t.TempDir(), engines: "earshot,sqlite,bleve"}
	g := &bench.Generator{Sample: sample, Seed: 1, Count: s.count, From: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Span: 24 * time.Hour}
	c, err := s.compare(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Engines) != 3 || len(c.Queries) != 7*4 {
		t.Fatalf("got %d engines and %d results, want 3 and 28", len(c.Engines), len(c.Queries))
	}
	for _, f := range c.Queries {
		want := c.first[f.Question].posts
		if f.Rows == 0 || f.Rows < want*95/100 || f.Rows > want*105/100 {
			t.Errorf("%s, %s: %s selects %d posts, Earshot %d", f.Engine, f.Way, f.Query, f.Rows, want)
		}
		if f.Rows == want && f.Differs != "" {
			t.Errorf("%s, %s: %s: different %s", f.Engine, f.Way, f.Query, f.Differs)
		}
	}
	var table strings.Builder
	if err := c.print(&table); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table.String(), "\n"); got != 2+4+2+28+1 {
		t.Errorf("got a table of %d lines:\n%s", got, table.String())
	}
}

func TestDimsMatchTallies(t *testing.T) {
	var want, got []poststore.Dim
	for _, tally := range bench.AllTallies()[1:] {
		want = append(want, tally.By...)
	}
	for _, d := range dims {
		got = append(got, d.of)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMatchText(t *testing.T) {
	q := bench.Query{Phrase: "cold brew", All: []string{"tea"}, Any: []string{"a", "b"}, Prefix: "mil", None: []string{"cup"}}
	const want = `("cold brew" AND "tea" AND ("a" OR "b") AND "mil"*) NOT "cup"`
	if got := matchText(q); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnknownEngine(t *testing.T) {
	sample, err := bench.NewSample("")
	if err != nil {
		t.Fatal(err)
	}
	s := &settings{count: 1000, cpus: 1, dir: t.TempDir(), engines: "abacus"}
	g := &bench.Generator{Sample: sample, Count: s.count, From: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Span: time.Hour}
	if _, err := s.compare(t.Context(), g); err == nil || err.Error() != `unknown engine "abacus"` {
		t.Errorf("got error %v", err)
	}
}
