package geo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	longestLocation = 256 // bytes that are read; the locations of profiles are shorter
	mostTokens      = 40
	mostFlags       = 4
)

// A gap is what stands between two tokens.
type gap uint8

const (
	glued  gap = iota // nothing: characters of scripts that do not divide words
	spaced            // as between the words of a name
	comma             // as between a city and its country
	bar               // as between one place and another
)

// A token is a word of a location, in the spelling of Spell.
type token struct {
	start, end uint16 // in location.spelling
	gap        gap    // before it
	role       role
	small      bool // has a small letter
	capital    bool // begins with a capital letter
	digits     bool // only digits, with nothing between them
}

func (t token) isUpper() bool { return t.capital && !t.small }

// A location is a text that may name places, as words. It holds all its memory, so
// that reading a text allocates none.
type location struct {
	spelling [2 * longestLocation]byte
	spelt    int // bytes of it
	tokens   [mostTokens]token
	count    int            // of tokens
	flags    [mostFlags]int // places whose flags are shown
	flagged  int            // how many
	foreign  int            // addresses and names of accounts, which are no words
	shouts   bool           // there are several words, all in capital letters

	mentions  [mostMentions]mention
	mentioned int // how many
	zip       int // index of the place of a ZIP code; -1 without one
}

// scan reads text into the tokens of l.
func (l *location) scan(text string) {
	next, inWord := bar, false
	for i := 0; i < len(text) && l.count < mostTokens; {
		if (i == 0 || text[i-1] == ' ') && isForeign(text[i:]) {
			i += fieldEnd(text[i:])
			l.foreign++
			next, inWord = comma, false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '.' && endsSentence(text, i):
			next, inWord = max(next, spaced), false
		case r == '.' && inWord:
			l.tokens[l.count-1].digits = false // a number with a fraction, or an address
		case isSilent(r):
		case r == '-' && inWord && i+1 < len(text) && text[i+1] != ' ' || r == '_' || r == '#':
			next, inWord = max(next, spaced), false
		case isWordRune(r):
			if !inWord || isUndivided(r) || l.lastUndivided() {
				l.begin(next, r)
			}
			l.extend(r, text[i:i+size])
			next, inWord = glued, true
		default:
			if n := l.scanFlag(text[i:]); n > 0 {
				size = n
			}
			next, inWord = max(next, gapOf(r)), false
		}
		i += size
	}
	l.finishScan()
}

// begin starts a token.
func (l *location) begin(g gap, r rune) {
	at := uint16(l.spelt)
	l.tokens[l.count] = token{start: at, end: at, gap: g, capital: isUpper(r), digits: true}
	l.count++
}

// extend adds a character to the last token.
func (l *location) extend(r rune, text string) {
	t := &l.tokens[l.count-1]
	t.digits = t.digits && '0' <= r && r <= '9'
	t.small = t.small || isLower(r)
	const longest = 18 * utf8.UTFMax // some characters are spelt with many
	if l.spelt+longest <= len(l.spelling) {
		l.spelt = len(appendFolded(l.spelling[:l.spelt], r, text))
	}
	t.end = uint16(l.spelt)
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.IsUpper(r)
}

func isLower(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.IsLower(r)
}

// finishScan looks up the roles of the words.
func (l *location) finishScan() {
	l.shouts = l.count > 1
	for i := range l.count {
		t := &l.tokens[i]
		t.role = roles[string(l.word(i))]
		l.shouts = l.shouts && !t.small
	}
}

// word returns the spelling of a token.
func (l *location) word(i int) []byte { return l.spelling[l.tokens[i].start:l.tokens[i].end] }

func (l *location) lastUndivided() bool {
	last, _ := utf8.DecodeLastRune(l.spelling[:l.spelt])
	return isUndivided(last)
}

// isUndivided reports whether r belongs to a script that writes words side by side and
// whose names are found character by character: Chinese and Japanese.
func isUndivided(r rune) bool {
	return r >= 0x3040 && (r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0x20000 && r <= 0x3FFFF)
}

// gapOf returns what a character that is no part of a word tells of its neighbours.
func gapOf(r rune) gap {
	switch r {
	case ' ', '\t', '\u00A0', '\u3000', '"', '“', '”', '!', '?', '*':
		return spaced
	case '/', '|', '\\', ';', '&', '+', '•', '·', '∙', '●', '→', '➔', '➡', '⇒', '»', '>', '✈', '⇄', '↔', '×', '\n', '\r', '｜', '／', '・', '🛫', '🛬':
		return bar
	}
	return comma
}

// endsSentence reports whether the dot at i divides two words: London.UK, but not
// St. Louis, U.S.A. or 40.7.
func endsSentence(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return unicode.IsLower(before) && unicode.IsUpper(after)
}

// isForeign reports whether text begins with an address or the name of an account.
func isForeign(text string) bool {
	if text[0] == '@' && len(text) > 1 && text[1] != ' ' {
		return true
	}
	field := text[:fieldEnd(text)]
	return strings.Contains(field, "://") || strings.HasPrefix(field, "www.") || strings.IndexByte(field, '@') > 0
}

func fieldEnd(text string) int {
	if end := strings.IndexByte(text, ' '); end >= 0 {
		return end
	}
	return len(text)
}
