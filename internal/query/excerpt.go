package query

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An Excerpt is a part of the contents of a post.
type Excerpt struct {
	Text     string
	from, to int // bytes of the contents that Text shows
	lead     int // bytes of Text before them
}

// NewExcerpt returns at most limit characters of contents: the passage with the most
// distinct matches, the first of those on a tie, and whole words around it, with "…"
// where something is left out. Text that fits is returned unchanged.
//
// spans are what Query.Spans returned; those of the title are ignored. Without any, the
// excerpt is the beginning. A match that does not fit is truncated. limit is at least 3.
func NewExcerpt(contents string, spans []Span, limit int) Excerpt {
	if Fits(contents, limit) {
		return Excerpt{Text: contents, to: len(contents)}
	}
	const ellipsis = "…"
	room := limit - 2*utf8.RuneCountInString(ellipsis)
	from, to := densestPassage(contentMatches(contents, spans), room)
	start, end := expandToWords(contents, from, to, room)
	e := Excerpt{Text: contents[start:end], from: start, to: end}
	if start > 0 {
		e.Text, e.lead = ellipsis+e.Text, len(ellipsis)
	}
	if end < len(contents) {
		e.Text += ellipsis
	}
	return e
}

// Fits reports whether text has at most limit characters. It looks at no more of it
// than that.
func Fits(text string, limit int) bool {
	if len(text) <= limit {
		return true
	}
	for range text {
		if limit--; limit < 0 {
			return false
		}
	}
	return true
}

// MergeSpans returns the spans of two lists as one list like them: in order, none
// overlapping another.
func MergeSpans(a, b []Span) []Span {
	if len(a) == 0 {
		return b
	}
	return merge(slices.Concat(a, b))
}

// A match is a match in contents.
type match struct {
	from, to   int // bytes
	first, end int // the same in characters
	words      string
}

// contentMatches returns the spans of contents.
func contentMatches(contents string, spans []Span) []match {
	var list []match
	at, characters := 0, 0
	count := func(to int) int {
		characters += utf8.RuneCountInString(contents[at:to])
		at = to
		return characters
	}
	for _, s := range spans {
		if s.Title {
			continue
		}
		f := match{from: sigilStart(contents, at, s.From), to: s.To, words: strings.ToLower(contents[s.From:s.To])}
		f.first, f.end = count(f.from), count(f.to)
		list = append(list, f)
	}
	return list
}

// sigilStart returns where a tag begins whose word is at i, but not before least.
func sigilStart(text string, least, i int) int {
	if r, size := utf8.DecodeLastRuneInString(text[least:i]); strings.ContainsRune("#@$＃＠＄", r) {
		return i - size
	}
	return i
}

// densestPassage returns the first stretch of no more than room characters that has the
// most different findings. It is empty, at the place to begin, when nothing was found
// or the first finding alone takes more room.
func densestPassage(list []match, room int) (from, to int) {
	within := map[string]int{}
	first, most := 0, 0
	for last, f := range list {
		within[f.words]++
		for f.end-list[first].first > room && first < last {
			drop(within, list[first].words)
			first++
		}
		if len(within) > most {
			most, from, to = len(within), list[first].from, f.to
			if f.end-list[first].first > room {
				to = from
			}
		}
	}
	return from, to
}

func drop(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
