package query

import (
	"cmp"
	"slices"
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
