package query

import (
	"iter"
	"slices"
	"strings"
)

// exact matches texts that contain its text verbatim, including case and punctuation, as whole
// words: {BT} does not match BTW.
type exact struct {
	text  string
	terms []*term // the tokens of text; empty if it has only symbols
	lead  int     // offset of the first term in text
}

func (n *exact) match(in *text) bool {
	if len(n.terms) == 0 {
		return in.contains(n.text)
	}
	for range n.tokens(in) {
		return true
	}
	return false
}

func (n *exact) addSpans(in *text, _ matchEnd, dst *spanSet) {
	if len(n.terms) == 0 {
		n.addSymbolSpans(in, dst)
		return
	}
	for tok := range n.tokens(in) {
		dst.withWidth(n.width()).add(int(tok.position))
	}
}

// tokens yields the first token of each match. The exact text must have terms. If the source
// spelling of a token does not match, all its repeats are skipped at once.
func (n *exact) tokens(in *text) iter.Seq[*token] {
	return func(yield func(*token) bool) {
		for head := in.first(n.terms[0]); head != nil; head = in.search(head.next, n.terms[0]) {
			if own := in.sourceOf(head); !strings.HasPrefix(n.text[n.lead:], own) {
				continue
			}
			if head.repeats >= minSearchedRepeats && !in.contains(n.text) {
				return
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

// contains reports whether a piece contains the text, as whole words or not.
func (t *text) contains(text string) bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return strings.Contains(p.source, text) })
}

// continues reports whether the other terms follow the first one. If not, the exact text ends
// inside a longer word.
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

// addSymbolSpans adds the matches of a text without terms. Such spans have width 0 and start at the
// next word.
func (n *exact) addSymbolSpans(in *text, dst *spanSet) {
	for i, p := range in.pieces {
		end := len(in.words)
		if i+1 < len(in.pieces) {
			end = int(in.pieces[i+1].first) - 1 // the gap between pieces
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
			dst.withWidth(0).add(next)
		}
	}
}

func (n *exact) matchers() []tokenMatcher {
	matchers := make([]tokenMatcher, len(n.terms))
	for i, t := range n.terms {
		matchers[i] = t
	}
	return matchers
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

// addOtherEnd copies known, because a match is a single span and thus both of its ends.
func (*exact) addOtherEnd(_ *text, _ matchEnd, known, dst *spanSet) { known.addAll(dst) }

func (n *exact) highlight(in *text, dst *spanSet) { n.addSpans(in, anyEnd, dst) }

func (*exact) depth() int              { return 0 }
func (*exact) positive(want bool) bool { return want }

func (n *exact) prefilter(clauses []Clause, _ func(Literal) int) []Clause {
	for _, m := range n.terms {
		clauses = append(clauses, Clause{m.literal()})
	}
	return clauses
}

// print uses braces, or raw:"…" if the text contains a brace.
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
