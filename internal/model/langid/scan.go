package langid

import (
	"strings"
	"unicode/utf8"
)

const (
	maxLetters            = 256  // letters and gaps; more do not change the result
	maxBytes              = 2048 // bytes of a text that are scanned
	maxHost               = 64   // longer ones are not links
	minLettersWithoutTags = 16   // with fewer letters, hashtags are read too
)

// A scan contains the words of a text in lower case, without links, mentions, entities, digits,
// emoji or punctuation. It omits hashtags if the text has enough other words, because hashtags are
// shared across languages.
type scan struct {
	letters [maxLetters + 1]rune // words, with a 0 before each word and after the last
	n       int                  // used length of letters
	count   [scripts]int         // letters by script
	run     int                  // repetitions of the last letter
	lower   bool                 // the last letter was lower case
}

// read scans a text.
func (t *scan) read(text string) {
	text = text[:min(len(text), maxBytes)]
	t.scan(text, false)
	if t.letterCount() < minLettersWithoutTags && strings.Contains(text, "#") {
		*t = scan{}
		t.scan(text, true)
	}
}

// letterCount returns the number of letters.
func (t *scan) letterCount() (n int) {
	for _, c := range t.count {
		n += c
	}
	return n
}

func (t *scan) scan(text string, tags bool) {
	t.n = 1
	for i := 0; i < len(text) && t.n < maxLetters; {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			t.addRune(r)
			i += size
		case isLetter(c):
			i += t.addASCII(text[i:])
		default:
			t.gap()
			i += signLen(text[i:], tags)
		}
	}
	t.gap()
}

// addASCII adds the ASCII letters at the start of text, or skips the link there. It returns the
// length of either.
func (t *scan) addASCII(text string) int {
	end := 1
	for end < len(text) && isLetter(text[end]) {
		end++
	}
	if size := t.linkAt(text, end); size > 0 {
		t.gap()
		return size
	}
	for i := 0; i < end && t.n < maxLetters; i++ {
		c := text[i]
		upper := c < 'a'
		if upper && t.lower {
			t.gap() // CamelCase counts as two words
		}
		t.add(rune(c|0x20), latin)
		t.lower = !upper
	}
	return end
}

func (t *scan) addRune(r rune) {
	switch s := scriptOf(r); s {
	case noScript:
		t.gap()
	case mark:
	default:
		t.lower = false
		t.add(fold(r), s)
	}
}

// add adds a letter. A letter repeated three or more times is kept once, so "sooo" becomes "so".
func (t *scan) add(r rune, s script) {
	if t.letters[t.n-1] != r {
		t.run = 0
	} else if t.run++; t.run >= 2 {
		if t.run == 2 {
			t.n--
			t.count[s]--
		}
		return
	}
	if t.n < maxLetters {
		t.letters[t.n] = r
		t.n++
		t.count[s]++
	}
}

// gap ends a word.
func (t *scan) gap() {
	t.lower = false
	if t.letters[t.n-1] != 0 {
		t.letters[t.n] = 0
		t.n++
	}
}

// gaps returns the positions of the gaps, starting with the one before the first word.
func (t *scan) gaps(into *[maxLetters + 1]uint16) []uint16 {
	n := 0
	for i, r := range t.letters[:t.n] {
		into[n] = uint16(i)
		if r == 0 {
			n++
		}
	}
	return into[:n]
}

// script returns the script whose letters have the largest total weight, or noScript if there are
// too few letters.
func (t *scan) script() script {
	best, most := noScript, 0
	for s := latin; s < scripts; s++ {
		if w := t.count[s] * traits[s].weight; w > most {
			best, most = s, w
		}
	}
	if t.count[best] < traits[best].minLetters {
		return noScript
	}
	return best
}

// signLen returns the number of bytes to skip at a sign: a mention, a hashtag unless tags is set,
// or an entity such as &amp;.
func signLen(text string, tags bool) int {
	n := 1
	switch text[0] {
	case '@':
		for n < len(text) && (isWord(text[n]) || text[n] == '.') {
			n++
		}
	case '#':
		for !tags && n < len(text) && (isWord(text[n]) || text[n] >= utf8.RuneSelf) {
			n++
		}
	case '&':
		for n < len(text) && n < 10 && (isWord(text[n]) || text[n] == '#') {
			n++
		}
		if n == len(text) || text[n] != ';' {
			return 1
		}
	}
	return n
}

// linkAt returns the length of the link at the start of text, or 0 if there is a word, whose
// letters end at end. A link can start where a word can start, and after a character of a script
// without spaces.
func (t *scan) linkAt(text string, end int) int {
	if last := t.letters[t.n-1]; last != 0 && last < utf8.RuneSelf {
		return 0
	}
	if text[0] != 'R' && (end == len(text) || !continuesLink(text[end])) {
		return 0 // most words
	}
	return linkLen(text)
}

// continuesLink reports whether a character other than a letter can follow the first letters of a
// link.
func continuesLink(c byte) bool {
	return c >= '-' && c <= ':' || c == '_' // covers - . / : and digits
}

// linkLen returns the length of the link at the start of text, or 0 if it starts with a word. A
// link has a scheme, or starts with www, or has a host and a path: "bit.ly/2xYz". The RT of a
// retweet counts as a link.
func linkLen(text string) int {
	if strings.HasPrefix(text, "RT @") {
		return len("RT ")
	}
	host, dots := 0, 0
	for host < min(len(text), maxHost) && (isWord(text[host]) || text[host] == '-' || text[host] == '.') {
		if text[host] == '.' {
			dots++
		}
		host++
	}
	rest := text[host:]
	if !strings.HasPrefix(rest, "://") && !(dots > 0 && strings.HasPrefix(rest, "/")) && !strings.HasPrefix(text, "www.") {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf })
	if end < 0 {
		return len(text)
	}
	return host + end
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }
