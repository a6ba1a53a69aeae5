package watchlist

import (
	"fmt"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestReindexLearnsRareWords(t *testing.T) {
	var monitors []*earshot.Monitor
	const n = 1000
	for id := range earshot.MonitorID(n) {
		monitors = append(monitors, watching(id+1, "zebra AND (gnu OR okapi)"))
	}
	l, _ := New(monitors, 1)
	d := query.NewDocument(&earshot.Post{Contents: "a zebra and another zebra"})
	var m matcher
	postingsRead := func() int {
		before := m.postingsRead
		m.match(l, d, nil)
		return m.postingsRead - before
	}
	if got := postingsRead(); got != n {
		t.Errorf("before any post was observed, the shorter clause is indexed: got %d postings, want %d", got, n)
	}
	if l.Reindex(n) != l {
		t.Error("a single post must not cause a pass")
	}
	for range 10_000 {
		m.match(l, d, nil)
	}
	rounds := 0
	for next := l.Reindex(100); next != l; next = l.Reindex(100) {
		l = next
		rounds++
		check(t, l)
	}
	if got := postingsRead(); got != 0 || rounds != n/100 {
		t.Errorf("got %d postings after %d rounds, want 0 after %d", got, rounds, n/100)
	}
	if got := l.Match(query.NewDocument(&earshot.Post{Contents: "zebra, okapi"}), nil); len(got) != n {
		t.Errorf("got %d matches, want %d", len(got), n)
	}
}

func TestCommonWordsHaveAPrior(t *testing.T) {
	f := newFrequencySketch()
	tests := []struct{ query, want string }{
		{"the AND zebra", "zebra"},
		{"zebra AND (the OR gnu)", "zebra"},
		{"(zebra OR gnu) AND и", "zebra gnu"},
		{`"to be or not to zebra"`, "zebra"},
		{"zeb* AND gnu", "gnu"},
		{"(zebra OR gnu OR okapi) AND the", "zebra gnu okapi"},
	}
	for _, tt := range tests {
		c, err := Compile(1, keywords(tt.query))
		if err != nil {
			t.Fatal(err)
		}
		words := query.NewDocument(&earshot.Post{Contents: tt.want})
		var want []feature
		for i := range words.Len() {
			want = append(want, feature(words.TokenHash(i)))
		}
		slices.Sort(want)
		if got := c.indexTerms(f).features; !slices.Equal(got, want) {
			t.Errorf("%s: indexed under %d features, want those of %s", tt.query, len(got), tt.want)
		}
	}
}

func TestFrequenciesDecay(t *testing.T) {
	f := newFrequencySketch()
	f.weight.Store(decayWeight - 3)
	seen, other := feature(12345), feature(54321)
	f.counts[bloomBit(seen)].Store(decayWeight / 2)
	for range 4 {
		f.observe([]feature{seen})
	}
	if got, want := fmt.Sprint(f.weight.Load(), f.posts.Load()), fmt.Sprint(decayWeight/2+1, 4); got != want {
		t.Errorf("weight and posts: got %s, want %s", got, want)
	}
	if got := f.estimate(seen, 0); got < estimateBase*49/100 || got > estimateBase*51/100 {
		t.Errorf("got %d of %d posts, want about half", got, estimateBase)
	}
	if got := f.estimate(other, 0); got != prior(0) {
		t.Errorf("a word not observed: got %d, want %d", got, prior(0))
	}
}
