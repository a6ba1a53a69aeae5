package opinion

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"earshot/internal/model/classify"
)

// Salts distinguish the different features of a token.
const (
	saltEdge     = 1 // stands for the token before the first and after the last
	saltTag      = 0x27d4eb2f165667c5
	saltNGram    = 0x85ebca77c2b2ae63
	saltUnspaced = 0x2545f4914f6cdd1d
)

// appendWords appends a feature for each token, hashtag and token pair, and for the first and last
// token. It skips links, because whether authors add links is a habit, and habits change sooner
// than topics.
func appendWords(dst []uint64, tokens []classify.Token) []uint64 {
	last := uint64(saltEdge)
	for _, tok := range tokens {
		if tok.Kind == classify.Link {
			continue
		}
		dst = append(dst, tok.Hash, classify.Mix(last, tok.Hash))
		if tok.Has(classify.InHashtag) {
			dst = append(dst, classify.Mix(tok.Hash, saltTag))
		}
		last = tok.Hash
	}
	if last != saltEdge {
		dst = append(dst, classify.Mix(last, saltEdge))
	}
	return dst
}

// appendTargets appends a feature for each mentioned name and linked site, which tokens do not
// preserve.
func appendTargets(dst []uint64, text string) []uint64 {
	for target := range targets(text) {
		dst = append(dst, hashLower(target))
	}
	return dst
}

// targets yields the targets of mentions and links, as "@name" and "://site".
func targets(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for at := 0; ; {
			next := strings.IndexAny(text[at:], "@:")
			if next < 0 {
				return
			}
			at += next
			size := targetSize(text[at:])
			if size > 0 && !yield(text[at:at+size]) {
				return
			}
			at += max(size, 1)
		}
	}
}

// targetSize returns the length of the target at the start of text, or 0.
func targetSize(text string) int {
	from := 1
	if text[0] == ':' {
		if from = len("://"); !strings.HasPrefix(text, "://") {
			return 0
		}
	}
	end := from
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	for end > from && (text[end-1] == '.' || text[end-1] == '-') {
		end-- // ends a sentence, not the name
	}
	if end == from {
		return 0
	}
	return end
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// hashLower returns the hash of a target in lower case.
func hashLower(target string) uint64 {
	h := uint64(saltEdge)
	for i := range len(target) {
		c := target[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = hashByte(h, c)
	}
	return h
}

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }

// appendNGrams appends character n-grams. For words in Latin and similar scripts it uses 4-grams
// that include the word boundaries. For scripts whose letters carry more information, such as
// Arabic or Hangul, it uses 3-grams. For scripts without spaces, such as Chinese or Thai, it uses
// 2-grams and 3-grams across words.
func appendNGrams(dst []uint64, text *classify.Text) []uint64 {
	var before, last uint64
	for _, tok := range text.Tokens {
		form := text.Form(tok)
		if !isSingleLetter(form) {
			before, last = 0, 0
			if tok.Kind == classify.Word {
				dst = appendWordNGrams(dst, form)
			}
			continue
		}
		if !tok.Has(classify.NoSpaceBefore) {
			before, last = 0, 0
		}
		if last != 0 {
			dst = append(dst, classify.Mix(last^saltUnspaced, tok.Hash))
		}
		if before != 0 {
			dst = append(dst, classify.Mix(before^saltUnspaced, classify.Mix(last, tok.Hash)))
		}
		before, last = last, tok.Hash
	}
	return dst
}

// isSingleLetter reports whether a form is a single letter in a script without spaces.
func isSingleLetter(form []byte) bool {
	return len(form) > 2 && form[0] >= 0xe0 && utf8.RuneCount(form) == 1
}

// maxForm is the number of bytes of a word that are used for n-grams.
const maxForm = 64

// appendWordNGrams appends the n-grams of one word.
func appendWordNGrams(dst []uint64, form []byte) []uint64 {
	var buf [maxForm + 2]byte
	form = form[:min(len(form), maxForm)]
	buf[0] = '_'
	n := 1 + copy(buf[1:], form)
	buf[n] = '_'
	word := buf[:n+1]
	size := 4
	if form[0] >= 0xd6 { // Hebrew and all later scripts
		size = 3
	}
	for at := 0; at < len(word); at += runeSize(word[at:]) {
		end := at
		for range size {
			if end == len(word) {
				return dst
			}
			end += runeSize(word[end:])
		}
		dst = append(dst, hashNGram(word[at:end]))
	}
	return dst
}

// hashNGram returns the hash of an n-gram. Most have four bytes, which have a fast path.
func hashNGram(part []byte) uint64 {
	if len(part) == 4 {
		return classify.Mix(saltNGram, uint64(binary.LittleEndian.Uint32(part)))
	}
	h := uint64(saltNGram)
	for _, c := range part {
		h = hashByte(h, c)
	}
	return h
}

func runeSize(s []byte) int {
	n := 1
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}
