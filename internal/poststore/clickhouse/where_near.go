package clickhouse

import "earshot/internal/query"

// spread returns the positions with a member of the set at most distance positions before them or,
// if back is set, after them, and the members themselves.
func (s *spanner) spread(set string, distance int, back bool) string {
	positions := "arrayEnumerate(" + s.text.words() + ")"
	fill, difference := "arrayFill", "i - f"
	if back {
		fill, difference = "arrayReverseFill", "f - i"
	}
	nearest := fill + "(f -> f > 0, arrayMap((e, i) -> if(e, i, 0), " + set + ", " + positions + "))"
	return s.limited("arrayMap((f, i) -> f > 0 AND " + difference + " <= " + s.bindInt(int64(distance)) + ", " + nearest + ", " + positions + ")")
}

// operands returns the spans of both operands.
func (s *spanner) operands(f query.HasNear) (left, right []spanGroup) {
	if f.Ordered {
		return s.spansOf(f.Left, lastEnd), s.spansOf(f.Right, firstEnd)
	}
	return s.spansOf(f.Left, anyEnd), s.spansOf(f.Right, anyEnd)
}

// meets returns the condition that a span of b follows one of a at the distance.
func (s *spanner) meets(a, b []spanGroup, distance int) string {
	return "arrayExists((r, s) -> r AND s, " + s.spread(s.endsOf(a), distance, false) + ", " + s.startsOf(b) + ")"
}

// lasts returns the spans of b that follow one of a at the distance.
func (s *spanner) lasts(a, b []spanGroup, distance int) []spanGroup {
	reached := s.spread(s.endsOf(a), distance, false)
	var made []spanGroup
	for _, g := range b {
		made = append(made, spanGroup{g.width, s.limited(combine([]string{g.starts, reached}, " AND "))})
	}
	return made
}

// firsts returns the spans of a that one of b follows at the distance.
func (s *spanner) firsts(a, b []spanGroup, distance int) []spanGroup {
	reaching := s.spread(s.startsOf(b), distance, true)
	var made []spanGroup
	for _, g := range a {
		made = append(made, spanGroup{g.width, s.limited(combine([]string{g.starts, shiftLeft(reaching, g.width, "0")}, " AND "))})
	}
	return made
}

// nearSpans returns the spans of a NEAR at one end of its matches.
func (s *spanner) nearSpans(f query.HasNear, end matchEnd) []spanGroup {
	left, right := s.operands(f)
	if s.failed {
		return nil
	}
	var groups []spanGroup
	switch {
	case f.Ordered && end == firstEnd:
		return s.otherEnd(f.Left, lastEnd, s.firsts(left, right, f.Distance))
	case f.Ordered && end == lastEnd:
		return s.otherEnd(f.Right, firstEnd, s.lasts(left, right, f.Distance))
	case f.Ordered:
		return s.merge(append(s.firsts(left, right, f.Distance), s.lasts(left, right, f.Distance)...))
	}
	if end != lastEnd {
		groups = append(s.firsts(left, right, f.Distance), s.firsts(right, left, f.Distance)...)
	}
	if end != firstEnd {
		groups = append(append(groups, s.lasts(left, right, f.Distance)...), s.lasts(right, left, f.Distance)...)
	}
	return s.merge(groups)
}

// otherEnd returns the spans at the opposite end of the matches whose spans at end from are known.
func (s *spanner) otherEnd(f query.Formula, from matchEnd, known []spanGroup) []spanGroup {
	if s.failed {
		return nil
	}
	switch f := f.(type) {
	case query.AnyOf:
		var groups []spanGroup
		for _, part := range f {
			groups = append(groups, s.otherEnd(part, from, s.intersect(known, s.spansOf(part, from)))...)
		}
		return s.merge(groups)
	case query.HasNear:
		if f.Ordered {
			return s.otherEndOrdered(f, from, known)
		}
		left, right := s.operands(f)
		var groups []spanGroup
		for _, pair := range [][2][]spanGroup{{left, right}, {right, left}} {
			mine, other := s.intersect(known, pair[0]), pair[1]
			switch {
			case len(mine) == 0:
			case from == firstEnd:
				groups = append(groups, s.lasts(mine, other, f.Distance)...)
			default:
				groups = append(groups, s.firsts(other, mine, f.Distance)...)
			}
		}
		return s.merge(groups)
	}
	return known // a single span is both ends
}

func (s *spanner) otherEndOrdered(f query.HasNear, from matchEnd, known []spanGroup) []spanGroup {
	if len(known) == 0 {
		return nil
	}
	if from == firstEnd {
		inner := s.otherEnd(f.Left, from, known)
		if len(inner) == 0 {
			return nil
		}
		return s.otherEnd(f.Right, from, s.lasts(inner, s.spansOf(f.Right, from), f.Distance))
	}
	inner := s.otherEnd(f.Right, from, known)
	if len(inner) == 0 {
		return nil
	}
	return s.otherEnd(f.Left, from, s.firsts(s.spansOf(f.Left, from), inner, f.Distance))
}

// intersect returns the spans that are in both sets.
func (s *spanner) intersect(a, b []spanGroup) []spanGroup {
	var made []spanGroup
	for _, x := range a {
		for _, y := range b {
			if x.width == y.width {
				made = append(made, spanGroup{x.width, s.limited(combine([]string{x.starts, y.starts}, " AND "))})
			}
		}
	}
	return made
}

// findWindow returns the positions where windows with all parts start. It does not require that
// parts start at different words, which matters only if they may overlap.
func (s *spanner) findWindow(w query.WindowCase) string {
	s.superset = s.superset || w.MayOverlap
	var arrays []string
	for _, p := range w.Parts {
		groups := s.spansOf(p.Formula, anyEnd)
		if len(groups) != 1 || groups[0].width != p.Width {
			s.failed = true
		}
		if s.failed {
			return "[]"
		}
		if starts, reach := groups[0].starts, w.Length-p.Width; p.Count == 1 {
			arrays = append(arrays, s.spread(starts, reach, true))
		} else {
			arrays = append(arrays, s.several(starts, reach, p.Count))
		}
	}
	return s.limited(combine(arrays, " AND "))
}

// several returns the positions with at least count members of a set between them and the position
// at the distance reach after them.
func (s *spanner) several(set string, reach, count int) string {
	sum := "arrayCumSum(" + set + ")"
	upTo := "arrayResize(arraySlice(" + sum + ", " + s.bindInt(int64(reach+1)) + "), length(" + s.text.words() + "), " + sum + "[-1])"
	return s.limited("arrayMap((a, b) -> a - b >= " + s.bindInt(int64(count)) + ", " + upTo + ", " + shiftRight(sum, 1) + ")")
}

// windowSpans returns the spans of the parts that are inside a window.
func (s *spanner) windowSpans(f query.HasWindow) []spanGroup {
	var groups []spanGroup
	for _, w := range f {
		found := s.findWindow(w)
		for _, p := range w.Parts {
			if s.failed {
				return nil
			}
			reached := s.spread(found, w.Length-p.Width, false)
			starts := s.startsOf(s.spansOf(p.Formula, anyEnd))
			groups = append(groups, spanGroup{p.Width, s.limited(combine([]string{starts, reached}, " AND "))})
		}
	}
	return s.merge(groups)
}
