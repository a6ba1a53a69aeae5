package classify

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// entities are HTML escapes that remain in some posts.
var entities = []struct{ escape, char string }{
	{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#39;", "'"}, {"&apos;", "'"}, {"&nbsp;", " "},
}

// appendUnescaped appends text to dst and resolves HTML escapes and JSON's \uXXXX, which some
// programs leave in posts.
func appendUnescaped(dst []byte, text string) []byte {
	for {
		at := indexEscape(text)
		if at < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:at]...)
		text = text[at:]
		n := 1
		if r, size := jsonEscape(text); size > 0 {
			dst = utf8.AppendRune(dst, r)
			n = size
		} else if char, size := entity(text); size > 0 {
			dst = append(dst, char...)
			n = size
		} else {
			dst = append(dst, text[0])
		}
		text = text[n:]
	}
}

// indexEscape returns the index of the first & or \, or -1. Most posts have neither, and two
// searches for a single byte are the fastest way to find out.
func indexEscape(text string) int {
	at := strings.IndexByte(text, '\\')
	if at >= 0 {
		text = text[:at]
	}
	if and := strings.IndexByte(text, '&'); and >= 0 {
		return and
	}
	return at
}

// jsonEscape decodes the \uXXXX escape at the start of text, or two of them if they form a
// surrogate pair. It returns the rune and the length of the escape, or 0 if there is none.
func jsonEscape(text string) (r rune, size int) {
	r, ok := codeUnit(text)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := codeUnit(text[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return r, 6
}

func codeUnit(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	code, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(code), err == nil
}

func entity(text string) (char string, size int) {
	for _, e := range entities {
		if strings.HasPrefix(text, e.escape) {
			return e.char, len(e.escape)
		}
	}
	return "", 0
}
