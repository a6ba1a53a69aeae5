package query

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// A Span is a part of a post's title or contents, in bytes.
type Span struct {
	Title    bool
	From, To int
}

// Spans returns what a reader should see of why the query selects d: the words and
// phrases that were looked for and found, in the order of the text, title first,
// none overlapping another. There are none when q does not select d, or does for
// other reasons than its text.
func (q *Query) Spans(d *Document) []Span {
	if !q.root.match(&d.main) {
		return nil
	}
	in := &d.main
	found := in.pool.newSpans()
	q.root.highlight(in, found)
	var spans []Span
	for _, r := range found.groups {
		for i := r.starts.next(0); i >= 0; i = r.starts.next(i + 1) {
			if r.width > 0 {
				spans = append(spans, in.span(i, i+r.width))
			}
		}
	}
	found.free()
	return merge(spans)
}

// span returns where the words from one position to before another stand.
func (t *text) span(from, to int) Span {
	title := len(t.pieces) > 1 && from < int(t.pieces[1].first) || t.doc.Post.Contents == ""
	first, last := &t.words[from], &t.words[to-1]
	return Span{Title: title, From: int(first.from), To: int(last.to)}
}

// merge sorts spans and joins those that overlap.
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

// Highlights returns where spans stand in a text, in UTF-16 code units, which is how JavaScript
// counts: from, and to before which. text is the title or the contents that the spans are of;
// those of the other are left out. A tag is marked with its sigil. Where the text is not
// UTF-8, each wrong byte counts as the one character that stands for it in JSON.
func Highlights(text string, title bool, spans []Span) [][2]int {
	marks := [][2]int{}
	at, units := 0, 0
	count := func(to int) int {
		for at < to {
			r, size := utf8.DecodeRuneInString(text[at:])
			if at += size; r > 0xffff {
				units++ // half of it
			}
			units++
		}
		return units
	}
	for _, s := range spans {
		if s.Title == title {
			from := count(sigilStart(text, at, s.From))
			marks = append(marks, [2]int{from, count(s.To)})
		}
	}
	return marks
}

// MapSpans returns the spans of contents as they stand in what Excerpt makes of it, those of
// the title as they are. What an excerpt cuts off is not in it.
func (e Excerpt) MapSpans(spans []Span) []Span {
	shown := make([]Span, 0, len(spans))
	for _, s := range spans {
		if !s.Title {
			s.From, s.To = max(s.From, e.from)-e.from, min(s.To, e.to)-e.from
			if s.From >= s.To {
				continue
			}
			s.From, s.To = s.From+e.lead, s.To+e.lead
		}
		shown = append(shown, s)
	}
	return shown
}
