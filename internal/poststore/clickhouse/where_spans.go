package clickhouse

import (
	"slices"
	"strings"

	"earshot/internal/query"
)

// Positions in SQL. A set of positions is an array of 0 and 1, as long as the array of the words of
// the text. A set of spans is a list of such arrays, one for each width, which have the positions
// where the spans start. The functions below are those of package query on its own sets
// (positions.go, node_near.go, node_window.go), written as SQL. Each works in time proportional to
// the length of the text.

// A spanGroup is a set of spans of the same width.
type spanGroup struct {
	width  int
	starts string // SQL of an array
}

// A spanner compiles formulas with spans.
type spanner struct {
	*compiler
	text section

	superset bool // there are more spans than the formula has
	failed   bool // there is no SQL: no spans are known
}

// spans compiles a formula with spans.
func (c *compiler) spans(f query.Formula, in scope) predicate {
	s := spanner{compiler: c, text: in.text}
	required := c.required(f, in.text)
	return s.finish(required, s.match(f), in)
}

// exactText compiles {exact text}, which SQL cannot decide. The posts have at least its words.
func (c *compiler) exactText(f query.HasExact, in scope) predicate {
	if !in.superset || len(f.Words) == 0 {
		return undecided(in.superset)
	}
	made := c.word(f.Words[0], in)
	if len(f.Words) > 1 {
		made = c.phrase(f.Words, in)
	}
	made.exact = false
	return made
}

// finish returns the predicate for what the text index and the positions say.
func (s *spanner) finish(required predicate, sql string, in scope) predicate {
	switch {
	case !s.failed && !s.superset:
		return s.all(required, s.expression(sql))
	case !in.superset:
		return undecided(false)
	case s.failed:
		required.exact = false
		return required
	}
	made := s.all(required, s.expression(sql))
	made.exact = false
	return made
}

// maxPositions limits the length of one expression on positions in bytes. Nested NEARs repeat the
// expressions of their operands, so it can be long.
const maxPositions = 8 << 10

// limited returns the SQL, unless it is too long.
func (s *spanner) limited(sql string) string {
	if len(sql) > maxPositions || s.isFull() || s.size+len(sql) > maxSize {
		s.failed = true
	}
	if s.failed {
		return "[]"
	}
	return sql
}

// match returns the condition that a formula has a span.
func (s *spanner) match(f query.Formula) string {
	switch f := f.(type) {
	case query.HasNear:
		left, right := s.operands(f)
		found := s.meets(left, right, f.Distance)
		if !f.Ordered {
			found = "(" + found + " OR " + s.meets(right, left, f.Distance) + ")"
		}
		return s.limited(found)
	case query.HasWindow:
		var found []string
		for _, w := range f {
			found = append(found, "arrayExists(x -> x, "+s.findWindow(w)+")")
		}
		return s.limited(join(found, " OR "))
	}
	return s.limited("arrayExists(x -> x, " + s.startsOf(s.spansOf(f, anyEnd)) + ")")
}

// matchPhrase returns the condition that the text has a phrase.
func (s *spanner) matchPhrase(patterns []query.TokenPattern) string {
	return s.limited("arrayExists(x -> x, " + s.phraseSpan(patterns).starts + ")")
}

// starts returns the positions of the words that match a pattern.
func (c *compiler) starts(p query.TokenPattern, text section) string {
	if !isPlain(p) {
		return "arrayMap(m -> " + c.contains("m", p).sql + ", " + text.marks() + ")"
	}
	prefix, only := p.Prefix()
	switch {
	case only:
		return "arrayMap(w -> startsWith(w, " + c.bind(prefix) + "), " + text.words() + ")"
	case p.Wildcard:
		return "arrayMap(w -> match(w, " + c.bind("^"+wordRegexp(p.Text)+"$") + "), " + text.words() + ")"
	}
	return "arrayMap(w -> w = " + c.bind(p.Plain) + ", " + text.words() + ")"
}

// startsAt returns the positions of the words that match a pattern. Where marks have no positions, it
// returns those of all words with the plain spelling.
func (s *spanner) startsAt(p query.TokenPattern) string {
	if s.text == authorText && !isPlain(p) {
		s.superset = true
		s.failed = s.failed || p.Wildcard || p.Width > 1
		p = query.TokenPattern{Plain: p.Plain, Text: p.Plain, Width: 1}
	}
	return s.starts(p, s.text)
}

func (s *spanner) phraseSpan(patterns []query.TokenPattern) spanGroup {
	const maxWords = 50 // a copy of the text for each
	if len(patterns) > maxWords {
		s.failed = true
		return spanGroup{1, "[]"}
	}
	var arrays []string
	width := 0
	for _, p := range patterns {
		arrays = append(arrays, shiftLeft(s.startsAt(p), width, "0"))
		width += p.Width
	}
	return spanGroup{width, s.limited(combine(arrays, " AND "))}
}

// combine returns the intersection or union of sets of positions.
func combine(arrays []string, operator string) string {
	if len(arrays) == 1 {
		return arrays[0]
	}
	names := lambdaNames(len(arrays))
	return "arrayMap((" + strings.Join(names, ", ") + ") -> " + strings.Join(names, operator) + ", " + strings.Join(arrays, ", ") + ")"
}

// A matchEnd selects among the spans of a NEAR, as in package query.
type matchEnd int

const (
	anyEnd matchEnd = iota
	firstEnd
	lastEnd
)

func (s *spanner) spansOf(f query.Formula, end matchEnd) []spanGroup {
	if s.failed {
		return nil
	}
	switch f := f.(type) {
	case query.HasWord:
		return []spanGroup{{f.Pattern.Width, s.startsAt(f.Pattern)}}
	case query.HasPhrase:
		return []spanGroup{s.phraseSpan(f)}
	case query.HasExact:
		s.superset = true
		if len(f.Words) > 0 {
			return []spanGroup{s.phraseSpan(f.Words)}
		}
	case query.AnyOf:
		return s.anySpans(f, end)
	case query.HasNear:
		return s.nearSpans(f, end)
	case query.HasWindow:
		return s.windowSpans(f)
	}
	s.failed = true
	return nil
}

// anySpans returns the spans of all formulas. It looks up plain words in one list.
func (s *spanner) anySpans(list query.AnyOf, end matchEnd) []spanGroup {
	var words []string
	var groups []spanGroup
	for _, f := range list {
		if w, ok := f.(query.HasWord); ok && isPlain(w.Pattern) && !w.Pattern.Wildcard {
			words = append(words, w.Pattern.Plain)
		} else {
			groups = append(groups, s.spansOf(f, end)...)
		}
	}
	if len(words) > 0 {
		groups = append(groups, spanGroup{1, "arrayMap(w -> w IN " + s.bindList(words) + ", " + s.text.words() + ")"})
	}
	return s.merge(groups)
}

// merge joins the groups of the same width.
func (s *spanner) merge(groups []spanGroup) []spanGroup {
	var merged []spanGroup
	for i, g := range groups {
		if slices.ContainsFunc(groups[:i], func(other spanGroup) bool { return other.width == g.width }) {
			continue
		}
		var arrays []string
		for _, other := range groups[i:] {
			if other.width == g.width && !slices.Contains(arrays, other.starts) {
				arrays = append(arrays, other.starts)
			}
		}
		merged = append(merged, spanGroup{g.width, s.limited(combine(arrays, " OR "))})
	}
	return merged
}

func (s *spanner) startsOf(groups []spanGroup) string {
	var arrays []string
	for _, g := range groups {
		arrays = append(arrays, g.starts)
	}
	return s.union(arrays)
}

// endsOf returns the positions after spans.
func (s *spanner) endsOf(groups []spanGroup) string {
	var arrays []string
	for _, g := range groups {
		arrays = append(arrays, shiftRight(g.starts, g.width))
	}
	return s.union(arrays)
}

func (s *spanner) union(arrays []string) string {
	if len(arrays) == 0 {
		s.failed = true
		return "[]"
	}
	return s.limited(combine(arrays, " OR "))
}
