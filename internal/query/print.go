package query

import (
	"strconv"
	"strings"
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

// printOperand prints an operand, in parentheses if it is an AND, OR or NEAR expression.
func printOperand(b []byte, n node) []byte {
	switch n.(type) {
	case and, or, *near:
		return printGroup(b, n)
	}
	return n.print(b)
}

func printGroup(b []byte, n node) []byte {
	b = append(b, '(')
	b = n.print(b)
	return append(b, ')')
}

func (n *near) print(b []byte) []byte {
	b = printOperand(b, n.left)
	if n.ordered {
		b = append(b, " ONEAR/"...)
	} else {
		b = append(b, " NEAR/"...)
	}
	b = strconv.AppendInt(b, int64(n.distance), 10)
	return printOperand(append(b, ' '), n.right)
}

func (n *window) print(b []byte) []byte {
	if n.quoted {
		b = append(b, '"')
		for i, p := range n.parts {
			if i > 0 {
				b = append(b, ' ')
			}
			b = printUnspaced(b, p)
		}
		b = append(b, '"')
	} else {
		b = append(b, '(')
		for i, p := range n.parts {
			if i > 0 {
				b = append(b, " AND "...)
			}
			b = printOperand(b, p)
		}
		b = append(b, ')')
	}
	b = append(b, '~')
	return strconv.AppendInt(b, int64(n.distance), 10)
}

// printUnspaced prints a word or phrase without spaces.
func printUnspaced(b []byte, n spanNode) []byte {
	if w, ok := n.(*word); ok {
		return w.matcher.print(b)
	}
	for i, e := range n.(*phrase).matchers {
		if i > 0 && !writtenTogether(n.(*phrase).matchers[i-1], e) {
			b = append(b, '-')
		}
		b = e.print(b)
	}
	return b
}

func (n *word) print(b []byte) []byte {
	// Quote words that would be read as a misspelled operator.
	if t, ok := n.matcher.(*term); ok {
		if _, ok := misspelledOperator(t.text); ok {
			b = append(b, '"')
			b = t.print(b)
			return append(b, '"')
		}
	}
	return n.matcher.print(b)
}

func (n *phrase) print(b []byte) []byte {
	start := len(b)
	b = append(b, '"')
	spaced := false
	for i, e := range n.matchers {
		if i > 0 && !writtenTogether(n.matchers[i-1], e) {
			b = append(b, ' ')
			spaced = true
		}
		b = e.print(b)
	}
	if !spaced { // 日本 is a phrase of two words and is more readable without quotes
		return append(b[:start], b[start+1:]...)
	}
	return append(b, '"')
}

// writtenTogether reports whether two words of a phrase are characters of a script without spaces,
// which the tokenizer separates again.
func writtenTogether(a, b tokenMatcher) bool {
	first, ok := a.(*term)
	if !ok || first.sigil != 0 || !unspaced(first.text) {
		return false
	}
	switch second := b.(type) {
	case *term:
		return second.sigil == 0 && unspaced(second.text)
	case *wildcard:
		return second.sigil == 0 && unspaced(second.text)
	}
	return false
}

func unspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isIdeographic(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func (n *textField) print(b []byte) []byte {
	b = append(b, n.field.name...)
	b = append(b, ':')
	switch n.leaf.(type) {
	case *word, *phrase:
		return n.leaf.print(b)
	}
	return printGroup(b, n.leaf)
}

func (n *valueField) print(b []byte) []byte {
	b = append(b, n.field.name...)
	b = append(b, ':')
	if !strings.ContainsFunc(n.text, needsQuotes) {
		return append(b, n.text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(n.text, `"`, `\"`)...)
	return append(b, '"')
}

// needsQuotes reports whether a value that contains r is printed in quotes.
func needsQuotes(r rune) bool {
	return r != '.' && r != '-' && r != '_' && r != '*' && r != '?' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
