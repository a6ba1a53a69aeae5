package clickhouse

import (
	"regexp"
	"strconv"
	"strings"

	"earshot/internal/query"
)

// A section is the part of a post's text that a formula searches.
type section int

const (
	wholeText section = iota
	titleText
	contentsText
	authorText // the author's names; their marks have no positions
)

// text returns the SQL of the section in the format of column words. The contents also have the marks
// of the title.
func (s section) text() string {
	switch s {
	case titleText:
		return `substring(words, 1, position(words, ' \x02 '))`
	case contentsText:
		return `substring(words, position(words, ' \x02 ') + 2)`
	case authorText:
		return "authorWords"
	}
	return "words"
}

// words returns the SQL of an array of the words by position, with other elements before and after.
func (s section) words() string { return "splitByChar(' ', " + s.text() + ")" }

// marks returns the SQL of an array of the marks by position, as long as words.
func (s section) marks() string {
	marks := "marks"
	if s == contentsText {
		marks = `arraySlice(marks, indexOf(splitByChar(' ', words), '\x02'))`
	}
	return "arrayResize(" + marks + ", length(" + s.words() + "), '')"
}

// isPlain reports whether the pattern is decided by the plain spelling of words.
func isPlain(p query.TokenPattern) bool { return p.Sigil == 0 && !p.HasAccents() && p.Width == 1 }

// tokenOf returns the token of the text index that every match of a pattern has. It must not be a
// wildcard.
func tokenOf(p query.TokenPattern) string {
	switch {
	case isPlain(p):
		return p.Plain
	case p.HasAccents():
		return markOf(p.Sigil, "=", p.Text, p.Width)
	}
	return markOf(p.Sigil, "", p.Plain, p.Width)
}

// markPrefix returns what marks that match a wildcard start with, before its text.
func markPrefix(p query.TokenPattern) string {
	prefix := markByte
	if p.Sigil != 0 {
		prefix += string(rune(p.Sigil))
	}
	if p.HasAccents() {
		prefix += "="
	}
	return prefix
}

// word compiles a word.
func (c *compiler) word(p query.TokenPattern, in scope) predicate {
	required := c.required(query.HasWord{Pattern: p}, in.text)
	switch prefix, only := p.Prefix(); {
	case in.text == wholeText && !p.Wildcard:
		return required
	case in.text == wholeText && only && isPlain(p):
		return c.prefix(prefix)
	case in.text == wholeText && only:
		return c.all(required, c.prefix(markPrefix(p)+prefix))
	case in.text == wholeText || in.text == authorText || isPlain(p):
		return c.all(required, c.contains(in.text.text(), p))
	}
	return c.all(required, c.expression("arrayExists(x -> x, ", c.starts(p, in.text), ")"))
}

// prefix returns the condition that words has a token that starts with a prefix.
func (c *compiler) prefix(prefix string) predicate {
	tokens, known := c.prefixes[prefix]
	switch {
	case !known:
		if c.wanted != nil {
			c.wanted(prefix)
		}
		return predicate{prefix: prefix, exact: true}
	case len(tokens) == 0:
		return neverHolds
	}
	return c.expression(c.hasAny(tokens))
}

// contains returns the condition that a text in the format of column words has a word, or a mark if
// the pattern is not plain.
func (c *compiler) contains(text string, p query.TokenPattern) predicate {
	if !p.Wildcard {
		return c.expression("position(", text, ", ", c.bind(" "+tokenOf(p)+" "), ") > 0")
	}
	lead := " "
	if !isPlain(p) {
		lead += markPrefix(p)
	}
	if prefix, only := p.Prefix(); only {
		return c.expression("position(", text, ", ", c.bind(lead+prefix), ") > 0")
	}
	pattern := quoteRegexp(lead) + wordRegexp(p.Text)
	if p.Sigil != 0 {
		pattern += `(?:\x01[0-9]+)?` // a tag of several words
	}
	return c.expression("match(", text, ", ", c.bind(pattern+" "), ")")
}

// phrase compiles a phrase.
func (c *compiler) phrase(patterns query.HasPhrase, in scope) predicate {
	plain, wildcards := true, false
	words := make([]string, len(patterns))
	for i, p := range patterns {
		plain = plain && isPlain(p)
		wildcards = wildcards || p.Wildcard
		words[i] = p.Plain
	}
	if plain && !wildcards && in.text == wholeText {
		return predicate{phrase: words, exact: true}
	}
	required := c.all(c.required(patterns, in.text), c.sequence(patterns, in.text))
	if plain {
		return required
	}
	s := spanner{compiler: c, text: in.text}
	return s.finish(required, s.matchPhrase(patterns), in)
}

// sequence returns the condition that the plain spellings of a phrase follow each other. It does not
// decide a phrase with marks. A tag of several words ends the sequence.
func (c *compiler) sequence(patterns []query.TokenPattern, in section) predicate {
	var literal, pattern strings.Builder
	onlyPrefix := false // a wildcard at the end
	for i, p := range patterns {
		if p.Width > 1 || p.Wildcard && p.Sigil != 0 {
			patterns = patterns[:i]
			break
		}
	}
	if len(patterns) < 2 {
		return alwaysHolds
	}
	for i, p := range patterns {
		literal.WriteByte(' ')
		pattern.WriteByte(' ')
		switch prefix, only := p.Prefix(); {
		case !p.Wildcard:
			literal.WriteString(p.Plain)
			pattern.WriteString(quoteRegexp(p.Plain))
		case p.HasAccents():
			literal.Reset()
			pattern.WriteString("[^ ]+")
		case only && i == len(patterns)-1:
			onlyPrefix = true
			literal.WriteString(prefix)
		default:
			literal.Reset()
			pattern.WriteString(wordRegexp(p.Plain))
		}
	}
	switch isLiteral := strings.Count(literal.String(), " ") == len(patterns); {
	case isLiteral && onlyPrefix:
		return c.expression("position(", in.text(), ", ", c.bind(literal.String()), ") > 0")
	case isLiteral:
		return c.expression("position(", in.text(), ", ", c.bind(literal.String()+" "), ") > 0")
	case onlyPrefix:
		prefix, _ := patterns[len(patterns)-1].Prefix()
		return c.expression("match(", in.text(), ", ", c.bind(pattern.String()+quoteRegexp(prefix)), ")")
	}
	return c.expression("match(", in.text(), ", ", c.bind(pattern.String()+" "), ")")
}

// required returns the condition that words has the tokens that a formula with spans needs. The text
// index decides it. Other columns have none.
func (c *compiler) required(f query.Formula, text section) predicate {
	if text == authorText {
		return alwaysHolds
	}
	switch f := f.(type) {
	case query.HasWord:
		if !f.Pattern.Wildcard {
			return predicate{token: tokenOf(f.Pattern), exact: true}
		}
	case query.HasPhrase:
		return c.requiredWords(f, text)
	case query.HasExact:
		return c.requiredWords(f.Words, text)
	case query.HasNear:
		return c.all(c.required(f.Left, text), c.required(f.Right, text))
	case query.AnyOf:
		list := make([]predicate, len(f))
		for i, part := range f {
			list[i] = c.required(part, text)
		}
		return c.any(list...)
	case query.HasWindow:
		var list []predicate
		for _, w := range f {
			var parts []predicate
			for _, p := range w.Parts {
				parts = append(parts, c.required(p.Formula, text))
			}
			list = append(list, c.all(parts...))
		}
		return c.any(list...)
	}
	return alwaysHolds
}

func (c *compiler) requiredWords(patterns []query.TokenPattern, text section) predicate {
	list := make([]predicate, len(patterns))
	for i, p := range patterns {
		list[i] = c.required(query.HasWord{Pattern: p}, text)
	}
	return c.all(list...)
}

// quoteRegexp returns a regular expression for a text. It also quotes control characters, which
// regexp.QuoteMeta does not.
func quoteRegexp(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), markByte, `\x01`)
}

// wordRegexp returns a regular expression for a pattern of the query language in words.
func wordRegexp(pattern string) string { return globRegexp(pattern, `[^ \x01]`) }

// globRegexp returns a regular expression for a pattern of the query language, with one for a single
// character.
func globRegexp(pattern, character string) string {
	var b strings.Builder
	for pattern != "" {
		i := strings.IndexAny(pattern, "*?")
		if i < 0 {
			b.WriteString(regexp.QuoteMeta(pattern))
			break
		}
		b.WriteString(regexp.QuoteMeta(pattern[:i]))
		b.WriteString(character)
		if pattern[i] == '*' {
			b.WriteByte('*')
		}
		pattern = pattern[i+1:]
	}
	return b.String()
}

func lambdaNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "a" + strconv.Itoa(i+1)
	}
	return names
}

// shiftLeft returns the SQL of an array that starts with element n of another one and is as long.
func shiftLeft(array string, n int, empty string) string {
	if n == 0 {
		return array
	}
	return "arrayShiftLeft(" + array + ", " + strconv.Itoa(n) + ", " + empty + ")"
}

// shiftRight returns the SQL of an array with n zeros before another one, as long as that.
func shiftRight(array string, n int) string {
	if n == 0 {
		return array
	}
	return "arrayShiftRight(" + array + ", " + strconv.Itoa(n) + ", 0)"
}
