package query

import (
	"strings"
	"unicode/utf8"
)

// Cut is strings.Cut for text that begins with a query: a separator inside a phrase,
// an {exact text} or a comment is part of the query. So is all that follows a quote or a brace
// that is never closed, which Parse then says of it.
func Cut(text string, separator rune) (before, after string, found bool) {
	if !utf8.ValidString(text) {
		return strings.Cut(text, string(separator)) // no query at all, as Parse will say
	}
	l := &lexer{src: []rune(text)}
	for l.pos < len(l.src) {
		var err error
		switch r := l.src[l.pos]; {
		case r == separator:
			return string(l.src[:l.pos]), string(l.src[l.pos+1:]), true
		case l.has(l.pos, "<<<"):
			err = l.skipSpace()
		case r == '{':
			_, err = l.exact()
		case l.quoteAt(l.pos) > 0:
			_, err = l.phrase()
		default:
			l.pos++
		}
		if err != nil {
			break
		}
	}
	return text, "", false
}
