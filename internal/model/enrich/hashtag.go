package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// fillHashtags normalises the hashtags a post gives, or finds those in its text.
func fillHashtags(p *earshot.Post) {
	var found stringSet
	if len(p.Hashtags) > 0 {
		for _, tag := range p.Hashtags {
			found.add(earshot.Hashtag(tag))
		}
	} else {
		findHashtags(p.Title, &found)
		findHashtags(p.Contents, &found)
	}
	p.Hashtags = found.values
}

// findHashtags adds the hashtags of text: # and letters, digits or underscores,
// with a letter among them and no word or address before.
func findHashtags(text string, found *stringSet) {
	for i, size := nextSign(text, 0, '#', "＃"); size > 0; {
		end, lettered := tagRun(text, i+size)
		if lettered && mayPrecede(text[:i]) {
			found.add(strings.ToLower(text[i+size : end]))
		}
		i, size = nextSign(text, end, '#', "＃")
	}
}

// nextSign returns where the next sign stands in text, which may be its full-width
// form, and how long it is: 0 when there is none.
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

// tagRun returns where the run of a tag's characters ends that begins at i, and
// whether it has a letter: #1 is a rank.
func tagRun(text string, i int) (end int, lettered bool) {
	for j, r := range text[i:] {
		switch {
		case unicode.IsLetter(r):
			lettered = true
		case !joins(r):
			return i + j, lettered
		}
	}
	return len(text), lettered
}

// joins reports whether a character that is not a letter belongs to a tag.
func joins(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\u200C' || r == '\u200D'
}

// mayPrecede reports whether a hashtag or a mention can begin after text: not
// inside a word, an entity such as &#39; or an address.
func mayPrecede(text string) bool {
	if text == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return last != '&' && last != '/' && last != '_' && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}
