package classify

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// entities are the escapes of HTML that are left over in posts.
var entities = []struct{ escape, char string }{
	{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#39;", "'"}, {"&apos;", "'"}, {"&nbsp;", " "},
}

// appendUnescaped appends text to dst, with the escapes of HTML and the \uXXXX of JSON
// that careless programs leave in posts made the characters they stand for.
func appendUnescaped(dst []byte, text string) []byte {
	for {
		at := strings.IndexAny(text, `&\\`)
		if at < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:at]...)
		text = text[at:]
		n := 1
		if r, ok := jsonEscape(text); ok {
			dst = utf8.AppendRune(dst, r)
			n = 6
		} else if char, size := entity(text); size > 0 {
			dst = append(dst, char...)
			n = size
		} else {
			dst = append(dst, text[0])
		}
		text = text[n:]
	}
}

func jsonEscape(text string) (rune, bool) {
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
