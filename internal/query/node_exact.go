package query

import (
	"iter"
	"slices"
	"strings"
)

// exact matches texts in which its text stands as it is written, in that case of
// letters and with those signs, on its own: {BT} is not found in BTW.
type exact struct {
	text  string
	terms []*term // the words of the text, by which it is found; none in one of signs only
	lead  int     // where in the text the first of them begins
}

func (n *exact) match(in *text) bool {
	if len(n.terms) == 0 {
		return n.inPieces(in)
	}
	for range n.tokens(in) {
		return true
	}
	return false
}

func (n *exact) addSpans(in *text, _ matchEnd, into *spanSet) {
	if len(n.terms) == 0 {
		n.addSymbolSpans(in, into)
		return
	}
	for tok := range n.tokens(in) {
		into.withWidth(n.width()).add(int(tok.position))
	}
}

// tokens yields the tokens at which the text stands, which has words. Those that are
// written alike are dismissed together when their own characters are others.
func (n *exact) tokens(in *text) iter.Seq[*token] {
	return func(yield func(*token) bool) {
		for head := in.first(n.terms[0]); head != nil; head = in.search(head.next, n.terms[0]) {
			if own := in.sourceOf(head); !strings.HasPrefix(n.text[n.lead:], own) {
				continue
			}
			for tok := head; tok != nil; tok = in.nextRepeat(tok) {
				source := in.pieces[in.pieceAt(int(tok.position))].source
				from := int(tok.from) - n.lead
				if from >= 0 && strings.HasPrefix(source[from:], n.text) && n.continues(in, tok) && !yield(tok) {
					return
				}
			}
		}
	}
}

// inPieces reports whether the characters stand anywhere, which is soon found out.
func (n *exact) inPieces(in *text) bool {
	return slices.ContainsFunc(in.pieces, func(p piece) bool { return strings.Contains(p.source, n.text) })
}

// continues reports whether the other words stand after the first: the text could go
// on as part of a longer word.
func (n *exact) continues(in *text, tok *token) bool {
	position := int(tok.position + tok.width)
	for _, m := range n.terms[1:] {
		next := in.at(position, m)
		if next == nil {
			return false
		}
		position += int(next.width)
	}
	return true
}

func (n *exact) width() int {
	width := 0
	for _, m := range n.terms {
		width += m.tokenWidth
	}
	return width
}

// addSymbolSpans finds a text without words. It takes up no position: it stands
// before the word that follows it.
func (n *exact) addSymbolSpans(in *text, into *spanSet) {
	for i, p := range in.pieces {
		end := len(in.words)
		if i+1 < len(in.pieces) {
			end = int(in.pieces[i+1].first) - 1 // the gap
		}
		next := int(p.first)
		for from := 0; ; from++ {
			found := strings.Index(p.source[from:], n.text)
			if found < 0 {
				break
			}
			from += found
			for next < end && int(in.words[next].from) < from {
				next++
			}
			into.withWidth(0).add(next)
		}
	}
}

// at returns the token at a position if m matches it, or nil.
func (t *text) at(position int, m *term) *token {
	if position >= len(t.words) {
		return nil
	}
	if tok := &t.words[position]; tok.width > 0 && m.matches(&t.tokenizer, tok) {
		return tok
	}
	if tag := t.tagAt(position); tag != nil && m.matches(&t.tokenizer, tag) {
		return tag
	}
	return nil
}

// addOtherEnd: a match has one place, which is both of its ends.
func (*exact) addOtherEnd(_ *text, _ matchEnd, known, into *spanSet) { known.addAll(into) }

func (n *exact) highlight(in *text, into *spanSet) { n.addSpans(in, anyEnd, into) }

func (*exact) depth() int              { return 0 }
func (*exact) positive(want bool) bool { return want }

func (n *exact) prefilter(groups []Clause, _ func(Literal) int) []Clause {
	for _, m := range n.terms {
		groups = append(groups, Clause{m.literal()})
	}
	return groups
}

// print writes braces or, where the text has one, raw: and quotes.
func (n *exact) print(b []byte) []byte {
	if !strings.ContainsAny(n.text, "{}") {
		b = append(b, '{')
		b = append(b, n.text...)
		return append(b, '}')
	}
	b = append(b, `raw:"`...)
	b = append(b, strings.ReplaceAll(n.text, `"`, `\"`)...)
	return append(b, '"')
}
