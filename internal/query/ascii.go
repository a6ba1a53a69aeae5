package query

import "strings"

// asciiWord maps the letters, digits and the underscore to the byte they are
// compared as, and everything else to 0.
var asciiWord = func() (table [256]byte) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789_") {
		table[c] = c
	}
	for c := byte('A'); c <= 'Z'; c++ {
		table[c] = c + 'a' - 'A'
	}
	return table
}()

// asciiField adds the tokens of a piece of ASCII text without white space.
func (t *tokenizer) asciiField(s string) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case asciiWord[c] != 0:
			i = t.asciiWord(s, i)
		case isSigil(c) && asciiTagAt(s, i):
			i = t.asciiTag(s, i)
		default:
			i++
		}
	}
}

// asciiWord adds the word that begins at i and returns where it ends.
func (t *tokenizer) asciiWord(s string, i int) int {
	start := len(t.buf)
	for ; i < len(s); i++ {
		c := asciiWord[s[i]]
		if c == 0 {
			if !asciiJoins(s, i) {
				break
			}
			if c = s[i]; c == '\'' {
				continue
			}
		}
		t.buf = append(t.buf, c)
	}
	t.emit(t.trimUnderscores(start), 0)
	return i
}

// asciiJoins reports whether the byte at i, which is no letter or digit, holds a
// word together: don't, 10,000. It follows UAX #29 but for '.', which separates.
func asciiJoins(s string, i int) bool {
	if i == 0 || i+1 == len(s) {
		return false
	}
	switch s[i] {
	case '\'':
		return isASCIILetter(s[i-1]) && isASCIILetter(s[i+1])
	case ',':
		return isASCIIDigit(s[i-1]) && isASCIIDigit(s[i+1])
	}
	return false
}

// trimUnderscores takes the underscores off both ends of the word in buf from
// start on: they are emphasis, not part of the word. It returns where the word starts.
func (t *tokenizer) trimUnderscores(start int) int {
	for len(t.buf) > start && t.buf[len(t.buf)-1] == '_' {
		t.buf = t.buf[:len(t.buf)-1]
	}
	for start < len(t.buf) && t.buf[start] == '_' {
		start++
	}
	return start
}

// asciiTagAt reports whether the sigil at i begins a tag.
func asciiTagAt(s string, i int) bool {
	if i > 0 && (asciiWord[s[i-1]] != 0 || !sigilMayFollow(rune(s[i-1]))) {
		return false
	}
	end := asciiTagEnd(s, i)
	if s[i] == '$' && (end == i+1 || !isASCIILetter(s[i+1])) {
		return false // $100 is money
	}
	return strings.Trim(s[i+1:end], "_") != ""
}

func asciiTagEnd(s string, i int) int {
	end := i + 1
	for end < len(s) && asciiWord[s[end]] != 0 {
		end++
	}
	return end
}

// asciiTag adds the tag whose sigil is at i and returns where it ends.
func (t *tokenizer) asciiTag(s string, i int) int {
	start, end := len(t.buf), asciiTagEnd(s, i)
	for _, c := range []byte(s[i+1 : end]) {
		t.buf = append(t.buf, asciiWord[c])
	}
	t.emit(start, s[i])
	return end
}

func isSigil(c byte) bool { return c == '#' || c == '@' || c == '$' }

// sigilMayFollow reports whether a tag may begin after r, which is no letter or
// digit: &#39; is an entity and /#top a part of an address.
func sigilMayFollow(r rune) bool { return r != '&' && r != '/' }

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCIIDigit(c byte) bool { return '0' <= c && c <= '9' }
