package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An item is a lexical token of a query.
type item struct {
	kind     kind
	position int    // in characters, from 1
	text     string // without quotes or braces; for a field, its name
	adjacent bool   // directly follows the previous item

	spaced   int     // of a field: position of the colon if spaces follow it, else 0
	distance int     // of NEAR and ~
	ordered  bool    // of NEAR
	from, to float64 // of a range
}

type kind int

const (
	itemEnd kind = iota
	itemWord
	itemPhrase
	itemExact // {text}
	itemField // name:
	itemRange // [a TO b]
	itemAnd
	itemOr
	itemNot // NOT, or a minus sign directly before an item
	itemNear
	itemWithin // ~n
	itemOpen
	itemClose
)

// String returns the item as error messages name it.
func (i item) String() string {
	switch i.kind {
	case itemEnd:
		return "the end"
	case itemWord, itemPhrase:
		return quoted(i.text)
	case itemExact:
		return quoted("{" + i.text + "}")
	case itemField:
		return quoted(i.text + ":")
	}
	return i.text
}

// quoted returns text in quotes for a message, truncated if it is long.
func quoted(text string) string {
	const maxRunes = 40
	if runes := []rune(text); len(runes) > maxRunes {
		text = string(runes[:maxRunes]) + "…"
	}
	return `"` + text + `"`
}

// A lexer splits a query into items.
type lexer struct {
	src  []rune
	pos  int
	warn func(position int, format string, args ...any)

	hasComments bool
}

// reset prepares l to read a text. It returns an error if the text is too long or is not valid
// UTF-8.
func (l *lexer) reset(text string) error {
	l.src, l.pos, l.hasComments = l.src[:0], 0, false
	// Stop at the limit, so that a huge text costs no more than a long one.
	count := 0
	for i, r := range text {
		count++
		if count > maxCharacters {
			return errorAt(count, "the query is longer than 100,000 characters")
		}
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return errorAt(count, "the text is not valid UTF-8")
		}
		l.src = append(l.src, r)
	}
	return nil
}

// next returns the next item. At the end of the query it returns itemEnd, even when called again.
func (l *lexer) next() (item, error) {
	before := l.pos
	if err := l.skipSpace(); err != nil {
		return item{}, err
	}
	i, err := l.item()
	i.adjacent = before > 0 && i.position == before+1
	return i, err
}

// item returns the item that starts at the current position.
func (l *lexer) item() (item, error) {
	start := l.pos
	if start == len(l.src) {
		return item{kind: itemEnd, position: start + 1}, nil
	}
	switch r := l.src[start]; {
	case r == '(':
		return l.takeText(itemOpen, "("), nil
	case r == ')':
		return l.takeText(itemClose, ")"), nil
	case r == '{':
		return l.exact()
	case r == '}':
		return item{}, errorAt(start+1, "unexpected }: no { is open")
	case r == '~':
		return l.within()
	case r == '[':
		if i, ok := l.numberRange(); ok {
			return i, nil
		}
	case r == '-' && l.nonSpaceAt(start+1):
		return l.takeText(itemNot, "-"), nil
	case l.quoteAt(start) > 0:
		return l.phrase()
	}
	return l.word()
}

// take consumes n characters and returns them as an item.
func (l *lexer) take(k kind, n int) item {
	i := item{kind: k, position: l.pos + 1, text: string(l.src[l.pos : l.pos+n])}
	l.pos += n
	return i
}

// takeText is take for ASCII text that the caller already knows.
func (l *lexer) takeText(k kind, text string) item {
	i := item{kind: k, position: l.pos + 1, text: text}
	l.pos += len(text)
	return i
}

// skipSpace skips whitespace and comments.
func (l *lexer) skipSpace() error {
	for l.pos < len(l.src) {
		switch {
		case unicode.IsSpace(l.src[l.pos]):
			l.pos++
		case l.has(l.pos, "<<<"):
			opened := l.pos
			l.hasComments = true
			for !l.has(l.pos, ">>>") {
				if l.pos++; l.pos == len(l.src) {
					return errorAt(opened+1, "unclosed comment opened at %d", opened+1)
				}
			}
			l.pos += len(">>>")
		default:
			return nil
		}
	}
	return nil
}

// phrase returns the phrase that starts at the current position.
func (l *lexer) phrase() (item, error) {
	opened := l.pos
	mark := l.quoteAt(opened)
	for i := opened + mark; i < len(l.src); {
		switch n := l.quoteAt(i); {
		case n == 0:
			i++
		case n > mark: // a \" in a phrase that did not start with one is a literal quote
			i += n
		default:
			l.pos = i + n
			return item{kind: itemPhrase, position: opened + 1, text: string(l.src[opened+mark : i])}, nil
		}
	}
	return item{}, errorAt(opened+1, "unclosed quote opened at %d", opened+1)
}

// exact returns the text in braces that starts at the current position.
func (l *lexer) exact() (item, error) {
	opened := l.pos
	length := slices.Index(l.src[opened:], '}')
	if length < 0 {
		return item{}, errorAt(opened+1, "unclosed { opened at %d", opened+1)
	}
	i := l.take(itemExact, length+1)
	i.text = strings.TrimSpace(strings.Trim(i.text, "{}"))
	return i, nil
}

// endsWord reports whether the character at i ends a word.
func (l *lexer) endsWord(i int) bool {
	if r := l.src[i]; r < utf8.RuneSelf && asciiChars[r].class == classLetter {
		return false
	}
	return unicode.IsSpace(l.src[i]) || strings.ContainsRune("(){}~", l.src[i]) || l.quoteAt(i) > 0 || l.has(i, "<<<")
}

// quoteAt returns the length of the quotation mark at i, or 0. It accepts \", because programs tend
// to escape quotes once too often. A quote between two Hebrew letters is part of an abbreviation.
func (l *lexer) quoteAt(i int) int {
	switch {
	case l.has(i, `\"`):
		return 2
	case i >= len(l.src) || !slices.Contains(quotes, l.src[i]):
		return 0
	case i > 0 && l.nonSpaceAt(i+1) && unicode.Is(unicode.Hebrew, l.src[i-1]) && unicode.Is(unicode.Hebrew, l.src[i+1]):
		return 0
	}
	return 1
}

// quotes lists the characters that open and close phrases. Each can do both, because “a b” and „a
// b“ are both common.
var quotes = []rune{'"', '“', '”', '„', '‟', '＂'}

// nonSpaceAt reports whether the character at i exists and is not whitespace.
func (l *lexer) nonSpaceAt(i int) bool { return i < len(l.src) && !unicode.IsSpace(l.src[i]) }

// hasFold is has, ignoring case.
func (l *lexer) hasFold(i int, text string) bool {
	return len(l.src)-i >= len(text) && strings.EqualFold(string(l.src[i:i+len(text)]), text)
}

// has reports whether an ASCII text is at i.
func (l *lexer) has(i int, text string) bool {
	if len(l.src)-i < len(text) {
		return false
	}
	for k := range len(text) {
		if l.src[i+k] != rune(text[k]) {
			return false
		}
	}
	return true
}

// Cut is [strings.Cut] for text that starts with a query. It ignores separators inside a phrase, an
// {exact text} or a comment. After an unclosed quote, brace or comment it finds no separator, and
// [Parse] then reports the error. Example: Cut(`"a;b" OR c;en`, ';') returns `"a;b" OR c` and `en`.
func Cut(text string, separator rune) (before, after string, found bool) {
	if !utf8.ValidString(text) {
		return strings.Cut(text, string(separator)) // not a valid query; Parse reports it
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
