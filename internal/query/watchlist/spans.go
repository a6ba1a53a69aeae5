package watchlist

import "earshot/internal/query"

// Spans returns what a reader should see of why the condition selects d: the words
// that its keywords looked for and found, and those of the monitor that a filter
// belongs to. They are like those of query.Query.Spans. A nil condition has none.
func (c *Condition) Spans(d *query.Document) []query.Span {
	var spans []query.Span
	for ; c != nil; c = c.within {
		if c.keywords != nil {
			spans = query.MergeSpans(spans, c.keywords.Spans(d))
		}
	}
	return spans
}
