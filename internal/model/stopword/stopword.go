// Package stopword lists stop words, such as articles, pronouns and auxiliary verbs, in every
// language of earshot.Languages. Word counts that exclude them show what posts are about.
//
// A stop word of one language is often an ordinary word in another ("die", "war", "sale"), so a
// [List] always covers the languages that the caller names. The lists are embedded in the binary;
// README.md describes their origin.
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

// A List is the set of stop words of some languages. The zero value is empty.
type List uint64 // bit i stands for earshot.Languages[i]

// Of returns the stop words of the given languages. Codes may be in any case; unknown codes are
// ignored.
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

// Has reports whether a word is in the list. The word must be spelled like the tokens of posts: in
// lower case and without apostrophes.
func (l List) Has(word string) bool { return l&table()[word] != 0 }

//go:embed words.txt.gz
var packed []byte

// table maps each word to the languages in which it is a stop word.
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
		panic("stopword: " + err.Error()) // the file is embedded, so this is a defect of the build
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic("stopword: " + err.Error())
	}
	return string(text)
}
