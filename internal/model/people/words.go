package people

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a word.
type kind uint8

const (
	letters kind = iota // a word
	number              // digits
	mention             // @name
	link                // a URL
	mark                // any other character: punctuation, an emoji
)

// A word is one token of a text.
type word struct {
	kind    kind
	capital bool   // starts with a capital letter
	joined  bool   // directly follows the previous word
	hash    uint32 // hash of the folded letters, or of the character of a mark
	value   int    // value of a number, at most 9999
	length  int    // length in bytes, as written
	single  rune   // the folded character of a one-character word, or 0
}

// A wordScanner reads a text word by word. Letters and digits form separate words. Apostrophes are
// dropped: I'm becomes im.
type wordScanner struct {
	text  string
	at    int
	ascii bool // treat other characters as spaces
}

// hashSeed and hashPrime are the FNV-1a parameters.
const (
	hashSeed  uint32 = 2166136261
	hashPrime uint32 = 16777619
)

// next reads the next word into w. It returns false at the end of the text.
func (s *wordScanner) next(w *word) bool {
	start := s.at
	for s.at < len(s.text) && s.isBlank(s.text[s.at]) {
		s.at++
	}
	from := s.at
	if from >= len(s.text) {
		return false
	}
	*w = word{joined: from == start && start > 0, hash: hashSeed}
	switch c := s.text[from]; {
	case '0' <= c && c <= '9':
		s.number(w)
	case c == '@' && from+1 < len(s.text) && isHandleByte(s.text[from+1]):
		s.mention(w)
	case (c == 'h' || c == 'w') && isLink(s.text[from:]):
		s.link(w)
	default:
		s.letters(w)
	}
	w.length = s.at - from
	return true
}

func (s *wordScanner) number(w *word) {
	w.kind = number
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		w.value = min(10*w.value+int(s.text[s.at]-'0'), 9999)
		w.hash = (w.hash ^ '0') * hashPrime // numbers of the same length share a hash
		s.at++
	}
}

func (s *wordScanner) mention(w *word) {
	w.kind = mention
	s.at++
	for s.at < len(s.text) && isHandleByte(s.text[s.at]) {
		s.at++
	}
}

func (s *wordScanner) link(w *word) {
	w.kind = link
	for s.at < len(s.text) && !s.isBlank(s.text[s.at]) {
		s.at++
	}
}

// letters reads a word, or a single mark if there is no letter.
func (s *wordScanner) letters(w *word) {
	from := s.at
	w.capital = 'A' <= s.text[from] && s.text[from] <= 'Z'
	count := s.plain(w)
	for s.at < len(s.text) && !(count > 0 && s.endsWord(s.text[s.at])) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case isLetter(r):
			if count == 0 {
				w.capital = isUpper(r)
			}
			w.single = fold(r)
			w.hash = hashRune(w.hash, w.single)
			s.at += size
			count++
		case count == 0:
			w.kind, w.single = mark, r
			w.hash = hashRune(hashSeed, r)
			s.at += size
			return
		case isApostrophe(r):
			s.at += size
		default:
			w.clearUnless(count == 1)
			return
		}
		count += s.plain(w)
	}
	w.clearUnless(count == 1)
}

// endsWord reports whether a byte clearly ends a word.
func (s *wordScanner) endsWord(c byte) bool {
	return c < utf8.RuneSelf && c != '\'' && !isLetter(rune(c)) || s.isBlank(c)
}

// plain reads the ASCII letters that follow, which are the most common ones, and returns their
// number.
func (s *wordScanner) plain(w *word) int {
	from, hash := s.at, w.hash
	for s.at < len(s.text) {
		c := s.text[s.at] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		hash = (hash ^ uint32(c)) * hashPrime
		w.single = rune(c)
		s.at++
	}
	w.hash = hash
	return s.at - from
}

// clearUnless clears the single character of a word that has several.
func (w *word) clearUnless(single bool) {
	if !single {
		w.single = 0
	}
}

// hashRune adds a character to a hash.
func hashRune(hash uint32, r rune) uint32 {
	for ; r >= 0x80; r >>= 7 {
		hash = (hash ^ uint32(r&0x7F|0x80)) * hashPrime
	}
	return (hash ^ uint32(r)) * hashPrime
}

// hashWord returns the hash of a word in folded letters.
func hashWord(folded string) uint32 {
	hash := hashSeed
	for _, r := range folded {
		hash = hashRune(hash, r)
	}
	return hash
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	if 'А' <= r && r <= 'я' {
		return true // avoids a table search, because many posts are in Cyrillic
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func (s *wordScanner) isBlank(c byte) bool { return c <= ' ' || c > '~' && s.ascii }

func isHandleByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isLink(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "www.")
}
