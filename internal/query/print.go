package query

import (
	"unicode"
	"unicode/utf8"
)

func (n and) print(b []byte) []byte { return printJoined(b, n, " AND ") }
func (n or) print(b []byte) []byte  { return printJoined(b, n, " OR ") }

func (n *not) print(b []byte) []byte {
	b = append(b, "NOT "...)
	if _, double := n.operand.(*not); double {
		return printGroup(b, n.operand)
	}
	return printOperand(b, n.operand)
}

func printJoined(b []byte, parts []node, operator string) []byte {
	for i, p := range parts {
		if i > 0 {
			b = append(b, operator...)
		}
		b = printOperand(b, p)
	}
	return b
}

// printOperand puts parentheses around what would otherwise mix AND with OR or
// be taken apart by NOT.
func printOperand(b []byte, n node) []byte {
	switch n.(type) {
	case and, or:
		return printGroup(b, n)
	}
	return n.print(b)
}

func printGroup(b []byte, n node) []byte {
	b = append(b, '(')
	b = n.print(b)
	return append(b, ')')
}

func (n *word) print(b []byte) []byte {
	// A word that was quoted so as not to be taken for an operator stays quoted.
	if _, misspelt := misspeltOperator(n.term.text); misspelt {
		b = append(b, '"')
		b = n.term.print(b)
		return append(b, '"')
	}
	return n.term.print(b)
}

func (n *phrase) print(b []byte) []byte {
	start := len(b)
	b = append(b, '"')
	spaced := false
	for i, t := range n.terms {
		if i > 0 && !writtenTogether(n.terms[i-1], t) {
			b = append(b, ' ')
			spaced = true
		}
		b = t.print(b)
	}
	if !spaced { // 日本 is a phrase of two words, and reads better bare
		return append(b[:start], b[start+1:]...)
	}
	return append(b, '"')
}

func (t *term) print(b []byte) []byte {
	if t.sigil != 0 {
		b = append(b, t.sigil)
	}
	return append(b, t.text...)
}

// writtenTogether reports whether two words of a phrase are characters of a
// script without spaces, which the tokenizer takes apart again.
func writtenTogether(a, b *term) bool {
	return a.sigil == 0 && b.sigil == 0 && unspaced(a.text) && unspaced(b.text)
}

func unspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isIdeographic(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
