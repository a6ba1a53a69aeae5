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
		return naive(n.leaf, in.doc.text(n.field))
	case placed:
		return len(naiveSpans(n, in, anywhere)) > 0
	}
	return n.match(in)
}

type naiveSpan struct{ from, to int }

// naiveSpans returns where a node stands.
func naiveSpans(n placed, in *text, which end) map[naiveSpan]bool {
	found := map[naiveSpan]bool{}
	switch n := n.(type) {
	case *word:
		for at := range in.words {
			if tok := naiveToken(n.element, in, at); tok != nil {
				found[naiveSpan{at, at + n.element.span()}] = true
			}
		}
	case *phrase:
		for at := range in.words {
			if end, ok := naiveFollow(n.elements, in, at); ok {
				found[naiveSpan{at, end}] = true
			}
		}
	case *raw:
		naiveRaw(n, in, found)
	case or:
		for _, part := range n {
			for s := range naiveSpans(part.(placed), in, which) {
				found[s] = true
			}
		}
	case *near:
		naiveNear(n, in, which, found)
	case *window:
		naiveWindow(n, in, n.parts, nil, found)
	}
	return found
}

// naiveToken returns the token at a position that an element stands for.
func naiveToken(e element, in *text, at int) *token {
	for i := range len(in.words) + len(in.tags) {
		tok := in.token(i)
		if tok.width > 0 && int(tok.position) == at && naiveEqual(e, in, tok) {
			return tok
		}
	}
	return nil
}

func naiveEqual(e element, in *text, tok *token) bool {
	text, plain := string(in.bytes(tok.text)), string(in.bytes(tok.plain))
	switch e := e.(type) {
	case *term:
		if e.sigil != 0 && e.sigil != tok.sigil || e.width != int(tok.width) {
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

func naiveFollow(elements []element, in *text, at int) (end int, ok bool) {
	for _, e := range elements {
		if at >= len(in.words) {
			return 0, false
		}
		if naiveToken(e, in, at) == nil {
			return 0, false
		}
		at += e.span()
	}
	return at, true
}

func naiveRaw(n *raw, in *text, found map[naiveSpan]bool) {
	if len(n.terms) == 0 {
		for _, p := range in.pieces {
			if strings.Contains(p.source, n.text) {
				found[naiveSpan{}] = true // where it stands is not compared
			}
		}
		return
	}
	elements := make([]element, len(n.terms))
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

// naiveNear looks at every pair.
func naiveNear(n *near, in *text, which end, found map[naiveSpan]bool) {
	leftEnd, rightEnd := anywhere, anywhere
	if n.ordered {
		leftEnd, rightEnd = hindmost, foremost
	}
	left, right := naiveSpans(n.left, in, leftEnd), naiveSpans(n.right, in, rightEnd)
	meet := func(a, b naiveSpan) bool {
		if gap := b.from - a.to; gap < 0 || gap > n.distance {
			return false
		}
		if which != hindmost {
			found[a] = true
		}
		if which != foremost {
			found[b] = true
		}
		return true
	}
	met := false
	for a := range left {
		for b := range right {
			met = meet(a, b) || met
			if !n.ordered {
				met = meet(b, a) || met
			}
		}
	}
	// The outer end of an ordered near is that of the operand there.
	outer := n.left
	if which == hindmost {
		outer = n.right
	}
	if _, nested := outer.(*near); n.ordered && nested && which != anywhere {
		clear(found)
		if met {
			for s := range naiveSpans(outer, in, which) {
				found[s] = true
			}
		}
	}
}

// naiveWindow tries every choice of places for the parts.
func naiveWindow(n *window, in *text, parts []placed, chosen []naiveSpan, found map[naiveSpan]bool) {
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
	for s := range naiveSpans(parts[0], in, anywhere) {
		taken := false
		for i, earlier := range chosen {
			taken = taken || earlier == s && samePart(n.parts[i], n.parts[position])
		}
		if !taken {
			naiveWindow(n, in, parts[1:], append(chosen[:position:position], s), found)
		}
	}
}

func samePart(a, b placed) bool { return string(a.print(nil)) == string(b.print(nil)) }
