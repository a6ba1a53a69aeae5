package classify

import "unicode/utf8"

// Salts keep features of one token apart.
const (
	saltNegated = 0x9e3779b97f4a7c15
	saltSkip    = 0xc2b2ae3d27d4eb4f
	saltPart    = 0x165667b19e3779f9
)

// AppendWords appends to dst the features that t's tokens and their neighbours make:
// each token, each that is negated once more as such, two and three in a row, and two
// with one between.
func (t *Text) AppendWords(dst []uint64) []uint64 {
	var before, last uint64
	for i, tok := range t.Tokens {
		h := tok.Hash
		dst = append(dst, h)
		if tok.Has(Negated) {
			dst = append(dst, Mix(h, saltNegated))
		}
		if i > 0 {
			pair := Mix(last, h)
			dst = append(dst, pair)
			if i > 1 {
				dst = append(dst, Mix(before, pair), Mix(before^saltSkip, h))
			}
		}
		before, last = last, h
	}
	return dst
}

// maxForm is how many bytes of a word are looked at by its letters.
const maxForm = 64

// AppendParts appends the features that the letters of one token make: every three,
// four and five letters in a row, where the ends of the word count as letters.
func AppendParts(dst []uint64, form []byte) []uint64 {
	var buf [maxForm + 2]byte
	form = form[:min(len(form), maxForm)]
	buf[0] = '_'
	n := 1 + copy(buf[1:], form)
	buf[n] = '_'
	word := buf[:n+1]
	if ascii(form) {
		return appendASCIIParts(dst, word)
	}
	return appendRuneParts(dst, word)
}

func appendRuneParts(dst []uint64, word []byte) []uint64 {
	for at := 0; at < len(word); {
		h := uint64(saltPart)
		letters := 0
		for i, c := range word[at:] {
			h = hashByte(h, c)
			if at+i+1 < len(word) && !utf8.RuneStart(word[at+i+1]) {
				continue
			}
			letters++
			if letters >= 3 {
				dst = append(dst, h)
			}
			if letters == 5 {
				break
			}
		}
		at++
		for at < len(word) && !utf8.RuneStart(word[at]) {
			at++
		}
	}
	return dst
}

func ascii(form []byte) bool {
	var all byte
	for _, c := range form {
		all |= c
	}
	return all < utf8.RuneSelf
}

// appendASCIIParts does what appendRuneParts does for a word whose letters are one byte each.
func appendASCIIParts(dst []uint64, word []byte) []uint64 {
	for ; len(word) > 2; word = word[1:] {
		h := hashByte(hashByte(hashByte(saltPart, word[0]), word[1]), word[2])
		dst = append(dst, h)
		if len(word) > 3 {
			h = hashByte(h, word[3])
			dst = append(dst, h)
		}
		if len(word) > 4 {
			dst = append(dst, hashByte(h, word[4]))
		}
	}
	return dst
}

// CountParts returns how many features AppendParts makes of a form.
func CountParts(form []byte) int {
	n := utf8.RuneCount(form[:min(len(form), maxForm)]) + 2
	return max(n-2, 0) + max(n-3, 0) + max(n-4, 0)
}
