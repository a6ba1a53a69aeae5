package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"earshot"
)

// highlighted returns a text with brackets around what is marked, as JavaScript would find it.
func highlighted(text string, marks [][2]int) string {
	units := utf16.Encode([]rune(text))
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(string(utf16.Decode(units[at:m[0]])) + "[" + string(utf16.Decode(units[m[0]:m[1]])) + "]")
		at = m[1]
	}
	return b.String() + string(utf16.Decode(units[at:]))
}

func TestHighlights(t *testing.T) {
	f := func(query, title, contents, want string) {
		t.Helper()
		spans := parse(t, query).Spans(NewDocument(&earshot.Post{Title: title, Contents: contents, Author: "apple"}))
		got := highlighted(title, Highlights(title, true, spans)) + "|" + highlighted(contents, Highlights(contents, false, spans))
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", query, got, want)
		}
	}
	f(`apple`, "Apple", "an apple, APPLE and applesauce", "[Apple]|an [apple], [APPLE] and applesauce")
	f(`apple`, "", "", "|")
	f(`apple`, "Apple", "", "[Apple]|")

	// Phrases, wildcards, distances.
	f(`"apple pie"`, "apple", "apple pie, apple  pie and pie", "apple|[apple pie], [apple  pie] and pie")
	f(`appl*`, "", "apple applied app", "|[apple] [applied] app")
	f(`apple NEAR/2 pie`, "", "apple hot pie, tart, plum, fig, apple", "|[apple] hot [pie], tart, plum, fig, apple")
	f(`"apple pie"~3`, "", "pie of apple. A tart", "|[pie] of [apple]. A tart")

	// What is not wanted, or was not the reason, is not marked.
	f(`apple NOT pie`, "", "apple", "|[apple]")
	f(`apple AND NOT (pie OR tart)`, "", "apple juice", "|[apple] juice")
	f(`apple OR (pie AND tart)`, "", "apple pie", "|[apple] pie")
	f(`apple AND pie`, "", "apple", "|apple")

	// Fields.
	f(`title:apple`, "apple", "apple", "[apple]|apple")
	f(`contents:apple`, "apple", "apple", "apple|[apple]")
	f(`author:apple`, "apple", "apple", "apple|apple")
	f(`author:apple AND pie`, "pie", "apple", "[pie]|apple")

	// Tags keep their sigil; accents and case do not matter.
	f(`#apple`, "", "apple #Apple ＃apple @apple", "|apple [#Apple] [＃apple] @apple")
	f(`@apple`, "", "apple #Apple @apple", "|apple #Apple [@apple]")
	f(`apple`, "", "#apple", "|[#apple]")
	f(`ete`, "", "l'été, été, ETE, E\u0301te\u0301", "|l'été, [été], [ETE], [E\u0301te\u0301]")
	f(`straße`, "", "STRASSE", "|[STRASSE]")

	// Characters of two code units, and scripts without spaces.
	f(`apple`, "𝔘😂", "😂 apple 👩‍👩‍👧 apple𝔘", "𝔘😂|😂 [apple] 👩‍👩‍👧 apple𝔘")
	f(`😂`, "", "a 😂😂 b", "|a [😂😂] b")
	f(`東京`, "", "新しい東京タワー、東", "|新しい[東京]タワー、東")
	f(`タワー`, "東京タワー", "", "東京[タワー]|")
}

// TestHighlightsInInvalidUTF8 counts wrong bytes as JSON shows them: one character each.
func TestHighlightsInInvalidUTF8(t *testing.T) {
	const text = "\xff\xfe apple \xe6\x9d"
	spans := parse(t, "apple").Spans(NewDocument(&earshot.Post{Contents: text}))
	if got, want := Highlights(text, false, spans), [][2]int{{3, 8}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestHighlightedTextMatches looks for single terms in random texts: each part that is
// marked is a post that the term selects, and one whose parts are gone is none any more.
func TestHighlightedTextMatches(t *testing.T) {
	terms := []string{
		`a`, `ab*`, `a?c`, `"a b"`, `"b * a"`, `#a`, `@c`, `é`, `e`, `東京`, `😂`, `#東京`, `o1-b`, `wendy's`, `A`, `a OR b`, `{é}`, `"東京 a"`,
	}
	g := generator{rand.New(rand.NewPCG(3, 4))}
	found := 0
	for range 20_000 {
		q, err := Parse(terms[g.IntN(len(terms))])
		if err != nil {
			continue
		}
		text := g.words(g.IntN(12))
		spans := q.Spans(NewDocument(&earshot.Post{Contents: text}))
		units, rest := utf16.Encode([]rune(text)), ""
		at := 0
		for _, m := range Highlights(text, false, spans) {
			found++
			alone := string(utf16.Decode(units[m[0]:m[1]]))
			if !q.Match(NewDocument(&earshot.Post{Contents: alone})) {
				t.Fatalf("%s marks %q of %q, which it does not select", q, alone, text)
			}
			rest += string(utf16.Decode(units[at:m[0]])) + " zz zz zz "
			at = m[1]
		}
		if rest += string(utf16.Decode(units[at:])); q.Match(NewDocument(&earshot.Post{Contents: rest})) {
			t.Fatalf("%s selects %q, which is what it does not mark of %q", q, rest, text)
		}
	}
	if found < 10_000 {
		t.Errorf("only %d marks: the cases are too much alike", found)
	}
}

// TestHighlightsOfAnExcerpt checks that what is marked of an excerpt is what was marked there of
// the whole, or a part of it at an end.
func TestHighlightsOfAnExcerpt(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	q := parse(t, `a OR "b c" OR 東京 OR 😂`)
	shown := 0
	for range 5_000 {
		text := g.words(g.IntN(40))
		spans := q.Spans(NewDocument(&earshot.Post{Title: "a b", Contents: text}))
		e := NewExcerpt(text, spans, 3+g.IntN(60))
		within := e.MapSpans(spans)
		if len(spans) > 0 && (len(within) == 0 || !within[0].Title || within[0] != spans[0]) {
			t.Fatalf("the title's spans of %v became %v", spans, within)
		}
		for _, s := range within {
			if s.Title {
				continue
			}
			shown++
			part := e.Text[s.From:s.To]
			if !strings.Contains(text, part) || strings.Contains(part, "…") ||
				!slices.ContainsFunc(spans, func(of Span) bool { return !of.Title && strings.Contains(text[of.From:of.To], part) }) {
				t.Fatalf("%q of %q, which is of %q", part, e.Text, text)
			}
		}
	}
	if shown < 2_000 {
		t.Errorf("only %d marks: the cases are too much alike", shown)
	}
}
