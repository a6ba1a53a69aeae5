package enginekit

import (
	"encoding/binary"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// SampleHash returns a number that orders posts randomly but reproducibly. Two posts may have the
// same hash.
func SampleHash(k earshot.PostKey) uint64 {
	sum := poststore.SumOf(k)
	return binary.BigEndian.Uint64(sum[:])
}

// WordsOf returns the words of a post in no particular order. doc is scratch space.
func WordsOf(p *earshot.Post, doc *query.Document) (words []poststore.Word) {
	doc.Reset(p)
	var all []string
	doc.WalkTokens(func(sigil byte, text []byte) {
		if len(all) < poststore.MaxWords {
			all = append(all, SpellWord(sigil, text))
		}
	})
	slices.Sort(all)
	for i, text := range all {
		if i == 0 || text != all[i-1] {
			words = append(words, poststore.Word{Text: text})
		}
		words[len(words)-1].Count++
	}
	return words
}

// SpellWord returns the spelling of a token as a word. sigil is 0 if the token has none.
func SpellWord(sigil byte, text []byte) string {
	if sigil == 0 {
		return string(text)
	}
	return string(sigil) + string(text)
}
