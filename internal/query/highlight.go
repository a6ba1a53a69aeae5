package query

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// A Span is a byte range [From, To) of a post's title or contents.
type Span struct {
	Title    bool
	From, To int
}

// Spans returns the words and phrases of d to highlight, in text order, title first, without
// overlaps. It returns none if q does not select d, or selects it for reasons other than its text.
func (q *Query) Spans(d *Document) []Span {
	if !q.root.match(&d.main) {
		return nil
	}
	in := &d.main
	found := in.pool.newSpans()
	q.root.highlight(in, found)
	var spans []Span
	for _, g := range found.groups {
		for i := g.starts.next(0); i >= 0; i = g.starts.next(i + 1) {
			if g.width > 0 {
				spans = append(spans, in.span(i, i+g.width))
			}
		}
	}
	found.free()
	return merge(spans)
}

// span returns the byte range of the words at positions [from, to).
func (t *text) span(from, to int) Span {
	title := len(t.pieces) > 1 && from < int(t.pieces[1].first) || t.doc.Post.Contents == ""
	first, last := &t.words[from], &t.words[to-1]
	return Span{Title: title, From: int(first.from), To: int(last.to)}
}

// merge sorts spans and joins overlapping ones. It reuses the memory of spans.
func merge(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int {
		if a.Title != b.Title {
			if a.Title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && merged[n-1].Title == s.Title && s.From <= merged[n-1].To {
			merged[n-1].To = max(merged[n-1].To, s.To)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// Highlights returns the spans of a text as ranges [from, to) of UTF-16 code units, which
// JavaScript uses for offsets. text is the title if title is true, and the contents otherwise.
// Spans of the other one are skipped. The highlight of a tag includes its sigil. Each byte of
// invalid UTF-8 counts as one character, because JSON replaces it with one.
func Highlights(text string, title bool, spans []Span) [][2]int {
	highlights := [][2]int{}
	at, units := 0, 0
	count := func(to int) int {
		for at < to {
			r, size := utf8.DecodeRuneInString(text[at:])
			if at += size; r > 0xffff {
				units++ // a surrogate pair
			}
			units++
		}
		return units
	}
	for _, s := range spans {
		if s.Title == title {
			from := count(sigilStart(text, at, s.From))
			highlights = append(highlights, [2]int{from, count(s.To)})
		}
	}
	return highlights
}

// MapSpans converts spans of the contents to spans of the excerpt's text, and clips them to the
// part that it shows. Spans of the title are unchanged.
func (e Excerpt) MapSpans(spans []Span) []Span {
	mapped := make([]Span, 0, len(spans))
	for _, s := range spans {
		if !s.Title {
			s.From, s.To = max(s.From, e.from)-e.from, min(s.To, e.to)-e.from
			if s.From >= s.To {
				continue
			}
			s.From, s.To = s.From+e.lead, s.To+e.lead
		}
		mapped = append(mapped, s)
	}
	return mapped
}
