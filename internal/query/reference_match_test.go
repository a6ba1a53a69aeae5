package query

import "strings"

// naive is match in the plainest way: it tries every place and every combination.
// Fields of values and of numbers ask the node itself.
func naive(n node, in *text) bool {
	switch n := n.(type) {
	case and:
		for _, part := range n {
			if !naive(part, in) {
				return false
			}
		}
		return true
	case or:
		for _, part := range n {
			if naive(part, in) {
				return true
			}
		}
		return false
	case *not:
		return !naive(n.operand, in)
	case *textField:
		t := in.doc.text(n.field)
		return t != nil && naive(n.leaf, t)
	case spanNode:
		return len(naiveSpans(n, in)) > 0
	}
	return n.match(in)
}

type naiveSpan struct{ from, to int }

// naiveSpans returns where a node stands.
func naiveSpans(n spanNode, in *text) map[naiveSpan]bool {
	found := map[naiveSpan]bool{}
	switch n := n.(type) {
	case *word:
		for at := range in.words {
			if tok := naiveToken(n.matcher, in, at); tok != nil {
				found[naiveSpan{at, at + n.matcher.width()}] = true
			}
		}
	case *phrase:
		for at := range in.words {
			if end, ok := naiveFollow(n.matchers, in, at); ok {
				found[naiveSpan{at, end}] = true
			}
		}
	case *exact:
		naiveRaw(n, in, found)
	case or:
		for _, part := range n {
			for s := range naiveSpans(part.(spanNode), in) {
				found[s] = true
			}
		}
	case *near:
		for m := range naiveMatches(n, in) {
			found[m.met], found[m.metToo] = true, true
		}
	case *window:
		naiveWindow(n, in, n.parts, nil, found)
	}
	return found
}

// naiveToken returns the token at a position that an element stands for.
func naiveToken(e tokenMatcher, in *text, at int) *token {
	for i := range len(in.words) + len(in.tags) {
		tok := in.token(i)
		if tok.width > 0 && int(tok.position) == at && naiveEqual(e, in, tok) {
			return tok
		}
	}
	return nil
}

func naiveEqual(e tokenMatcher, in *text, tok *token) bool {
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
		return naiveGlob([]rune(e.text), []rune(text))
	}
	return false
}

func naiveGlob(pattern, text []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '*':
		return naiveGlob(pattern[1:], text) || len(text) > 0 && naiveGlob(pattern, text[1:])
	case len(text) == 0:
		return false
	}
	return (pattern[0] == '?' || pattern[0] == text[0]) && naiveGlob(pattern[1:], text[1:])
}

func naiveFollow(elements []tokenMatcher, in *text, at int) (end int, ok bool) {
	for _, e := range elements {
		if at >= len(in.words) {
			return 0, false
		}
		if naiveToken(e, in, at) == nil {
			return 0, false
		}
		at += e.width()
	}
	return at, true
}

func naiveRaw(n *exact, in *text, found map[naiveSpan]bool) {
	if len(n.terms) == 0 {
		for _, p := range in.pieces {
			if strings.Contains(p.source, n.text) {
				found[naiveSpan{}] = true // where it stands is not compared
			}
		}
		return
	}
	elements := make([]tokenMatcher, len(n.terms))
	for i := range n.terms {
		elements[i] = n.terms[i]
	}
	for at := range in.words {
		end, ok := naiveFollow(elements, in, at)
		if !ok {
			continue
		}
		source, from := in.pieces[in.pieceAt(at)].source, int(in.words[at].from)-n.lead
		if from >= 0 && strings.HasPrefix(source[from:], n.text) {
			found[naiveSpan{at, end}] = true
		}
	}
}

// A naiveMatch is a match of an operand of NEAR: its first and its last word or
// phrase, and those that met in it.
type naiveMatch struct{ first, last, met, metToo naiveSpan }

// naiveMatches returns all matches, one by one.
func naiveMatches(n spanNode, in *text) map[naiveMatch]bool {
	found := map[naiveMatch]bool{}
	switch n := n.(type) {
	case or:
		for _, part := range n {
			for m := range naiveMatches(part.(spanNode), in) {
				found[m] = true
			}
		}
	case *near:
		for a := range naiveMatches(n.left, in) {
			for b := range naiveMatches(n.right, in) {
				if n.ordered {
					if n.reaches(a.last, b.first) {
						found[naiveMatch{a.first, b.last, a.last, b.first}] = true
					}
					continue
				}
				for _, x := range []naiveSpan{a.met, a.metToo} {
					for _, y := range []naiveSpan{b.met, b.metToo} {
						if n.reaches(x, y) {
							found[naiveMatch{x, y, x, y}] = true
						}
						if n.reaches(y, x) {
							found[naiveMatch{y, x, y, x}] = true
						}
					}
				}
			}
		}
	default:
		for s := range naiveSpans(n, in) {
			found[naiveMatch{s, s, s, s}] = true
		}
	}
	return found
}

func (n *near) reaches(a, b naiveSpan) bool { return b.from >= a.to && b.from-a.to <= n.distance }

// naiveWindow tries every choice of places for the parts.
func naiveWindow(n *window, in *text, parts []spanNode, chosen []naiveSpan, found map[naiveSpan]bool) {
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
	for s := range naiveSpans(parts[0], in) {
		taken := false
		for _, earlier := range chosen {
			taken = taken || earlier.from == s.from
		}
		if !taken {
			naiveWindow(n, in, parts[1:], append(chosen[:position:position], s), found)
		}
	}
}
