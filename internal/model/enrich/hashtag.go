package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// fillHashtags normalizes the hashtags of a post, or extracts them from its text if it has none.
func fillHashtags(p *earshot.Post) {
	var tags stringSet
	if len(p.Hashtags) > 0 {
		for _, tag := range p.Hashtags {
			tags.add(earshot.Hashtag(tag))
		}
	} else {
		findHashtags(p.Title, &tags)
		findHashtags(p.Contents, &tags)
	}
	p.Hashtags = tags.values
}

// findHashtags adds the hashtags in text: # followed by letters, digits or underscores, with at
// least one letter, at a word boundary.
func findHashtags(text string, tags *stringSet) {
	for i, size := nextSign(text, 0, '#', "＃"); size > 0; {
		end, lettered := tagRun(text, i+size)
		if lettered && isWordBoundary(text[:i]) {
			tags.add(strings.ToLower(text[i+size : end]))
		}
		i, size = nextSign(text, end, '#', "＃")
	}
}

// nextSign returns the offset and length of the next sign in text, in its normal or full-width
// form. The length is 0 if there is none.
func nextSign(text string, from int, sign byte, wide string) (at, size int) {
	for i := from; i < len(text); i++ {
		switch {
		case text[i] == sign:
			return i, 1
		case text[i] == wide[0] && strings.HasPrefix(text[i:], wide):
			return i, len(wide)
		}
	}
	return len(text), 0
}

// tagRun returns the end of the tag that starts at i, and whether it has a letter. #1 is a rank,
// not a tag.
func tagRun(text string, i int) (end int, hasLetter bool) {
	for j, r := range text[i:] {
		switch {
		case unicode.IsLetter(r):
			hasLetter = true
		case !isTagRune(r):
			return i + j, hasLetter
		}
	}
	return len(text), hasLetter
}

// isTagRune reports whether a character other than a letter can be part of a tag.
func isTagRune(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\u200C' || r == '\u200D'
}

// isWordBoundary reports whether a hashtag or mention can start after text, which is not the case
// inside a word, an entity such as &#39; or a URL.
func isWordBoundary(text string) bool {
	if text == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return last != '&' && last != '/' && last != '_' && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}
