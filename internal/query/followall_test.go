package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"earshot"
)

// TestFollowingAllPlacesIsTryingEach compares the two ways on texts and phrases
// that repeat themselves, with tags of several words among them.
func TestFollowingAllPlacesIsTryingEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "a", "a", "b", "#a_b", "#b", "é"}
	text := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = alphabet[r.IntN(len(alphabet))]
		}
		return strings.Join(words, " ")
	}
	matched := 0
	for range 3000 {
		d := NewDocument(&earshot.Post{Title: text(r.IntN(5)), Contents: text(r.IntN(150))})
		terms := new(tokenizer).terms(text(2 + r.IntN(6)))
		want := naivePhrase(terms, d)
		if got := d.followAll(terms); got != want {
			t.Fatalf("%q %q: got %v, want %v for %v", d.Post.Title, d.Post.Contents, got, want, terms)
		}
		if got := (&phrase{terms}).match(d); got != want {
			t.Fatalf("%q %q: match got %v, want %v", d.Post.Title, d.Post.Contents, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 300 || matched > 2700 {
		t.Errorf("%d of 3000 matched: the cases are too much alike", matched)
	}
}

// BenchmarkRepetition matches a query of long phrases against a text made to
// match each almost to its end at every place.
func BenchmarkRepetition(b *testing.B) {
	var phrases []string
	for i := range 12 {
		phrases = append(phrases, fmt.Sprintf(`"%sb c%d"`, strings.Repeat("a ", 3900), i))
	}
	q, err := Parse(strings.Join(phrases, " OR "))
	if err != nil {
		b.Fatal(err)
	}
	text := "b "
	for i := range 12 {
		text += fmt.Sprintf("c%d ", i)
	}
	d := NewDocument(&earshot.Post{Contents: text + strings.Repeat("a ", 8000)})
	for b.Loop() {
		if q.Match(d) {
			b.Fatal("it matches")
		}
	}
}
