package opinion

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"earshot/internal/model/classify"
)

// Salts keep features of one token apart.
const (
	saltEdge = 1 // before the first token and after the last
	saltTag  = 0x27d4eb2f165667c5
	saltPart = 0x85ebca77c2b2ae63
	saltRun  = 0x2545f4914f6cdd1d
)

// appendWords appends a feature for each token, for each hashtag as such, for each two
// tokens in a row, and for the first and the last. Links are left out: whether authors
// link is a habit, and habits change sooner than what they say.
func appendWords(dst []uint64, tokens []classify.Token) []uint64 {
	last := uint64(saltEdge)
	for _, tok := range tokens {
		if tok.Kind == classify.Link {
			continue
		}
		dst = append(dst, tok.Hash, classify.Mix(last, tok.Hash))
		if tok.Has(classify.Tagged) {
			dst = append(dst, classify.Mix(tok.Hash, saltTag))
		}
		last = tok.Hash
	}
	if last != saltEdge {
		dst = append(dst, classify.Mix(last, saltEdge))
	}
	return dst
}

// appendTargets appends a feature for each name that is mentioned and for each site that
// is linked to; tokens have lost those.
func appendTargets(dst []uint64, text string) []uint64 {
	for target := range targets(text) {
		dst = append(dst, hashLower(target))
	}
	return dst
}

// targets yields what mentions and links point to: "@name" and "://site".
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

// targetSize returns how long the target is that text begins with, 0 for none.
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
		end-- // the end of a sentence
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

// appendLetters appends features for letters in a row: four in words of scripts like
// Latin, whose ends count as letters, three where a letter is more, as in Arabic or
// Hangul. Where words are not told apart, as in Chinese or Thai, two and three letters
// are taken across them.
func appendLetters(dst []uint64, text *classify.Text) []uint64 {
	var before, last uint64
	for _, tok := range text.Tokens {
		form := text.Form(tok)
		if !alone(form) {
			before, last = 0, 0
			if tok.Kind == classify.Word {
				dst = appendParts(dst, form)
			}
			continue
		}
		if !tok.Has(classify.Glued) {
			before, last = 0, 0
		}
		if last != 0 {
			dst = append(dst, classify.Mix(last^saltRun, tok.Hash))
		}
		if before != 0 {
			dst = append(dst, classify.Mix(before^saltRun, classify.Mix(last, tok.Hash)))
		}
		before, last = last, tok.Hash
	}
	return dst
}

// alone says whether a form is one letter that is not of a script like Latin.
func alone(form []byte) bool {
	return len(form) > 2 && form[0] >= 0xe0 && utf8.RuneCount(form) == 1
}

// maxForm is how many bytes of a word are looked at by its letters.
const maxForm = 64

// appendParts appends features for the letters in a row of one word.
func appendParts(dst []uint64, form []byte) []uint64 {
	var buf [maxForm + 2]byte
	form = form[:min(len(form), maxForm)]
	buf[0] = '_'
	n := 1 + copy(buf[1:], form)
	buf[n] = '_'
	word := buf[:n+1]
	size := 4
	if form[0] >= 0xd6 { // from Hebrew on
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
		dst = append(dst, hashPart(word[at:end]))
	}
	return dst
}

// hashPart returns the hash of letters in a row. Most are four bytes.
func hashPart(part []byte) uint64 {
	if len(part) == 4 {
		return classify.Mix(saltPart, uint64(binary.LittleEndian.Uint32(part)))
	}
	h := uint64(saltPart)
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
