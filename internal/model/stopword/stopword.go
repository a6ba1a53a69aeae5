// Package stopword knows the words that say little by themselves, such as articles,
// pronouns and auxiliary verbs, in every language of earshot.Languages. What is counted
// without them tells what posts are about.
//
// A stop word of one language is often a word like any other in the next ("die", "war",
// "sale"), so a List is always that of the languages that a caller names. The lists are
// compiled in; README.md says where they come from.
package stopword

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"

	"earshot"
)

//go:generate go run ./gen -data ../../../../shared/data -out .

// A List is the stop words of some languages. The zero List has none.
type List uint64 // bit i is for earshot.Languages[i]

// Of returns the stop words of languages, whose codes are in any case. Codes that
// earshot.Languages lacks have none.
func Of(languages ...string) (l List) {
	for _, code := range languages {
		for i, known := range earshot.Languages {
			if strings.EqualFold(code, known) {
				l |= 1 << i
			}
		}
	}
	return l
}

// Has reports whether a word is in the list. It is spelled as tokens of posts are: in lower
// case and without apostrophes.
func (l List) Has(word string) bool { return l&table()[word] != 0 }

//go:embed words.txt.gz
var packed []byte

// table returns for each word the languages of which it is a stop word.
var table = sync.OnceValue(func() map[string]List {
	text := unpack()
	words := make(map[string]List, strings.Count(text, " "))
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		of := Of(fields[0])
		for _, word := range fields[1:] {
			words[word] |= of
		}
	}
	return words
})

func unpack() string {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("stopword: " + err.Error()) // the file is part of the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic("stopword: " + err.Error())
	}
	return string(text)
}
