package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// maxCashtag is the length of the longest ticker symbol that is taken for one.
const maxCashtag = 6

// fillCashtags finds the ticker symbols in the text of a post.
func fillCashtags(p *earshot.Post) {
	if len(p.Cashtags) > 0 {
		return
	}
	var found stringSet
	findCashtags(p.Title, &found)
	findCashtags(p.Contents, &found)
	p.Cashtags = found.values
}

// findCashtags adds the cashtags of text that have no word before them.
func findCashtags(text string, found *stringSet) {
	for at := strings.IndexByte(text, '$'); at >= 0; {
		rest := text[at+1:]
		if symbol := cashtagAt(rest); symbol != "" && mayPrecede(text[:at]) {
			found.add(strings.ToLower(symbol))
		}
		next := strings.IndexByte(rest, '$')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// cashtagAt returns the symbol at the beginning of text: one to six letters, perhaps with
// a class of shares as in BRK.B, and no word right after. It is "" when there is none.
func cashtagAt(text string) string {
	end := letters(text)
	if end == 0 || end > maxCashtag {
		return ""
	}
	if rest := text[end:]; len(rest) > 1 && (rest[0] == '.' || rest[0] == '_') && letters(rest[1:]) == 1 {
		end += 2
	}
	after, _ := utf8.DecodeRuneInString(text[end:])
	if unicode.IsLetter(after) || joins(after) {
		return ""
	}
	return text[:end]
}

// letters returns how many ASCII letters text begins with.
func letters(text string) int {
	for i := range len(text) {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			return i
		}
	}
	return len(text)
}
