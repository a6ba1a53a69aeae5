package vision

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a word of alt text.
type word struct {
	text    string // in lower case, without apostrophes
	stem    string // text in the singular
	capital bool   // starts with a capital letter
	pause   pause  // pause before it
	used    bool   // part of a phrase that was matched
}

// A pause is the separator before a word.
type pause uint8

const (
	space    pause = iota
	comma          // also a bracket, a dash and other punctuation
	sentence       // also the beginning of the text
)

// maxWords limits the number of words read from a text.
const maxWords = 1000

// split splits a text into words.
func split(text string) []word {
	var words []word
	p, start := sentence, -1
	end := func(at int) {
		if start >= 0 && len(words) < maxWords {
			words = append(words, newWord(text[start:at], p))
			p = space
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’':
			if start < 0 {
				start = i
			}
			continue
		case r == '.' || r == '!' || r == '?' || r == '\n':
			end(i)
			p = sentence
		case r == ' ' || r == '-' || r == '&':
			end(i)
		default:
			end(i)
			p = max(p, comma)
		}
	}
	end(len(text))
	return words
}

func newWord(raw string, p pause) word {
	first, _ := utf8.DecodeRuneInString(raw)
	text := strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' {
			return -1
		}
		return unicode.ToLower(r)
	}, raw)
	return word{text: text, stem: singular(text), capital: unicode.IsUpper(first), pause: p}
}

// singular returns a word without its English plural ending, if it has one.
func singular(text string) string {
	for _, ending := range []struct{ plural, singular string }{
		{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"sses", "ss"},
		{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if stem, ok := strings.CutSuffix(text, ending.plural); ok && len(stem) > 1 {
			return stem + ending.singular
		}
	}
	return text
}

// isArticle reports whether a word is an article, a preposition or a filler, which is not part of a
// name.
func isArticle(text string) bool {
	switch text {
	case "a", "an", "the", "on", "with", "to", "into", "in", "of", "out", "through", "something":
		return true
	}
	return false
}
