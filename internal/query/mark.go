package query

import "unicode/utf8"

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
