package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"earshot"
)

// TestMatchAgreesWithReference compares Match with referenceMatch, and checks the round trip
// through the normal form, on queries with every type of node.
func TestMatchAgreesWithReference(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	rounds := 6_000
	if testing.Short() {
		rounds = 1_000
	}
	matched, parsed := 0, 0
	for range rounds {
		text := g.query(g.IntN(4))
		q, err := Parse(text)
		if err != nil {
			continue
		}
		parsed++
		again, err := Parse(q.String())
		if err != nil || dump(again.root) != dump(q.root) {
			t.Fatalf("%q prints %q, which parses to %v, %v", text, q, again, err)
		}
		for range 3 {
			d := NewDocument(g.post())
			want := referenceMatch(q.root, &d.main)
			if got := q.Match(d); got != want {
				t.Fatalf("%s on %q, %q: got %t, want %t", q, d.Post.Title, d.Post.Contents, got, want)
			}
			if want {
				matched++
				checkPrefilter(t, q, d)
				checkSpans(t, q, d)
			}
		}
	}
	if parsed < rounds/2 || matched < rounds/4 || matched > rounds*11/4 {
		t.Errorf("%d of %d queries parse and %d posts match: the cases are not varied enough", parsed, rounds, matched)
	}
}

// TestMatchOfRepetitiveTextsAgreesWithReference covers the caches for long texts.
func TestMatchOfRepetitiveTextsAgreesWithReference(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	matched, refused := 0, 0
	for i := range 40 {
		post := g.post()
		post.Contents = strings.Repeat(g.words(3+g.IntN(4))+" zz zz ", 20+150*(i%20/19))
		d := NewDocument(post)
		for range 10 {
			text := g.leaf()
			if g.IntN(2) == 0 {
				text = fmt.Sprintf("%s %s/%d %s", text, []string{"NEAR", "ONEAR"}[g.IntN(2)], g.IntN(3), g.leaf())
			}
			q, err := Parse(text)
			if err != nil || strings.Contains(text, "~") { // the reference tries all combinations
				continue
			}
			want := referenceMatch(q.root, &d.main)
			if got := q.Match(d); got != want {
				t.Fatalf("%s on %q, %q: got %t, want %t", q, d.Post.Title, d.Post.Contents, got, want)
			}
			if !want {
				refused++
				continue
			}
			matched++
			checkSpans(t, q, d)
		}
	}
	if matched < 50 || refused < 50 {
		t.Errorf("%d queries match and %d do not: the cases are not varied enough", matched, refused)
	}
}

// checkPrefilter checks that all clauses hold for a selected post.
func checkPrefilter(t *testing.T, q *Query, d *Document) {
	t.Helper()
	for _, g := range q.Prefilter(func(k Literal) int { return 1 }) {
		found := false
		for _, k := range g {
			for i := range d.Len() {
				found = found || k.Prefix == "" && d.TokenHash(i) == k.Hash && d.main.mayHave(k.Hash) ||
					k.Prefix != "" && strings.HasPrefix(string(d.Plain(i)), k.Prefix)
			}
		}
		if !found {
			t.Fatalf("%s selects %q, %q, which has none of %v", q, d.Post.Title, d.Post.Contents, g)
		}
	}
}

// checkSpans checks that spans are in order and within their texts.
func checkSpans(t *testing.T, q *Query, d *Document) {
	t.Helper()
	last := Span{Title: true}
	for _, s := range q.Spans(d) {
		text := d.Post.Contents
		if s.Title {
			text = d.Post.Title
		}
		if s.From < 0 || s.To > len(text) || s.From >= s.To || s.Title == last.Title && s.From < last.To || s.Title && !last.Title {
			t.Fatalf("%s on %q, %q: span %v after %v", q, d.Post.Title, d.Post.Contents, s, last)
		}
		last = s
	}
}

// A generator generates random queries and posts from few words, so that many of them match.
type generator struct{ *rand.Rand }

var (
	generatedWords  = strings.Fields("a a a b b b c d ab abc é e #a #b @c 東京 #東京 o1-b wendy's A É 😂")
	generatedFields = []string{"title", "contents", "author", "hashtags", "at_mentions", "site", "language", "source", "country", "custom.x", "rating", "authorFollowers"}
)

func (g generator) word() string { return generatedWords[g.IntN(len(generatedWords))] }

func (g generator) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = g.word()
	}
	return strings.Join(words, " ")
}

func (g generator) query(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(12) {
	case 0, 1:
		return g.query(depth-1) + " AND " + g.query(depth-1)
	case 2, 3:
		return "(" + g.query(depth-1) + " OR " + g.query(depth-1) + ")"
	case 4:
		return g.query(depth-1) + " -" + g.leaf()
	case 5:
		return "(" + g.query(depth-1) + ") NOT (" + g.query(depth-1) + ")"
	case 6, 7:
		return fmt.Sprintf("(%s) %s/%d %s", g.operand(depth-1), []string{"NEAR", "ONEAR"}[g.IntN(2)], g.IntN(4), g.operand(depth-1))
	case 8:
		if g.IntN(2) == 0 {
			return fmt.Sprintf("%s ONEAR/%d (%s ONEAR/%d %s ONEAR/%d %s)", g.operand(0), g.IntN(2), g.operand(1), g.IntN(2), g.operand(0), g.IntN(2), g.operand(1))
		}
		return fmt.Sprintf("%s NEAR/%d%s %s ONEAR/%d %s", g.operand(0), g.IntN(3), []string{"", "f"}[g.IntN(2)], g.operand(0), g.IntN(3), g.operand(0))
	case 9:
		return fmt.Sprintf("(%s AND %s AND %s)~%d", g.operand(0), g.operand(1), g.operand(0), g.IntN(4))
	case 10:
		return fmt.Sprintf("(%s AND %s)~%d", g.operand(1), g.operand(1), g.IntN(4))
	}
	return generatedFields[g.IntN(len(generatedFields))] + ":(" + g.query(depth-1) + ")"
}

func (g generator) operand(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(4) {
	case 0:
		return "(" + g.operand(depth-1) + " OR " + g.operand(depth-1) + ")"
	case 1:
		return fmt.Sprintf("(%s NEAR/%d %s)", g.operand(depth-1), g.IntN(3), g.operand(depth-1))
	case 2:
		return fmt.Sprintf("(%s ONEAR/%d %s)", g.operand(depth-1), g.IntN(3), g.operand(depth-1))
	}
	return g.leaf()
}

func (g generator) leaf() string {
	switch g.IntN(9) {
	case 0:
		return `"` + g.words(2) + `"`
	case 1:
		return `"` + g.words(2+g.IntN(2)) + `"`
	case 2:
		return fmt.Sprintf(`"%s"~%d`, g.words(2+g.IntN(3)), g.IntN(4))
	case 3:
		return []string{"ab*", "ab?", "a?c", "#ab*", "éa*", "o1-b"}[g.IntN(6)]
	case 4:
		return "{" + g.word() + "}"
	}
	return g.word()
}

func (g generator) post() *earshot.Post {
	rating := float64(g.IntN(5))
	return &earshot.Post{
		Title:     g.words(g.IntN(4)),
		Contents:  g.words(g.IntN(25)),
		Author:    g.words(1),
		Hashtags:  []string{"a"},
		Mentions:  []string{"c"},
		Site:      "a.b",
		Language:  "ab",
		Source:    "A",
		Place:     earshot.Place{Country: "ABC"},
		Rating:    &rating,
		Followers: earshot.Counted(int64(g.IntN(5))),
		Custom:    map[string]string{"x": g.words(2)},
	}
}
