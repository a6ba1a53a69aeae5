package poststore

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"earshot"
	"earshot/internal/query"
)

// KeySum returns a number of 12 bytes that stands for the key of a post. It is kept on
// disk, so it must never be another.
func KeySum(k earshot.PostKey) [12]byte {
	var buf [128]byte // enough for nearly all of them
	b := binary.AppendUvarint(buf[:0], uint64(k.ContentSource))
	b = binary.AppendUvarint(b, uint64(len(k.Source)))
	b = append(b, k.Source...)
	b = append(b, k.GUID...)
	sum := sha256.Sum256(b)
	return [12]byte(sum[:])
}

// SampleHash orders posts at random, and always the same way. Two posts may have the same.
func SampleHash(k earshot.PostKey) uint64 {
	sum := KeySum(k)
	return binary.BigEndian.Uint64(sum[:])
}

// MaxWords is how many tokens of a post are words: a long article says what it is about
// well before that, and ten thousand of them are to fit in memory.
const MaxWords = 1000

// WordsOf returns the words of a post, in no order. doc is scratch.
func WordsOf(p *earshot.Post, doc *query.Document) (words []Word) {
	doc.Reset(p)
	var all []string
	doc.WalkTokens(func(sigil byte, text []byte) {
		if len(all) < MaxWords {
			all = append(all, SpellWord(sigil, text))
		}
	})
	slices.Sort(all)
	for i, text := range all {
		if i == 0 || text != all[i-1] {
			words = append(words, Word{Text: text})
		}
		words[len(words)-1].Count++
	}
	return words
}

// SpellWord returns how a token is written as a word. The sigil is 0 when it has none.
func SpellWord(sigil byte, text []byte) string {
	if sigil == 0 {
		return string(text)
	}
	return string(sigil) + string(text)
}
