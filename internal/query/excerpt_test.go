package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"earshot"
)

func TestExcerpt(t *testing.T) {
	f := func(query, contents string, limit int, want string) {
		t.Helper()
		spans := parse(t, query).Spans(NewDocument(&earshot.Post{Contents: contents}))
		if got := NewExcerpt(contents, spans, limit).Text; got != want {
			t.Errorf("%q on %q, %d characters:\ngot  %q\nwant %q", query, contents, limit, got, want)
		}
	}
	const ten = "one two three four five six seven eight nine ten"

	// Text that fits is unchanged.
	f(`two`, ten, 48, ten)
	f(`two`, "  two \n", 7, "  two \n")
	f(`été`, "été été", 7, "été été")

	// Whole words around the match, evenly on both sides.
	f(`two`, ten, 30, "one two three four five six…")
	f(`six`, ten, 30, "…four five six seven eight…")
	f(`ten`, ten, 30, "…six seven eight nine ten")
	f(`five`, ten, 6, "…five…")
	f(`six`, strings.ReplaceAll(ten, " ", "\n\t"), 30, "…four\n\tfive\n\tsix\n\tseven…")

	// Without a match in the contents, the excerpt is the start of the text.
	f(`apple`, ten, 30, "one two three four five six…")
	f(`site:example.com OR six`, strings.ReplaceAll(ten, "six", "6"), 20, "one two three four…")

	// The passage with the most distinct matches; on a tie, the first.
	f(`one OR two`, "one one one one one one one one two", 13, "…one one two")
	f(`a OR b`, "a x x x x x a b x x x x x b a", 9, "…x a b x…")
	f(`six OR two`, ten, 12, "…two three…")
	f(`six OR two`, ten, 14, "one two…")
	f(`"two three"`, ten, 14, "…two three…")

	// A match that is too long is truncated at the end.
	f(`"two three four five"`, ten, 14, "…two three…")
	f(strings.Repeat("x", 50), "one "+strings.Repeat("x", 50), 12, "…xxxxxxxxxx…")

	// A sigil is not separated from its word.
	f(`seven`, "one two three four five six #seven eight", 9, "…#seven…")
	f(`five`, "one two three four five #six seven", 11, "…five #six…")
	f(`five`, "one two three four five #six seven", 10, "…five…")

	// Words longer than the limit.
	f(`apple`, strings.Repeat("x", 100), 10, "xxxxxxxx…")
	f(`apple`, "one "+strings.Repeat("x", 100), 10, "one…")
	f(`one`, "one "+strings.Repeat("x", 100), 10, "one…")
	f(`one`, strings.Repeat("x", 100)+" one", 10, "…one")
	f(`apple`, strings.Repeat("e\u0301", 100), 11, strings.Repeat("e\u0301", 4)+"…")
	f(`apple`, "e"+strings.Repeat("\u0301", 1000), 10, "e"+strings.Repeat("\u0301", 7)+"…")
	f(`apple`, strings.Repeat(" ", 20), 10, strings.Repeat(" ", 8)+"…")
}

func TestExcerptOfTextWithoutSpaces(t *testing.T) {
	f := func(query, contents string, limit int, want string) {
		t.Helper()
		spans := parse(t, query).Spans(NewDocument(&earshot.Post{Contents: contents}))
		if got := NewExcerpt(contents, spans, limit).Text; got != want {
			t.Errorf("%q on %q, %d characters:\ngot  %q\nwant %q", query, contents, limit, got, want)
		}
	}
	f(`京都`, "東京から大阪へ行き京都で寺を見て奈良で鹿と遊んだ", 12, "…阪へ行き京都で寺を見…")
	f(`カメラ`, "新しいデジタルカメラをかいました", 9, "…タルカメラをか…")
	f(`example`, "https://www.example.com/a/long/path/to/some/page/of/a/site/that/goes/on", 20, "…www.example.com/a…")
	f(`apple`, "https://www.example.com/a/long/path/to/some/page/of/a/site/that/goes/on", 25, "https://www.example.com…")
	f(`three`, "one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve", 14, "…three,four…")
	f(`👍`, "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👍👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 14, "…👩‍👩‍👧👍👩‍👩‍👧…")
}

func TestExcerptIgnoresMatchesInTitle(t *testing.T) {
	post := &earshot.Post{Title: "ten times nine", Contents: "one two three four five six seven eight nine ten"}
	spans := parse(t, "ten OR nine OR two").Spans(NewDocument(post))
	if got, want := NewExcerpt(post.Contents, spans, 12).Text, "…nine ten"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	spans = slices.DeleteFunc(spans, func(s Span) bool { return !s.Title })
	if got, want := NewExcerpt(post.Contents, spans, 12).Text, "one two…"; got != want {
		t.Errorf("matches only in the title: got %q, want %q", got, want)
	}
}

func TestMergeSpans(t *testing.T) {
	a := []Span{{Title: true, From: 4, To: 6}, {From: 0, To: 3}, {From: 10, To: 12}}
	b := []Span{{From: 2, To: 5}, {From: 20, To: 25}}
	want := []Span{{Title: true, From: 4, To: 6}, {From: 0, To: 5}, {From: 10, To: 12}, {From: 20, To: 25}}
	for _, got := range [][]Span{MergeSpans(a, b), MergeSpans(b, a)} {
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if got := MergeSpans(nil, b); !slices.Equal(got, b) {
		t.Errorf("merged with nil: got %v, want %v", got, b)
	}
}

// TestExcerptInvariants checks invariants of excerpts on random texts.
func TestExcerptInvariants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"apple", "pie", "#apple", "tart", "a", "wendy's", "o1-preview", "été", "e\u0301te\u0301", "日本", "ゲーム", "สวัสดี", "한국", "👍🏽", "🇩🇪", "❤️",
		" ", " ", " ", " ", "\n", ", ", ". ", "\xff", strings.Repeat("x", 40), "https://example.com/a?b=c",
	}
	q := parse(t, `apple OR "tart a" OR 日本`)
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(60) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		contents, limit := b.String(), 3+random.IntN(80)
		spans := q.Spans(NewDocument(&earshot.Post{Contents: contents}))
		checkExcerpt(t, contents, spans, limit)
	}
}

func checkExcerpt(t *testing.T, contents string, spans []Span, limit int) {
	t.Helper()
	got := NewExcerpt(contents, spans, limit).Text
	if utf8.RuneCountInString(got) > limit {
		t.Fatalf("%q: got %q, which is longer than %d characters", contents, got, limit)
	}
	if utf8.RuneCountInString(contents) <= limit {
		if got != contents {
			t.Fatalf("%q: got %q, but it fits in %d characters", contents, got, limit)
		}
		return
	}
	contains := func(text string) bool { return strings.Contains(contents, text) }
	if inner := strings.TrimSuffix(strings.TrimPrefix(got, "…"), "…"); inner == "" || !contains(inner) {
		t.Fatalf("%q: got %q, which is not part of it", contents, got)
	}
	checkEdges(t, contents, spans, limit)
	for i, s := range spans {
		if match := contents[s.From:s.To]; utf8.RuneCountInString(match) <= limit-3 && strings.Contains(got, match) {
			return
		} else if utf8.RuneCountInString(match) > limit-3 && i == 0 {
			return // truncated to the limit
		}
	}
	if len(spans) > 0 {
		t.Fatalf("%q: got %q, which contains none of the matches %v", contents, got, spans)
	}
	if strings.HasPrefix(got, "…") && !strings.HasPrefix(contents, "…") {
		t.Fatalf("%q: got %q, which is not the start", contents, got)
	}
}

// checkEdges checks that an excerpt does not split a grapheme cluster.
func checkEdges(t *testing.T, contents string, spans []Span, limit int) {
	t.Helper()
	from, to := densestPassage(contentMatches(contents, spans), limit-2)
	start, end := expandToWords(contents, from, to, limit-2)
	whole := map[int]bool{0: true}
	for g := graphemes.FromString(contents); g.Next(); {
		whole[g.End()] = true
	}
	if !whole[start] || !whole[end] && end-start > len("👍🏽") {
		t.Fatalf("%q: the excerpt %q splits a character", contents, contents[start:end])
	}
}

// TestExcerptOfLongText would time out if the algorithm were not linear.
func TestExcerptOfLongText(t *testing.T) {
	const size = 1 << 20
	f := func(name, query, contents string) {
		t.Helper()
		spans := parse(t, query).Spans(NewDocument(&earshot.Post{Contents: contents}))
		if n := utf8.RuneCountInString(NewExcerpt(contents, spans, 300).Text); n < 3 || n > 300 {
			t.Errorf("%s: the excerpt has %d characters", name, n)
		}
	}
	f("one word", "apple", strings.Repeat("x", size))
	f("one word that matches", "xx*", strings.Repeat("x", size))
	f("ideographs", "京都", strings.Repeat("東京", size/6)+"京都"+strings.Repeat("東京", size/6))
	f("marks", "apple", "e"+strings.Repeat("\u0301", size/2))
	f("matches", "a OR b OR c", strings.Repeat("a b c ", size/6))
	f("emoji", "apple", strings.Repeat("👍🏽", size/8))
	f("joined emoji", "apple", strings.Repeat("👩\u200D", size/7))
	f("white space", "apple", strings.Repeat(" ", size)+"apple")
	f("invalid text", "apple", strings.Repeat("\xff", size))
}

func TestFits(t *testing.T) {
	f := func(text string, limit int, want bool) {
		t.Helper()
		if got := Fits(text, limit); got != want {
			t.Errorf("%q in %d: got %t, want %t", text, limit, got, want)
		}
	}
	f("", 0, true)
	f("a", 0, false)
	f("été", 3, true)
	f("été", 2, false)
	f(strings.Repeat("日", 300), 300, true)
	f(strings.Repeat("日", 301), 300, false)
	f(string(unicode.ReplacementChar), 1, true)
}
