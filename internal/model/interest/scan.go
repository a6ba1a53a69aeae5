package interest

import (
	"strings"
	"unicode/utf8"
)

// A word is a run of letters and digits, optionally a tag, or a single emoji.
type word struct {
	hash   uint64 // hash of its folded letters
	sigil  byte   // '#', '@' or '$' of a tag, otherwise 0
	linked bool   // only spaces or hyphens precede it, so it can continue a phrase
}

// A scanner splits a text into words. It skips links. Invalid UTF-8 separates words.
type scanner struct {
	text  string
	pos   int
	words int // number read so far
	*folding
}

// Parameters of FNV-1a, which is applied to characters instead of bytes here.
const (
	hashStart = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

// next returns the next word, or false at the end of the text.
func (s *scanner) next() (w word, ok bool) {
	w.linked = true
	for s.pos < len(s.text) {
		c, size := s.char()
		switch {
		case c > isEmoji:
			if link := linkAt(s.text[s.pos:]); link > 0 {
				s.pos += link
				w.linked, w.sigil = false, 0
				continue
			}
			s.words++
			w.hash = s.letters()
			return w, true
		case c == isEmoji:
			s.pos += size
			s.words++
			w.hash, w.sigil = (hashStart^uint64(s.emoji(size)))*hashPrime, 0
			return w, true
		case c == isSigil && s.beginsTag():
			w.sigil = s.text[s.pos]
		case c == isBreak || c == isSigil:
			w.linked, w.sigil = false, 0
		default:
			w.sigil = 0
		}
		s.pos += size
	}
	return word{}, false
}

// fill appends words until words is full or the text ends.
func (s *scanner) fill(words []word) (filled []word, ended bool) {
	for len(words) < cap(words) {
		w, ok := s.next()
		if !ok {
			return words, true
		}
		words = append(words, w)
	}
	return words, false
}

// char returns the folded form or class of the current character, and its size in bytes.
func (s *scanner) char() (c uint32, size int) {
	b := s.text[s.pos]
	if b < utf8.RuneSelf {
		return uint32(s.folding[b]), 1
	}
	r, size := utf8.DecodeRuneInString(s.text[s.pos:])
	if r == utf8.RuneError {
		return isBreak, size
	}
	return s.fold(r), size
}

// letters reads to the end of the word and returns its hash.
func (s *scanner) letters() uint64 {
	hash := uint64(hashStart)
	text, low := s.text, s.folding
	for i := s.pos; ; {
		// Fast path for ASCII.
		for i < len(text) && text[i] < utf8.RuneSelf && low[text[i]] > isEmoji {
			hash = (hash ^ uint64(low[text[i]])) * hashPrime
			i++
		}
		s.pos = i
		if i == len(text) {
			return hash
		}
		c, size := s.char()
		if c > isEmoji {
			hash = (hash ^ uint64(c)) * hashPrime
		} else if c != isJoiner {
			return hash
		}
		i += size
	}
}

// emoji returns the character of the given size before the current position.
func (s *scanner) emoji(size int) rune {
	r, _ := utf8.DecodeRuneInString(s.text[s.pos-size:])
	return r
}

// beginsTag reports whether the sigil at the current position starts a tag: a letter follows it,
// and no letter precedes it, as in an email address.
func (s *scanner) beginsTag() bool {
	if s.pos > 0 && s.folding[s.text[s.pos-1]&0x7F] > isEmoji && s.text[s.pos-1] < utf8.RuneSelf {
		return false
	}
	after := *s
	after.pos++
	if after.pos == len(after.text) {
		return false
	}
	c, _ := after.char()
	return c > isEmoji
}

// linkAt returns the length of the link at the start of text, or 0.
func linkAt(text string) int {
	if len(text) < len("www.") || text[0]|0x20 != 'h' && text[0]|0x20 != 'w' || text[3]|0x20 != 'p' && text[3] != '.' {
		return 0 // fast path; this runs for every word
	}
	for _, scheme := range [...]string{"http://", "https://", "www."} {
		if len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
			if end := strings.IndexAny(text, " \t\r\n"); end >= 0 {
				return end
			}
			return len(text)
		}
	}
	return 0
}
