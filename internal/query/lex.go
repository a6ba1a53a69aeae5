package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An item is a piece of a query.
type item struct {
	kind     kind
	position int    // in characters, from 1
	text     string // of a word or a phrase, without its quotes
}

type kind int

const (
	itemEnd kind = iota
	itemWord
	itemPhrase
	itemAnd
	itemOr
	itemNot // NOT, or a minus glued to what follows
	itemOpen
	itemClose
)

// String names the item in messages.
func (i item) String() string {
	switch i.kind {
	case itemEnd:
		return "the end"
	case itemAnd, itemOr, itemNot, itemOpen, itemClose:
		return i.text
	}
	return quoted(i.text)
}

// quoted returns text for a message, which cannot be made longer than it is useful.
func quoted(text string) string {
	const enough = 40
	if runes := []rune(text); len(runes) > enough {
		text = string(runes[:enough]) + "…"
	}
	return `"` + text + `"`
}

// A lexer cuts a query into items.
type lexer struct {
	src []rune
	at  int
}

// newLexer returns a lexer for text, or an error when there is too much of it
// or it is not text.
func newLexer(text string) (*lexer, error) {
	// Counting stops at the limit, so that a huge text costs no more than a long one.
	count := 0
	for i, r := range text {
		count++
		if count > maxCharacters {
			return nil, errorAt(count, "the query is longer than 100,000 characters")
		}
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return nil, errorAt(count, "the text is not valid UTF-8")
		}
	}
	return &lexer{src: []rune(text)}, nil
}

// next returns the next item. At the end it returns itemEnd, time and again.
func (l *lexer) next() (item, error) {
	if err := l.skipSpace(); err != nil {
		return item{}, err
	}
	start := l.at
	if start == len(l.src) {
		return item{kind: itemEnd, position: start + 1}, nil
	}
	switch r := l.src[start]; {
	case r == '(':
		return l.take(itemOpen, 1), nil
	case r == ')':
		return l.take(itemClose, 1), nil
	case r == '-' && l.glued(start+1):
		return l.take(itemNot, 1), nil
	case l.quoteAt(start) > 0:
		return l.phrase()
	}
	return l.word()
}

// take returns the next n characters as an item.
func (l *lexer) take(k kind, n int) item {
	i := item{kind: k, position: l.at + 1, text: string(l.src[l.at : l.at+n])}
	l.at += n
	return i
}

// skipSpace skips white space and comments.
func (l *lexer) skipSpace() error {
	for l.at < len(l.src) {
		switch {
		case unicode.IsSpace(l.src[l.at]):
			l.at++
		case l.has(l.at, "<<<"):
			opened := l.at
			for !l.has(l.at, ">>>") {
				if l.at++; l.at == len(l.src) {
					return errorAt(opened+1, "unclosed comment opened at %d", opened+1)
				}
			}
			l.at += len(">>>")
		default:
			return nil
		}
	}
	return nil
}

// phrase returns the phrase that begins here.
func (l *lexer) phrase() (item, error) {
	opened := l.at
	mark := l.quoteAt(opened)
	for i := opened + mark; i < len(l.src); {
		switch n := l.quoteAt(i); {
		case n == 0:
			i++
		case n > mark: // \" in a phrase that did not begin with one is a quote in its text
			i += n
		default:
			l.at = i + n
			return item{kind: itemPhrase, position: opened + 1, text: string(l.src[opened+mark : i])}, l.checkPhrase(opened+mark, i)
		}
	}
	return item{}, errorAt(opened+1, "unclosed quote opened at %d", opened+1)
}

// word returns the word or the operator that begins here.
func (l *lexer) word() (item, error) {
	end := l.at
	for end < len(l.src) && !l.endsWord(end) {
		end++
	}
	if err := l.checkWord(l.at, end); err != nil {
		return item{}, err
	}
	return l.take(wordKind(string(l.src[l.at:end])), end-l.at), nil
}

func wordKind(text string) kind {
	switch text {
	case "AND":
		return itemAnd
	case "OR":
		return itemOr
	case "NOT":
		return itemNot
	}
	return itemWord
}

func (l *lexer) endsWord(i int) bool {
	r := l.src[i]
	return unicode.IsSpace(r) || r == '(' || r == ')' || l.quoteAt(i) > 0 || l.has(i, "<<<")
}

// quoteAt returns the length of the quotation mark at i, 0 when there is none.
// \" is one: programs escape quotes once too often. A quote between two Hebrew
// letters is part of an abbreviation.
func (l *lexer) quoteAt(i int) int {
	switch {
	case l.has(i, `\"`):
		return 2
	case i >= len(l.src) || !slices.Contains(quotes, l.src[i]):
		return 0
	case i > 0 && l.glued(i+1) && unicode.Is(unicode.Hebrew, l.src[i-1]) && unicode.Is(unicode.Hebrew, l.src[i+1]):
		return 0
	}
	return 1
}

// quotes open and close phrases, each of them both: “a b” and „a b“ both occur.
var quotes = []rune{'"', '“', '”', '„', '‟', '＂'}

// glued reports whether something other than white space stands at i.
func (l *lexer) glued(i int) bool { return i < len(l.src) && !unicode.IsSpace(l.src[i]) }

// has reports whether the ASCII text stands at i.
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
