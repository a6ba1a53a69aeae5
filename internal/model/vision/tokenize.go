package vision

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word of an alternative text.
type word struct {
	text    string // in lower case, without apostrophes
	stem    string // text in the singular
	capital bool   // it begins with a capital letter
	pause   pause  // what is before it
	used    bool   // it belongs to a phrase that has been found
}

// A pause is what separates a word from the one before.
type pause uint8

const (
	space    pause = iota
	comma          // or a bracket, a dash and the like
	sentence       // also the beginning of the text
)

// maxWords bounds how much of a text is read.
const maxWords = 1000

// split takes a text apart.
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

// singular returns a word without the ending of an English plural, if it has one.
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

// isArticle reports whether a word only goes before what is meant.
func isArticle(text string) bool {
	switch text {
	case "a", "an", "the", "on", "with", "to", "into", "in", "of", "out", "through", "something":
		return true
	}
	return false
}
