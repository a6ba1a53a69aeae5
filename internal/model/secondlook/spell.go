package secondlook

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxChars is how much of a text the network reads, in characters.
const maxChars = 400

var (
	escape  = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+`)
	url     = regexp.MustCompile(`(?:https?://|www\.)\S+|\bhttp\b`)
	mention = regexp.MustCompile(`@[\p{L}\p{N}_]+`)
	hashtag = regexp.MustCompile(`#([\p{L}\p{N}_]+)`)
)

// spell writes a text with the pieces that the network knows, exactly as in its training: without links
// and names, and with hashtags and emoji as words. It is described of models/teacher/corpus.py.
func (m *Model) spell(text string) string {
	text = unescape(first(text, 900))
	text = strings.ReplaceAll(norm.NFKC.String(first(text, 600)), "’", "'")
	text = url.ReplaceAllString(text, "")
	text = mention.ReplaceAllString(text, "")
	text = first(strings.Join(strings.Fields(shortenRuns(text)), " "), maxChars)
	text = hashtag.ReplaceAllStringFunc(text, splitHashtag)
	var b strings.Builder
	for _, c := range text {
		switch name, ok := m.emoji[c]; {
		case ok:
			b.WriteString(" " + name + " ")
		case c >= 0x2600 && isModifier(c):
		default:
			b.WriteRune(c)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// readEmoji reads lines such as "😂 face with tears of joy".
func readEmoji(lines string) map[rune]string {
	names := map[rune]string{}
	for line := range strings.Lines(lines) {
		c, size := utf8.DecodeRuneInString(line)
		names[c] = strings.TrimSpace(line[size:])
	}
	return names
}

// isModifier reports whether a character only modifies an emoji, such as its color.
func isModifier(c rune) bool {
	return c > 0xF000 && unicode.In(c, unicode.Sk, unicode.Mn, unicode.Co)
}

// first returns the first n characters of a text.
func first(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// unescape removes escapes and quotes around the text, which some sets of the training have.
func unescape(text string) string {
	if strings.Contains(text, `\u`) {
		text = escape.ReplaceAllStringFunc(text, func(s string) string {
			var units []uint16
			for code := range strings.SplitSeq(s[2:], `\u`) {
				n, _ := strconv.ParseUint(code, 16, 16) // matches the expression
				units = append(units, uint16(n))
			}
			return string(utf16.Decode(units))
		})
	}
	return strings.Trim(strings.ReplaceAll(html.UnescapeString(text), `""`, `"`), `" `)
}

// shortenRuns shortens runs of a character to three.
func shortenRuns(text string) string {
	var b strings.Builder
	run, before := 0, rune(-1)
	for _, c := range text {
		if run++; c != before || c == '\n' {
			run, before = 1, c
		}
		if run <= 3 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// splitHashtag returns a hashtag as words: #LoveThis_one is Love This one.
func splitHashtag(tag string) string {
	var b strings.Builder
	before := rune(0)
	for _, c := range tag[1:] {
		if before >= 'a' && before <= 'z' && c >= 'A' && c <= 'Z' {
			b.WriteByte(' ')
		}
		if c == '_' {
			c = ' '
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}
