package geo

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

const (
	maxLocationBytes = 256 // profile locations are shorter
	maxTokens        = 40
	maxFlags         = 4
)

// A gap is the separator before a token.
type gap uint8

const (
	noGap    gap = iota // none, between characters of unsegmented scripts
	spaceGap            // as between the words of a name
	commaGap            // as between a city and its country
	barGap              // as between one place and another
)

// A token is a normalized word of a location.
type token struct {
	start, end uint16 // range in location.normalized
	gap        gap    // before it
	role       role
	hasLower   bool // has a lowercase letter
	capital    bool // begins with a capital letter
	digits     bool // only digits, with nothing between them
	dots       bool // contains dots
	abbr       bool // ends with its only dot
	arrow      bool // an arrow precedes it
}

func (t token) isUpper() bool { return t.capital && !t.hasLower }

// isInitials reports whether a token is written like L.A.
func (t token) isInitials() bool { return t.isUpper() && t.dots && !t.abbr }

// A location is a tokenized text that may name places. All its buffers are inline, so that
// resolving a text does not allocate.
type location struct {
	normalized     [2 * maxLocationBytes]byte
	normalizedSize int
	tokens         [maxTokens]token
	tokenCount     int
	flags          [maxFlags]int // indexes of the places whose flags appear
	flagCount      int
	skippedFields  int  // URLs and handles
	allCaps        bool // several words, all in upper case

	mentions     [maxMentions]mention
	mentionCount int
	zip          int // index of the place of a ZIP code, or -1
}

// tokenize splits text into tokens and stores them in l.
func (l *location) tokenize(text string) {
	next, inWord, arrow := barGap, false, false
	mayHaveURL := strings.IndexByte(text, '@') >= 0 || strings.Contains(text, "://") || strings.Contains(text, "www.")
	for i := 0; i < len(text) && l.tokenCount < maxTokens; {
		if mayHaveURL && (i == 0 || text[i-1] == ' ') && isURLOrHandle(text[i:]) {
			i += fieldEnd(text[i:])
			l.skippedFields++
			next, inWord = commaGap, false
			continue
		}
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == '.' && endsSentence(text, i):
			next, inWord = max(next, spaceGap), false
		case r == '.' && inWord:
			l.endWithDot()
		case isDropped(r):
		case r == '-' && inWord && i+1 < len(text) && text[i+1] != ' ' || r == '_' || r == '#':
			next, inWord = max(next, spaceGap), false
		case isWordRune(r):
			if !inWord || isUnsegmented(r) || l.endsUnsegmented() || 'A' <= r && r <= 'Z' && startsCode(text, i) {
				l.beginToken(next, r)
				l.tokens[l.tokenCount-1].arrow = arrow
				arrow = false
			}
			l.extendToken(r, text[i:i+size])
			if r < utf8.RuneSelf {
				size += l.extendLower(text[i+size:])
			}
			next, inWord = noGap, true
		default:
			if n := l.scanFlag(text[i:]); n > 0 {
				size = n
			}
			next, inWord = max(next, gapOf(r)), false
			arrow = arrow || isArrow(r) || r == '>' && text[i-min(i, 1)] == '-'
		}
		i += size
	}
	l.assignRoles()
}

// beginToken starts a new token.
func (l *location) beginToken(g gap, r rune) {
	at := uint16(l.normalizedSize)
	l.tokens[l.tokenCount] = token{start: at, end: at, gap: g, capital: isUpper(r), digits: true}
	l.tokenCount++
}

// extendToken appends a character to the last token.
func (l *location) extendToken(r rune, text string) {
	t := &l.tokens[l.tokenCount-1]
	t.digits = t.digits && '0' <= r && r <= '9'
	t.abbr = false
	t.hasLower = t.hasLower || isLower(r)
	if l.normalizedSize+maxExpansion <= len(l.normalized) {
		l.normalizedSize = len(appendFolded(l.normalized[:l.normalizedSize], r, text))
	}
	t.end = uint16(l.normalizedSize)
}

const maxExpansion = 18 * utf8.UTFMax // some characters normalize to many

// extendLower appends the letters from a to z that text begins with to the last token, and returns
// their number. It is extendToken for most characters, without its checks.
func (l *location) extendLower(text string) int {
	n := 0
	for n < len(text) && 'a' <= text[n] && text[n] <= 'z' && l.normalizedSize+maxExpansion <= len(l.normalized) {
		l.normalized[l.normalizedSize] = text[n]
		l.normalizedSize++
		n++
	}
	if n > 0 {
		t := &l.tokens[l.tokenCount-1]
		t.digits, t.abbr, t.hasLower, t.end = false, false, true, uint16(l.normalizedSize)
	}
	return n
}

// endWithDot notes a dot after the last token.
func (l *location) endWithDot() {
	t := &l.tokens[l.tokenCount-1]
	t.digits = false // a decimal number or a URL
	t.abbr = !t.dots
	t.dots = true
}

// minNameBeforeCode is the minimum length of a name that is joined with a code.
const minNameBeforeCode = 4

// startsCode reports whether the capital letter at i starts a code that ends its word, as in OdessaTX.
func startsCode(text string, i int) bool {
	if i < minNameBeforeCode || i+1 >= len(text) || text[i-1] < 'a' || text[i-1] > 'z' {
		return false
	}
	return isUpper(rune(text[i+1])) && (i+2 == len(text) || !isWordRune(rune(text[i+2])))
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

// assignRoles sets the role of each token, and allCaps.
func (l *location) assignRoles() {
	l.allCaps = l.tokenCount > 1
	for i := range l.tokenCount {
		t := &l.tokens[i]
		if word := l.word(i); mayHaveRole(word) {
			t.role = roles[string(word)]
		}
		l.allCaps = l.allCaps && !t.hasLower
	}
}

// word returns the normalized text of a token.
func (l *location) word(i int) []byte { return l.normalized[l.tokens[i].start:l.tokens[i].end] }

func (l *location) endsUnsegmented() bool {
	if l.normalizedSize == 0 || l.normalized[l.normalizedSize-1] < utf8.RuneSelf {
		return false
	}
	last, _ := utf8.DecodeLastRune(l.normalized[:l.normalizedSize])
	return isUnsegmented(last)
}

// isUnsegmented reports whether r belongs to a script without spaces between words (Chinese and
// Japanese), where each character is a token.
func isUnsegmented(r rune) bool {
	return r >= 0x3040 && (r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0x20000 && r <= 0x3FFFF)
}

// gapOf returns the gap for a character outside words.
func gapOf(r rune) gap {
	switch r {
	case ' ', '\t', '\u00A0', '\u3000', '"', '“', '”', '!', '?', '*':
		return spaceGap
	case '/', '|', '\\', ';', '&', '+', '•', '·', '∙', '●', '→', '➔', '➡', '⇒', '»', '>', '✈', '⇄', '↔', '×', '\n', '\r', '｜', '／', '・', '🛫', '🛬':
		return barGap
	}
	return commaGap
}

// isArrow reports whether r leads from one place to the next.
func isArrow(r rune) bool { return r == '→' || r == '➔' || r == '➡' || r == '⇒' }

// endsSentence reports whether the dot at i separates two words, as in London.UK, but not in St.
// Louis, U.S.A. or 40.7.
func endsSentence(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return unicode.IsLower(before) && unicode.IsUpper(after)
}

// isURLOrHandle reports whether text begins with a URL, an email address or a handle.
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

const (
	firstIndicator = '\U0001F1E6' // represents A in flags
	lastIndicator  = '\U0001F1FF'
	blackFlag      = '\U0001F3F4' // starts the flag of a subdivision
	tagBase        = '\U000E0000' // base of the tag characters that follow, which represent letters
	cancelTag      = '\U000E007F'
)

// scanFlag records the country whose flag text begins with. It returns the length of the flag, or
// 0.
func (l *location) scanFlag(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	if first == blackFlag {
		return l.scanTags(text)
	}
	second, m := utf8.DecodeRuneInString(text[n:])
	if !isIndicator(first) || !isIndicator(second) {
		return 0
	}
	code := [2]byte{byte('A' + first - firstIndicator), byte('A' + second - firstIndicator)}
	if c, ok := countries()[string(code[:])]; ok {
		l.addFlag(earshot.Place{Country: c.Code})
	}
	return n + m
}

func isIndicator(r rune) bool { return firstIndicator <= r && r <= lastIndicator }

// scanTags reads the flags of England, Scotland and Wales. It returns the length of the flag.
func (l *location) scanTags(text string) int {
	var tags [8]byte
	count, length := 0, utf8.RuneLen(blackFlag)
	for length < len(text) && count < len(tags) {
		r, n := utf8.DecodeRuneInString(text[length:])
		if r <= tagBase || r > cancelTag {
			break
		}
		length += n
		if r == cancelTag {
			break
		}
		tags[count] = byte(r - tagBase)
		count++
	}
	switch code := string(tags[:count]); {
	case strings.HasPrefix(code, "gbeng"):
		l.addFlag(earshot.Place{Country: "GBR", State: "England"})
	case strings.HasPrefix(code, "gbsct"):
		l.addFlag(earshot.Place{Country: "GBR", State: "Scotland"})
	case strings.HasPrefix(code, "gbwls"):
		l.addFlag(earshot.Place{Country: "GBR", State: "Wales"})
	}
	return length
}

func (l *location) addFlag(p earshot.Place) {
	if i, found := findIndex(p); found && l.flagCount < maxFlags {
		l.flags[l.flagCount] = i
		l.flagCount++
	}
}
