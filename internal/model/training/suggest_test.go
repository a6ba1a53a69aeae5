package training_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/model/training"
)

// stored returns one post per text.
func stored(texts ...string) (posts []earshot.Post) {
	for i, text := range texts {
		at := time.Date(2026, 3, 10, 0, 0, i, 0, time.UTC)
		posts = append(posts, earshot.Post{Source: "News", GUID: text, URL: "http://example.com/" + text, Time: at, Contents: text, Language: "en"})
	}
	return posts
}

// suggestions returns the texts of suggestions. Random ones end with a star.
func (s *fixture) suggestions(t *testing.T, model *opinion.Model, posts []earshot.Post, limit int, seed uint64) (texts []string) {
	t.Helper()
	list, err := s.Suggest(t.Context(), s.monitor(t), model, posts, limit, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		text := one.Post.Contents
		if !one.Uncertain {
			text += "*"
		}
		if (model == nil) != (len(one.Scores) == 0) {
			t.Errorf("%s has the scores %v", text, one.Scores)
		}
		texts = append(texts, text)
	}
	return texts
}

func TestSuggestionsWithoutModelAreRandom(t *testing.T) {
	s := newFixture(t)
	texts := []string{"one apple", "two pears", "three plums", "four figs", "five dates", "six kiwis"}
	posts := stored(texts...)
	first := s.suggestions(t, nil, posts, 4, 1)
	slices.Reverse(posts)
	if again := s.suggestions(t, nil, posts, 4, 1); len(first) != 4 || !slices.Equal(again, first) {
		t.Errorf("got %v, then %v", first, again)
	}
	if other := s.suggestions(t, nil, posts, 4, 2); slices.Equal(other, first) {
		t.Errorf("another seed gives the same result %v", other)
	}
	all := s.suggestions(t, nil, posts, 100, 1)
	slices.Sort(all)
	if got, want := strings.Join(all, ", "), "five dates*, four figs*, one apple*, six kiwis*, three plums*, two pears*"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSuggestionsAreNotNearDuplicates(t *testing.T) {
	s := newFixture(t)
	f := func(n int, texts ...string) {
		t.Helper()
		if got := s.suggestions(t, nil, stored(texts...), 100, 1); len(got) != n {
			t.Errorf("got %q, want %d", got, n)
		}
	}
	f(1, "hot coffee in the rain", "Hot COFFEE in the rain!", "RT @ann: hot coffee in the rain https://example.com/1", "hot coffee, in the rain?")
	f(2, "hot coffee in the rain", "cold tea in the sun")
	f(1, "#coffee", "coffee", "@ann coffee")
	f(2, "coffee", "coffee with milk")
	f(1, "😂", "😂😂 😂")
	f(2, "東京へ行く", "大阪で食べる")
}

func TestTrainingPostsAreNotSuggested(t *testing.T) {
	s := newFixture(t)
	trained := []training.Document{document("http://example.com/known", "quite another text"), document("http://example.com/2", "a text that is known")}
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, trained); err != nil {
		t.Fatal(err)
	}
	posts := stored("known", "text that is known! A title", "new")
	if got := s.suggestions(t, nil, posts, 100, 1); !slices.Equal(got, []string{"new*"}) {
		t.Errorf("got %q, want new alone", got)
	}
}

func TestInvalidPostsAreNotSuggested(t *testing.T) {
	s := newFixture(t)
	posts := stored("right", "no language", "no text", "too long ago", "no address")
	posts[1].Language = ""
	posts[2].Contents = " "
	posts[3].Time = time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
	posts[4].URL = "" // the GUID is used instead
	got := s.suggestions(t, nil, posts, 100, 1)
	if slices.Sort(got); !slices.Equal(got, []string{"no address*", "right*"}) {
		t.Errorf("got %q", got)
	}
}

func TestUncertainPostsAreSuggestedFirst(t *testing.T) {
	s := newFixture(t)
	var docs []opinion.Document
	for i := range 20 {
		for category, words := range map[earshot.CategoryID]string{taste: "sweet sour bitter", price: "cheap dear dollars"} {
			docs = append(docs, opinion.Document{Post: earshot.Post{GUID: fmt.Sprint(category, i), Contents: fmt.Sprint(words, " w", i), Language: "en"}, Category: category})
		}
	}
	model, err := opinion.Train(t.Context(), []earshot.CategoryID{taste, price}, docs)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 10 {
		texts = append(texts, fmt.Sprintf("sweet sour bitter x%d y%d", i, i+100), fmt.Sprintf("sweet cheap x%d y%d z%d", i, i+200, i+300))
	}
	got := s.suggestions(t, model, stored(texts...), 10, 3)
	if len(got) != 10 {
		t.Fatalf("got %q, want ten", got)
	}
	for i, text := range got {
		if drawn := i%5 == 4; drawn != strings.HasSuffix(text, "*") || !drawn && !strings.HasPrefix(text, "sweet cheap") {
			t.Errorf("the %dth is %q", i, text)
		}
	}
	if again := s.suggestions(t, model, stored(texts...), 10, 3); !slices.Equal(again, got) {
		t.Errorf("got %q, then %q", got, again)
	}
}

func TestStoredPostBecomesTrainingPost(t *testing.T) {
	s := newFixture(t)
	p := earshot.Post{Source: "News", GUID: "7", URL: " http://example.com/7", Title: "T", Contents: "C", Author: "A", Language: "de", Time: time.Date(2026, 3, 1, 8, 30, 0, 5, time.UTC)}
	d, err := training.NewDocument(&p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, []training.Document{d}); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context(), s.monitor(t), taste)
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	got := list[0]
	if got.ID() != training.TrainingID(&p) {
		t.Errorf("got id %s, want %s", got.ID(), training.TrainingID(&p))
	}
	got.Added = time.Time{}
	want := earshot.TrainingPost{Category: taste, URL: "http://example.com/7", Title: "T", Contents: "C", Author: "A", Language: "DE", Source: "News", Time: p.Time, AddedBy: "ann"}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNearDuplicatesAreNotSuggested checks that the index finds the same near-duplicates as a
// comparison with all texts.
func TestNearDuplicatesAreNotSuggested(t *testing.T) {
	s := newFixture(t)
	r := rand.New(rand.NewPCG(1, 2))
	text := func(words int) (list []string) {
		for range words {
			// The minimum makes some words frequent.
			list = append(list, fmt.Sprint("w", min(r.IntN(60), r.IntN(60))))
		}
		return list
	}
	var trained []training.Document
	var known [][]string
	for i := range 60 {
		words := text(r.IntN(14))
		known = append(known, words)
		if len(words) > 0 {
			d := document(fmt.Sprint("http://example.com/trained/", i), strings.Join(words, " "))
			d.Title = new(string)
			trained = append(trained, d)
		}
	}
	known = slices.DeleteFunc(known, func(words []string) bool { return len(words) == 0 })
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, trained); err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for i := range 500 {
		words := text(1 + r.IntN(3))
		if i%2 == 0 {
			words = slices.Clone(known[r.IntN(len(known))])
			words = append(words[:r.IntN(len(words)+1)], words...)
			words = append(words, text(r.IntN(4))...)
		}
		want := slices.ContainsFunc(known, func(other []string) bool { return jaccard(words, other) >= 0.7 })
		got := s.suggestions(t, nil, stored(strings.Join(words, " ")), 1, 1)
		if (len(got) == 0) != want {
			t.Errorf("%v: got %v, duplicate is %t", words, got, want)
		}
		skipped += 1 - len(got)
	}
	if skipped < 50 || skipped > 450 {
		t.Errorf("%d of 500 were skipped, which makes a poor test", skipped)
	}
}

// jaccard returns the Jaccard index of two lists of words.
func jaccard(a, b []string) float64 {
	set := map[string]int{}
	for _, word := range a {
		set[word] |= 1
	}
	for _, word := range b {
		set[word] |= 2
	}
	both := 0
	for _, in := range set {
		if in == 3 {
			both++
		}
	}
	return float64(both) / float64(len(set))
}

func TestSuggestIsCanceled(t *testing.T) {
	s := newFixture(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if list, err := s.Suggest(ctx, s.monitor(t), nil, stored("one apple", "two pears"), 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, error %v", list, err)
	}
}

// BenchmarkSuggestNearDuplicates uses 20,000 training posts and 1,500 posts that each resemble one
// of them.
func BenchmarkSuggestNearDuplicates(b *testing.B) {
	s := newFixture(b)
	r := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var text strings.Builder
		for range n {
			// Word frequencies have a realistic distribution.
			fmt.Fprint(&text, " w", int(math.Exp(r.Float64()*math.Log(50_000))))
		}
		return text.String()
	}
	texts := make([]string, 20_000)
	for i := range texts {
		texts[i] = words(25)
	}
	for from := 0; from < len(texts); from += training.MaxDocuments {
		var docs []training.Document
		for i, text := range texts[from:][:training.MaxDocuments] {
			docs = append(docs, document(fmt.Sprint("http://example.com/trained/", from+i), text))
		}
		if _, err := s.Add(b.Context(), s.caller, monitor, taste, docs); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 1500 {
		texts[i] += words(2)
	}
	m := s.monitor(b)
	for b.Loop() {
		if _, err := s.Suggest(b.Context(), m, nil, stored(texts[:1500]...), 20, 1); err != nil {
			b.Fatal(err)
		}
	}
}
