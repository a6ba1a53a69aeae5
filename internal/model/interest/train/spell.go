package train

import (
	"slices"
	"strings"
	"unicode"
)

// spell returns the spellings that a term in the list stands for.
func spell(text string) []string {
	if stem, ok := strings.CutSuffix(text, "+"); ok {
		return []string{stem, plural(stem)}
	}
	before, after, ok := strings.Cut(text, "~")
	if !ok {
		return []string{text}
	}
	stem, endings := before, nounEndings
	for _, adjective := range []string{"ый", "ий"} {
		if cut, ok := strings.CutSuffix(before, adjective); ok {
			stem, endings = cut, adjectiveEndings
		}
	}
	var all []string
	for _, ending := range endings {
		all = append(all, stem+ending+after)
	}
	return all
}

// plural returns text with its last word in the English plural.
func plural(text string) string {
	switch {
	case len(text) > 1 && strings.HasSuffix(text, "y") && !strings.ContainsAny(text[len(text)-2:len(text)-1], "aeiou"):
		return text[:len(text)-1] + "ies"
	case slices.ContainsFunc([]string{"s", "x", "z", "ch", "sh"}, func(end string) bool { return strings.HasSuffix(text, end) }):
		return text + "es"
	}
	return text + "s"
}

// Endings of Russian words, regardless of the stem. Forms that a word does not have do no harm,
// because they do not occur.
var (
	nounEndings      = strings.Split("/а/я/у/ю/ом/ем/е/и/ы/ь/ью/ой/ей/ов/ев/ам/ям/ами/ями/ах/ях", "/")
	adjectiveEndings = strings.Split("ый/ий/ого/его/ому/ему/ым/им/ом/ем/ая/яя/ой/ей/ую/юю/ое/ее/ые/ие/ых/их/ыми/ими", "/")
)

// joined returns the phrases among the spellings in the form used in hashtags.
func joined(spellings []string) []string {
	var tags []string
	for _, s := range spellings {
		if !strings.ContainsAny(s, " -&./") {
			continue
		}
		tag := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
				return r
			}
			return -1
		}, s)
		tags = append(tags, "#"+tag)
	}
	return tags
}
