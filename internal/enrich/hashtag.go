package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// fillHashtags normalises the hashtags a post gives, or finds those in its text.
func fillHashtags(p *earshot.Post) {
	var found distinct
	if len(p.Hashtags) > 0 {
		for _, tag := range p.Hashtags {
			found.add(strings.ToLower(strings.TrimLeft(strings.TrimSpace(tag), "#＃")))
		}
	} else {
		findHashtags(p.Title, &found)
		findHashtags(p.Contents, &found)
	}
	p.Hashtags = found.values
}

// findHashtags adds the hashtags of text: # and letters, digits or underscores,
// with a letter among them and no word or address before.
func findHashtags(text string, found *distinct) {
	for i := 0; i < len(text); {
		size := signLength(text[i:])
		if size == 0 {
			i++
			continue
		}
		end, lettered := tagRun(text, i+size)
		if lettered && mayPrecede(text[:i]) {
			found.add(strings.ToLower(text[i+size : end]))
		}
		i = end
	}
}

// signLength returns the length of the # at the beginning of text, which may be
// a full-width one, and 0 when there is none.
func signLength(text string) int {
	const wide = "＃"
	switch {
	case text[0] == '#':
		return 1
	case text[0] == wide[0] && strings.HasPrefix(text, wide):
		return len(wide)
	}
	return 0
}

// tagRun returns where the run of a tag's characters ends that begins at i, and
// whether it has a letter: #1 is a rank.
func tagRun(text string, i int) (end int, lettered bool) {
	for j, r := range text[i:] {
		switch {
		case unicode.IsLetter(r):
			lettered = true
		case r != '_' && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\u200C' && r != '\u200D':
			return i + j, lettered
		}
	}
	return len(text), lettered
}

// mayPrecede reports whether a hashtag can begin after text: not inside a word,
// an entity such as &#39; or an address.
func mayPrecede(text string) bool {
	if text == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return last != '&' && last != '/' && last != '_' && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}
