package geo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLocationBytes = 256 // bytes that are read; the locations of profiles are shorter
	maxTokens        = 40
	maxFlags         = 4
)

// A gap is what stands between two tokens.
type gap uint8

const (
	noGap    gap = iota // nothing: characters of scripts that do not divide words
	spaceGap            // as between the words of a name
	commaGap            // as between a city and its country
	barGap              // as between one place and another
)

// A token is a word of a location, in the spelling of Spell.
type token struct {
	start, end uint16 // in location.normalized
	gap        gap    // before it
	role       role
	hasLower   bool // has a small letter
	capital    bool // begins with a capital letter
	digits     bool // only digits, with nothing between them
}

func (t token) isUpper() bool { return t.capital && !t.hasLower }

// A location is a text that may name places, as words. It holds all its memory, so
// that reading a text allocates none.
type location struct {
	normalized     [2 * maxLocationBytes]byte
	normalizedSize int // bytes of it
	tokens         [maxTokens]token
	tokenCount     int           // of tokens
	flags          [maxFlags]int // places whose flags are shown
	flagCount      int           // how many
	skippedFields  int           // addresses and names of accounts, which are no words
	allCaps        bool          // there are several words, all in capital letters

	mentions     [maxMentions]mention
	mentionCount int // how many
	zip          int // index of the place of a ZIP code; -1 without one
}

// tokenize reads text into the tokens of l.
func (l *location) tokenize(text string) {
	next, inWord := barGap, false
	for i := 0; i < len(text) && l.tokenCount < maxTokens; {
		if (i == 0 || text[i-1] == ' ') && isURLOrHandle(text[i:]) {
			i += fieldEnd(text[i:])
			l.skippedFields++
			next, inWord = commaGap, false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '.' && endsSentence(text, i):
			next, inWord = max(next, spaceGap), false
		case r == '.' && inWord:
			l.tokens[l.tokenCount-1].digits = false // a number with a fraction, or an address
		case isDropped(r):
		case r == '-' && inWord && i+1 < len(text) && text[i+1] != ' ' || r == '_' || r == '#':
			next, inWord = max(next, spaceGap), false
		case isWordRune(r):
			if !inWord || isUnsegmented(r) || l.endsUnsegmented() {
				l.beginToken(next, r)
			}
			l.extendToken(r, text[i:i+size])
			next, inWord = noGap, true
		default:
			if n := l.scanFlag(text[i:]); n > 0 {
				size = n
			}
			next, inWord = max(next, gapOf(r)), false
		}
		i += size
	}
	l.assignRoles()
}

// beginToken starts a token.
func (l *location) beginToken(g gap, r rune) {
	at := uint16(l.normalizedSize)
	l.tokens[l.tokenCount] = token{start: at, end: at, gap: g, capital: isUpper(r), digits: true}
	l.tokenCount++
}

// extendToken adds a character to the last token.
func (l *location) extendToken(r rune, text string) {
	t := &l.tokens[l.tokenCount-1]
	t.digits = t.digits && '0' <= r && r <= '9'
	t.hasLower = t.hasLower || isLower(r)
	const longest = 18 * utf8.UTFMax // some characters are spelt with many
	if l.normalizedSize+longest <= len(l.normalized) {
		l.normalizedSize = len(appendFolded(l.normalized[:l.normalizedSize], r, text))
	}
	t.end = uint16(l.normalizedSize)
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

// assignRoles looks up the roles of the words.
func (l *location) assignRoles() {
	l.allCaps = l.tokenCount > 1
	for i := range l.tokenCount {
		t := &l.tokens[i]
		t.role = roles[string(l.word(i))]
		l.allCaps = l.allCaps && !t.hasLower
	}
}

// word returns the spelling of a token.
func (l *location) word(i int) []byte { return l.normalized[l.tokens[i].start:l.tokens[i].end] }

func (l *location) endsUnsegmented() bool {
	last, _ := utf8.DecodeLastRune(l.normalized[:l.normalizedSize])
	return isUnsegmented(last)
}

// isUnsegmented reports whether r belongs to a script that writes words side by side and
// whose names are found character by character: Chinese and Japanese.
func isUnsegmented(r rune) bool {
	return r >= 0x3040 && (r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0x20000 && r <= 0x3FFFF)
}

// gapOf returns what a character that is no part of a word tells of its neighbours.
func gapOf(r rune) gap {
	switch r {
	case ' ', '\t', '\u00A0', '\u3000', '"', '“', '”', '!', '?', '*':
		return spaceGap
	case '/', '|', '\\', ';', '&', '+', '•', '·', '∙', '●', '→', '➔', '➡', '⇒', '»', '>', '✈', '⇄', '↔', '×', '\n', '\r', '｜', '／', '・', '🛫', '🛬':
		return barGap
	}
	return commaGap
}

// endsSentence reports whether the dot at i divides two words: London.UK, but not
// St. Louis, U.S.A. or 40.7.
func endsSentence(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return unicode.IsLower(before) && unicode.IsUpper(after)
}

// isURLOrHandle reports whether text begins with an address or the name of an account.
func isURLOrHandle(text string) bool {
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
