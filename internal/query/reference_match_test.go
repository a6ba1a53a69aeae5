package query

import "strings"

// referenceMatch is the simplest implementation of match: it tries every position and every
// combination. For fields of values and numbers it calls the node itself.
func referenceMatch(n node, in *text) bool {
	switch n := n.(type) {
	case and:
		for _, part := range n {
			if !referenceMatch(part, in) {
				return false
			}
		}
		return true
	case or:
		for _, part := range n {
			if referenceMatch(part, in) {
				return true
			}
		}
		return false
	case *not:
		return !referenceMatch(n.operand, in)
	case *textField:
		t := in.doc.text(n.field)
		return t != nil && referenceMatch(n.leaf, t)
	case spanNode:
		return len(referenceSpans(n, in)) > 0
	}
	return n.match(in)
}

type referenceSpan struct{ from, to int }

// referenceSpans returns the spans of a node's matches.
func referenceSpans(n spanNode, in *text) map[referenceSpan]bool {
	found := map[referenceSpan]bool{}
	switch n := n.(type) {
	case *word:
		for at := range in.words {
			if tok := referenceToken(n.matcher, in, at); tok != nil {
				found[referenceSpan{at, at + n.matcher.width()}] = true
			}
		}
	case *phrase:
		for at := range in.words {
			if end, ok := referenceSequence(n.matchers, in, at); ok {
				found[referenceSpan{at, end}] = true
			}
		}
	case *exact:
		referenceExact(n, in, found)
	case or:
		for _, part := range n {
			for s := range referenceSpans(part.(spanNode), in) {
				found[s] = true
			}
		}
	case *near:
		for m := range referenceNearMatches(n, in) {
			found[m.met], found[m.metToo] = true, true
		}
	case *window:
		referenceWindow(n, in, n.parts, nil, found)
	}
	return found
}

// referenceToken returns the token at a position if it matches, or nil.
func referenceToken(e tokenMatcher, in *text, at int) *token {
	for i := range len(in.words) + len(in.tags) {
		tok := in.token(i)
		if tok.width > 0 && int(tok.position) == at && referenceTokenMatch(e, in, tok) {
			return tok
		}
	}
	return nil
}

func referenceTokenMatch(e tokenMatcher, in *text, tok *token) bool {
	text, plain := string(in.bytes(tok.text)), string(in.bytes(tok.plain))
	switch e := e.(type) {
	case *term:
		if e.sigil != 0 && e.sigil != tok.sigil || e.tokenWidth != int(tok.width) {
			return false
		}
		return e.text == e.plain && plain == e.plain || e.text != e.plain && text == e.text
	case *wildcard:
		if e.sigil != 0 && e.sigil != tok.sigil || e.sigil == 0 && tok.width > 1 {
			return false
		}
		if e.text == e.plain {
			text = plain
		}
		return referenceGlob([]rune(e.text), []rune(text))
	}
	return false
}

func referenceGlob(pattern, text []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '*':
		return referenceGlob(pattern[1:], text) || len(text) > 0 && referenceGlob(pattern, text[1:])
	case len(text) == 0:
		return false
	}
	return (pattern[0] == '?' || pattern[0] == text[0]) && referenceGlob(pattern[1:], text[1:])
}

func referenceSequence(elements []tokenMatcher, in *text, at int) (end int, ok bool) {
	for _, e := range elements {
		if at >= len(in.words) {
			return 0, false
		}
		if referenceToken(e, in, at) == nil {
			return 0, false
		}
		at += e.width()
	}
	return at, true
}

func referenceExact(n *exact, in *text, found map[referenceSpan]bool) {
	if len(n.terms) == 0 {
		for _, p := range in.pieces {
			if strings.Contains(p.source, n.text) {
				found[referenceSpan{}] = true // positions of symbols are not compared
			}
		}
		return
	}
	elements := make([]tokenMatcher, len(n.terms))
	for i := range n.terms {
		elements[i] = n.terms[i]
	}
	for at := range in.words {
		end, ok := referenceSequence(elements, in, at)
		if !ok {
			continue
		}
		source, from := in.pieces[in.pieceAt(at)].source, int(in.words[at].from)-n.lead
		if from >= 0 && strings.HasPrefix(source[from:], n.text) {
			found[referenceSpan{at, end}] = true
		}
	}
}

// A referenceNearMatch is a match of an operand of NEAR: its first and last span, and the two spans
// that met in it.
type referenceNearMatch struct{ first, last, met, metToo referenceSpan }

// referenceNearMatches returns all matches.
func referenceNearMatches(n spanNode, in *text) map[referenceNearMatch]bool {
	found := map[referenceNearMatch]bool{}
	switch n := n.(type) {
	case or:
		for _, part := range n {
			for m := range referenceNearMatches(part.(spanNode), in) {
				found[m] = true
			}
		}
	case *near:
		for a := range referenceNearMatches(n.left, in) {
			for b := range referenceNearMatches(n.right, in) {
				if n.ordered {
					if n.reaches(a.last, b.first) {
						found[referenceNearMatch{a.first, b.last, a.last, b.first}] = true
					}
					continue
				}
				for _, x := range []referenceSpan{a.met, a.metToo} {
					for _, y := range []referenceSpan{b.met, b.metToo} {
						if n.reaches(x, y) {
							found[referenceNearMatch{x, y, x, y}] = true
						}
						if n.reaches(y, x) {
							found[referenceNearMatch{y, x, y, x}] = true
						}
					}
				}
			}
		}
	default:
		for s := range referenceSpans(n, in) {
			found[referenceNearMatch{s, s, s, s}] = true
		}
	}
	return found
}

func (n *near) reaches(a, b referenceSpan) bool { return b.from >= a.to && b.from-a.to <= n.distance }

// referenceWindow tries every combination of positions for the parts.
func referenceWindow(n *window, in *text, parts []spanNode, chosen []referenceSpan, found map[referenceSpan]bool) {
	if len(parts) == 0 {
		first, last, used := chosen[0].from, chosen[0].to, 0
		for _, s := range chosen {
			first, last, used = min(first, s.from), max(last, s.to), used+s.to-s.from
		}
		if last-first-used <= n.distance {
			for _, s := range chosen {
				found[s] = true
			}
		}
		return
	}
	position := len(chosen)
	for s := range referenceSpans(parts[0], in) {
		taken := false
		for _, earlier := range chosen {
			taken = taken || earlier.from == s.from
		}
		if !taken {
			referenceWindow(n, in, parts[1:], append(chosen[:position:position], s), found)
		}
	}
}
