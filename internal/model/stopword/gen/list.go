package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/query"
)

// lists holds the stop words of each language, by lowercase code, spelled like the tokens of posts.
type lists map[string]map[string]bool

// add adds a word to the list of a language. It skips entries that are not exactly one token,
// because posts have no such tokens.
func (l lists) add(language, word string) {
	if token, ok := tokenOf(word); ok {
		if l[language] == nil {
			l[language] = map[string]bool{}
		}
		l[language][token] = true
	}
}

// tokenOf returns the single token that a word consists of, or false.
func tokenOf(word string) (token string, ok bool) {
	tokens := 0
	query.NewDocument(&earshot.Post{Contents: word}).WalkTokens(func(sigil byte, text []byte) {
		token = string(text)
		tokens++
	})
	return token, tokens == 1 && strings.ContainsFunc(token, unicode.IsLetter)
}

// change applies a line of changes.tsv. Dropping a missing word is an error.
func (l lists) change(language, change, word string) error {
	switch change {
	case "add":
		l.add(language, word)
		return nil
	case "drop":
		token, _ := tokenOf(word)
		if !l[language][token] {
			return fmt.Errorf("changes.tsv: the %s list has no %q to drop", language, word)
		}
		delete(l[language], token)
		return nil
	}
	return fmt.Errorf("changes.tsv: unknown change %q, want add or drop", change)
}

// shareCroatian adds the Croatian words to Serbian, in both alphabets.
func (l lists) shareCroatian() {
	for word := range l["hr"] {
		l.add("sr", word)
		l.add("sr", cyrillic.Replace(word))
	}
}

var cyrillic = strings.NewReplacer(
	"lj", "љ", "nj", "њ", "dž", "џ",
	"a", "а", "b", "б", "c", "ц", "č", "ч", "ć", "ћ", "d", "д", "đ", "ђ", "e", "е", "f", "ф", "g", "г", "h", "х", "i", "и", "j", "ј", "k", "к",
	"l", "л", "m", "м", "n", "н", "o", "о", "p", "п", "r", "р", "s", "с", "š", "ш", "t", "т", "u", "у", "v", "в", "z", "з", "ž", "ж",
)

// elisions are prefixes of words that begin with a vowel. Tokens have no apostrophes, so "qu'il"
// becomes "quil".
var elisions = map[string][]string{
	"fr": strings.Fields("c d j l m n s t qu jusqu lorsqu puisqu quoiqu"),
	"ca": strings.Fields("d l m n s t"),
	"it": strings.Fields("c d l m n s t v un all dall dell nell sull coll quest quell dov com"),
}

// elide adds the forms of stop words with an elision.
func (l lists) elide() {
	for language, before := range elisions {
		for _, word := range slices.Collect(maps.Keys(l[language])) {
			first, _ := utf8.DecodeRuneInString(word)
			if !strings.ContainsRune("aeiouyhàâéèêëîïôùûü", first) || utf8.RuneCountInString(word) < 2 {
				continue
			}
			for _, b := range before {
				l.add(language, b+"'"+word)
			}
		}
	}
}

// print returns one line per language.
func (l lists) print() []byte {
	var b bytes.Buffer
	for _, language := range slices.Sorted(maps.Keys(l)) {
		words := slices.Sorted(maps.Keys(l[language]))
		fmt.Fprintln(&b, language, strings.Join(words, " "))
	}
	return b.Bytes()
}
