package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"earshot"
)

// highlighted returns a text with brackets around the highlights, which are offsets in UTF-16 code
// units.
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

	// Phrases, wildcards and distances.
	f(`"apple pie"`, "apple", "apple pie, apple  pie and pie", "apple|[apple pie], [apple  pie] and pie")
	f(`appl*`, "", "apple applied app", "|[apple] [applied] app")
	f(`apple NEAR/2 pie`, "", "apple hot pie, tart, plum, fig, apple", "|[apple] hot [pie], tart, plum, fig, apple")
	f(`"apple pie"~3`, "", "pie of apple. A tart", "|[pie] of [apple]. A tart")

	// Excluded words and words that did not cause the match are not highlighted.
	f(`apple NOT pie`, "", "apple", "|[apple]")
	f(`apple AND NOT (pie OR tart)`, "", "apple juice", "|[apple] juice")
	f(`apple OR (pie AND tart)`, "", "apple pie", "|[apple] pie")
	f(`apple AND pie`, "", "apple", "|apple")

	// Fields.
	f(`title:apple`, "apple", "apple", "[apple]|apple")
	f(`contents:apple`, "apple", "apple", "apple|[apple]")
	f(`author:apple`, "apple", "apple", "apple|apple")
	f(`author:apple AND pie`, "pie", "apple", "[pie]|apple")

	// The highlight of a tag includes its sigil. Accents and case do not matter.
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

// TestHighlightsInInvalidUTF8 checks that each invalid byte counts as one character, as in JSON.
func TestHighlightsInInvalidUTF8(t *testing.T) {
	const text = "\xff\xfe apple \xe6\x9d"
	spans := parse(t, "apple").Spans(NewDocument(&earshot.Post{Contents: text}))
	if got, want := Highlights(text, false, spans), [][2]int{{3, 8}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestHighlightedTextMatches searches random texts for single terms. Each highlighted part must
// match the term on its own, and the text without the highlighted parts must not match.
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
				t.Fatalf("%s highlights %q in %q, which it does not match", q, alone, text)
			}
			rest += string(utf16.Decode(units[at:m[0]])) + " zz zz zz "
			at = m[1]
		}
		if rest += string(utf16.Decode(units[at:])); q.Match(NewDocument(&earshot.Post{Contents: rest})) {
			t.Fatalf("%s matches %q, which has no highlights in %q", q, rest, text)
		}
	}
	if found < 10_000 {
		t.Errorf("only %d highlights: the cases are not varied enough", found)
	}
}

// TestHighlightsOfExcerpt checks that each highlight of an excerpt is a highlight of the whole
// text, or part of one at an end of the excerpt.
func TestHighlightsOfExcerpt(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	q := parse(t, `a OR "b c" OR 東京 OR 😂`)
	shown := 0
	for range 5_000 {
		text := g.words(g.IntN(40))
		spans := q.Spans(NewDocument(&earshot.Post{Title: "a b", Contents: text}))
		e := NewExcerpt(text, spans, 3+g.IntN(60))
		within := e.MapSpans(spans)
		if len(spans) > 0 && (len(within) == 0 || !within[0].Title || within[0] != spans[0]) {
			t.Fatalf("the spans %v of the title became %v", spans, within)
		}
		for _, s := range within {
			if s.Title {
				continue
			}
			shown++
			part := e.Text[s.From:s.To]
			if !strings.Contains(text, part) || strings.Contains(part, "…") ||
				!slices.ContainsFunc(spans, func(of Span) bool { return !of.Title && strings.Contains(text[of.From:of.To], part) }) {
				t.Fatalf("unexpected highlight %q in the excerpt %q of %q", part, e.Text, text)
			}
		}
	}
	if shown < 2_000 {
		t.Errorf("only %d highlights: the cases are not varied enough", shown)
	}
}
