package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// maxCashtag is the maximum length of a ticker symbol.
const maxCashtag = 6

// fillCashtags extracts the ticker symbols from the text of a post.
func fillCashtags(p *earshot.Post) {
	if len(p.Cashtags) > 0 {
		return
	}
	var symbols stringSet
	findCashtags(p.Title, &symbols)
	findCashtags(p.Contents, &symbols)
	p.Cashtags = symbols.values
}

// findCashtags adds the cashtags in text that start at a word boundary.
func findCashtags(text string, symbols *stringSet) {
	for at := strings.IndexByte(text, '$'); at >= 0; {
		rest := text[at+1:]
		if symbol := cashtagAt(rest); symbol != "" && isWordBoundary(text[:at]) {
			symbols.add(strings.ToLower(symbol))
		}
		next := strings.IndexByte(rest, '$')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// cashtagAt returns the symbol at the start of text, or "" if there is none. A symbol has one to
// six letters, optionally followed by a share class as in BRK.B, and must not be directly followed
// by a letter, digit or underscore.
func cashtagAt(text string) string {
	end := countLetters(text)
	if end == 0 || end > maxCashtag {
		return ""
	}
	if rest := text[end:]; len(rest) > 1 && (rest[0] == '.' || rest[0] == '_') && countLetters(rest[1:]) == 1 {
		end += 2
	}
	after, _ := utf8.DecodeRuneInString(text[end:])
	if unicode.IsLetter(after) || isTagRune(after) {
		return ""
	}
	return text[:end]
}

// countLetters returns the number of leading ASCII letters in text.
func countLetters(text string) int {
	for i := range len(text) {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			return i
		}
	}
	return len(text)
}
